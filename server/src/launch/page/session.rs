//! The session that a message goes to: what it brings along.

use app::launch::work::{SessionFacts, Work, answering};
use app::launch::{LaunchContent, LaunchMode};
use protocol::ids;
use protocol::redact::redact;
use serde_json::Value;

use super::super::Launcher;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;

/// Reads the session that the work names, where it is another than the one that is known.
pub async fn look_up(state: &AppState, launcher: &Launcher, work: &mut Work) -> Result<(), Error> {
    let LaunchMode::Message { session_id } = &work.mode else {
        work.session = None;
        return Ok(());
    };
    if work.session.as_ref().is_some_and(|known| known.id == *session_id) {
        return Ok(());
    }
    work.session = None;
    work.checks.clear();
    if !ids::is_path_id(session_id) {
        return Ok(());
    }
    let (caller, id) = (&launcher.caller, session_id.as_str());
    let read = |bearer| async move { state.mantyx.session(&bearer, &caller.slug, id).await };
    let facts = match state.credentials.call(caller, read).await {
        Ok(mut found) => {
            redact(&mut found.agent_spec);
            let ended = (found.status != "active").then(|| "This session has ended. Launch a new one.".to_owned());
            SessionFacts { id: id.to_owned(), spec: found.agent_spec, problem: ended }
        }
        Err(MantyxError::NotFound) => {
            let problem = Some("There is no such session in this workspace. Check its id.".to_owned());
            SessionFacts { id: id.to_owned(), spec: Value::Null, problem }
        }
        Err(error @ MantyxError::Unauthorized) => return Err(error.into()),
        Err(error) => {
            // The launch itself will tell, if it still holds then.
            tracing::info!(%error, "the session of a message could not be read");
            return Ok(());
        }
    };
    work.session = Some(facts);
    Ok(())
}

/// The session's own tools that somebody here has to answer, as something to look at before a launch.
pub fn tools_answered_here(work: &Work) -> Option<LaunchContent> {
    let names = answering::of_session(work);
    let mut spec = work.session_spec().filter(|_| !names.is_empty())?.clone();
    let is_known = |name: &Value| name.as_str().is_some_and(|name| names.iter().any(|known| known == name));
    if let Some(tools) = spec["tools"].as_array_mut() {
        tools.retain(|tool| match tool["kind"].as_str() {
            Some("local" | "a2a_local") => is_known(&tool["name"]),
            Some("mcp_local") => tool["tools"].as_array().into_iter().flatten().any(|listed| is_known(&listed["name"])),
            _ => false,
        });
    }
    Some(LaunchContent { spec, answers: work.answers.clone() })
}
