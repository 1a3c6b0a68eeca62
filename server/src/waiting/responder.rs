//! The responder of a local call: the person who launched its run, this server, or the program that started it.

use domain::{AnswerRecord, AnswerState, Answerer, ToolAnswerers};
use protocol::timeline::{CallKind, ToolCall};

use crate::answers::{self, Obstacle};
use crate::error::Error;
use crate::state::AppState;
use crate::store::WorkspaceId;
use crate::vault::purpose;

/// The person who launched a run. They answer its calls by hand, and answers of this server are sent for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    pub subject: String,
    /// Empty if they are signed out.
    pub email: String,
    /// The reason why this server cannot send answers for them now.
    pub obstacle: Option<Obstacle>,
}

/// Returns the person who launched a run here. `None` if another program started it.
pub async fn find_launcher(
    state: &AppState,
    workspace_id: WorkspaceId,
    run_id: &str,
) -> Result<Option<Launcher>, Error> {
    let Some(subject) = state.store.answering_person(workspace_id, run_id).await? else { return Ok(None) };
    let newest = match state.store.grants_of_person(workspace_id, &subject).await?.first() {
        Some(grant) => state.store.grant(&grant.id).await?,
        None => None,
    };
    let email = newest.map(|grant| grant.email).unwrap_or_default();
    let obstacle = answers::find_sender(state, workspace_id, &subject).await?.err();
    Ok(Some(Launcher { subject, email, obstacle }))
}

/// Loads the answerers that were chosen at the launch of a run.
pub async fn load_answerers(
    state: &AppState,
    workspace_id: WorkspaceId,
    run_id: &str,
) -> Result<Option<ToolAnswerers>, Error> {
    let sealed = state.store.sealed_answers(workspace_id, run_id).await?;
    Ok(sealed.and_then(|sealed| state.vault.open_json(purpose::ANSWERERS, &sealed).ok()))
}

/// Who is to answer one call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CallResponder {
    /// The person who launched the run, by hand. The address is empty if they are signed out.
    Person { subject: String, email: String },
    /// This server gets the answer there.
    Server(String),
    /// This server should answer, and cannot for this reason.
    Stuck(String),
    /// The program that started the run.
    Client(String),
}

impl CallResponder {
    pub fn of(
        call: &ToolCall,
        launcher: Option<&Launcher>,
        answerers: Option<&ToolAnswerers>,
        records: &[AnswerRecord],
    ) -> Self {
        let Some(launcher) = launcher else { return Self::client(call) };
        let id = call.id.as_deref();
        let failed =
            records.iter().find(|record| Some(&*record.tool_use_id) == id && record.state == AnswerState::Failed);
        if let Some(record) = failed {
            let problem = record.problem.as_deref().unwrap_or("The reason is unknown.");
            return Self::Stuck(format!("The answer of {} could not be sent. {problem}", record.by));
        }
        match answerers.and_then(|answerers| answerers.get(&call.name)).unwrap_or(&Answerer::Hand) {
            Answerer::Hand => Self::Person { subject: launcher.subject.clone(), email: launcher.email.clone() },
            answerer => match launcher.obstacle {
                Some(obstacle) => Self::Stuck(format!("{obstacle}, so this server cannot send the answer.")),
                None => Self::Server(answers::describe(answerer)),
            },
        }
    }

    fn client(call: &ToolCall) -> Self {
        Self::Client(match &call.kind {
            CallKind::A2aLocal { agent, .. } if !agent.is_empty() => format!("the agent {agent}"),
            CallKind::McpLocal { server, .. } if !server.is_empty() => format!("the MCP server {server}"),
            _ => "the program that started the run".to_owned(),
        })
    }

    /// In words, for a viewer.
    pub fn describe(&self, viewer_subject: Option<&str>) -> String {
        match self {
            Self::Person { subject, .. } if Some(subject.as_str()) == viewer_subject => "you".to_owned(),
            Self::Person { email, .. } if email.is_empty() => "the person who launched the run".to_owned(),
            Self::Person { email, .. } => email.clone(),
            Self::Server(who) | Self::Client(who) => who.clone(),
            Self::Stuck(reason) => reason.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Event, Timeline};
    use serde_json::json;

    use super::*;

    fn responder(
        call: serde_json::Value,
        launcher: Option<&Launcher>,
        answerer: Option<Answerer>,
        records: &[AnswerRecord],
    ) -> String {
        let timeline = Timeline::from_events(&[Event::new(1, "local_tool_call", call)]);
        let call = timeline.waiting_calls().next().expect("a call that waits");
        let answerers = answerer.map(|answerer| ToolAnswerers::from([("look".to_owned(), answerer)]));
        CallResponder::of(call, launcher, answerers.as_ref(), records).describe(Some("user_1"))
    }

    #[test]
    fn the_words_say_who_is_to_answer() {
        let local = json!({ "toolUseId": "a", "name": "look", "args": {} });
        assert_eq!(responder(local.clone(), None, None, &[]), "the program that started the run");
        let agent = json!({ "toolUseId": "a", "name": "look", "args": {}, "kind": "a2a_local", "agentCard": { "name": "Ada" } });
        assert_eq!(responder(agent, None, None, &[]), "the agent Ada");

        let person = |subject: &str, obstacle| {
            let (subject, email) = (subject.to_owned(), format!("{subject}@demo.test"));
            Launcher { subject, email, obstacle }
        };
        let canned = || Some(Answerer::Canned(domain::CannedReply::default()));
        assert_eq!(responder(local.clone(), Some(&person("user_1", None)), None, &[]), "you");
        assert_eq!(responder(local.clone(), Some(&person("user_2", None)), None, &[]), "user_2@demo.test");
        assert_eq!(responder(local.clone(), Some(&person("user_2", None)), canned(), &[]), "a canned reply");
        let signed_out = person("user_2", Some(Obstacle::SignedOut));
        let stuck = responder(local, Some(&signed_out), canned(), &[]);
        assert_eq!(stuck, "The person who launched the run is signed out, so this server cannot send the answer.");
    }
}
