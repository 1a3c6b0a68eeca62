//! One session, and its conversation: messages paired with the runs that answer them.

use app::format;
use app::model::session::{Conversation, Message, MessageRun, SessionModel};
use domain::url::encode;
use domain::{RunSort, RunSummary, RunsPage, SessionTotals};
use protocol::Query;
use protocol::json::preview;
use protocol::messages::{Metadata, Tokens};
use protocol::query::{Field, Term};
use serde_json::Value;

use crate::auth::scopes::{RUNS_READ, SESSIONS_WRITE};
use crate::clock::now_ms;
use crate::error::Error;
use crate::markdown;
use crate::masking::{mask_metadata, mask_sessions, masked};
use crate::runs::{History, list_runs};
use crate::sessions::{self, OpenedSession};
use crate::workspace::SignedInWorkspace;

/// Runs loaded for a page of messages.
const MAX_RUNS: u32 = 120;
/// Runs searched for the one that answers a message; a session can have runs that left no message.
const LOOK_AHEAD: usize = 8;

/// Loads a session without its messages.
pub async fn load(workspace: &SignedInWorkspace, id: &str) -> Result<SessionModel, Error> {
    let opened = sessions::open(&workspace.state, &workspace.caller, id).await?;
    let OpenedSession { mut session, spec, ended_at_ms, stale, now_ms } = opened;
    let stale = stale.or_else(|| workspace.cannot_save_notice());
    mask_sessions([&mut session]);
    Ok(SessionModel { session, spec, ended_at_ms, can_write: workspace.has_scope(SESSIONS_WRITE), stale, now_ms })
}

/// Loads the last page of messages, or the one before `before`, whose runs start at `runs_cursor`.
pub async fn load_conversation(
    workspace: &SignedInWorkspace,
    id: &str,
    before: Option<u64>,
    runs_cursor: Option<String>,
) -> Result<Conversation, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let of_session = Query::default().with(Term::Field { field: Field::Session, value: id.to_owned() });
    // Without the scope for runs, messages have no runs.
    let may_read_runs = workspace.has_scope(RUNS_READ);
    let load_runs = async |limit| {
        if !may_read_runs {
            return Ok(RunsPage { now_ms: now_ms(), ..RunsPage::default() });
        }
        let (sort, cursor) = (RunSort::default(), runs_cursor.as_deref());
        let (_, page) = list_runs(state, caller, &of_session, sort, cursor, limit, History::Sync).await?;
        Ok::<_, Error>(page)
    };
    let runs = load_runs(MAX_RUNS).await?;
    let session = sessions::find(state, caller, id).await?;
    let page = sessions::messages(state, caller, id, before, sessions::MESSAGES).await?;
    let (mut messages, used) = pair_messages(&page.events, &runs.runs, &session.metadata, before.is_none());
    show_runs_with_answers(&mut messages);
    messages.iter_mut().for_each(|message| message.text = markdown::render(&message.text));
    let earlier = match page.next_before_seq {
        None => None,
        Some(seq) => {
            // The cursor of the runs that answer the earlier messages.
            let next = match u32::try_from(used) {
                Ok(used) if used > 0 => load_runs(used).await?.next_cursor,
                _ => runs_cursor,
            };
            let next = next.map(|next| format!("&runs={}", encode(&next))).unwrap_or_default();
            Some(format!("/sessions/{}?before={seq}{next}", encode(id)))
        }
    };
    let totals = match may_read_runs {
        true => state.store.session_totals(caller.workspace_id, id).await?,
        false => SessionTotals::default(),
    };
    let message_count = match (before, page.next_before_seq) {
        (None, None) => Some(format::grouped(messages.len() as u64)),
        (None, Some(_)) => Some(format!("{}+", format::grouped(messages.len() as u64))),
        // An earlier page doesn't know how many messages follow.
        (Some(_), _) => None,
    };
    let in_progress = before.is_none() && runs.runs.iter().any(|run| !run.status.is_terminal());
    let totals = figures(message_count, &totals);
    Ok(Conversation { messages, earlier, in_progress, totals, now_ms: runs.now_ms })
}

fn figures(message_count: Option<String>, totals: &SessionTotals) -> Vec<(String, String)> {
    let figures = [
        ("Messages", message_count),
        ("Runs", Some(format::grouped(totals.runs))),
        ("Tokens", Some(format::grouped(totals.tokens))),
        ("Cost", Some(format::dollars(totals.cost_micros))),
        ("Run time", Some(format::duration(totals.duration_ms))),
    ];
    figures.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Pairs frames (oldest first) with runs (newest first). Returns the messages and the number of runs that belong to them.
/// `newest`: these are the last frames, so newer runs are in progress or left no message.
fn pair_messages(frames: &[Value], runs: &[RunSummary], shared: &Metadata, newest: bool) -> (Vec<Message>, usize) {
    // Newest first, until the end.
    let mut messages: Vec<Message> = Vec::with_capacity(frames.len());
    let (mut used, mut later) = (0, 0);
    for frame in frames.iter().rev() {
        let mut message = parse_frame(frame);
        if message.role != "user" {
            messages.push(message);
            continue;
        }
        let message_text = preview(&message.text, usize::MAX);
        let found = (used..runs.len()).take(LOOK_AHEAD).find(|at| is_prompt_of(&runs[*at], &message_text));
        if let Some(at) = found {
            message.run = Some(message_run(&runs[at], shared));
            if newest || used > 0 {
                messages.splice(later..later, runs[used..at].iter().map(|run| unanswered_message(run, shared)));
            }
            used = at + 1;
        }
        messages.push(message);
        later = messages.len();
    }
    if newest && used == 0 {
        let unfinished = runs.iter().filter(|run| frames.is_empty() || !run.status.is_terminal());
        messages.splice(0..0, unfinished.map(|run| unanswered_message(run, shared)));
    }
    messages.reverse();
    (messages, used)
}

/// Moves each ended run from its prompt to the answer that follows. A run without an answer stays with its prompt.
fn show_runs_with_answers(messages: &mut [Message]) {
    for i in 1..messages.len() {
        let (before, rest) = messages.split_at_mut(i);
        let (Some(prompt), Some(answer)) = (before.last_mut(), rest.first_mut()) else { continue };
        let has_ended = prompt.run.as_ref().is_some_and(|run| run.status.is_terminal());
        if has_ended && answer.role == "assistant" && answer.run.is_none() && prompt.role == "user" {
            answer.run = prompt.run.take();
        }
    }
}

fn parse_frame(frame: &Value) -> Message {
    let role = match frame["type"].as_str() {
        Some("user_message") => "user",
        Some("assistant_message") => "assistant",
        _ => frame["role"].as_str().unwrap_or("message"),
    };
    Message {
        role: masked(role).into_owned(),
        text: frame["text"].as_str().unwrap_or_default().to_owned(),
        attachments: frame["attachments"].as_array().map_or(0, Vec::len),
        ..Message::default()
    }
}

/// A message for a run that the conversation lacks: still in progress, or ended without an answer.
fn unanswered_message(run: &RunSummary, shared: &Metadata) -> Message {
    Message {
        role: "user".to_owned(),
        text: run.input_preview.clone().unwrap_or_default(),
        preview: true,
        run: Some(message_run(run, shared)),
        ..Message::default()
    }
}

/// Returns true if the run's prompt is this message. Lists have the beginning of a prompt, with white space collapsed.
fn is_prompt_of(run: &RunSummary, message_text: &str) -> bool {
    let beginning = run.input_preview.as_deref().map(|text| preview(text, usize::MAX));
    beginning
        .is_some_and(|beginning| !beginning.is_empty() && message_text.starts_with(beginning.trim_end_matches('…')))
}

fn message_run(run: &RunSummary, shared: &Metadata) -> MessageRun {
    let own = run.metadata.iter().filter(|(key, value)| shared.get(*key) != Some(value));
    let mut own_metadata: Metadata = own.map(|(key, value)| (key.clone(), value.clone())).collect();
    mask_metadata(&mut own_metadata);
    MessageRun {
        id: run.id.clone(),
        status: run.status,
        waiting: run.marks.waiting,
        model: run.model.as_deref().map(|model| masked(model).into_owned()),
        tokens: run.tokens.map(Tokens::total),
        duration_ms: run.duration_ms,
        created_at_ms: run.created_at_ms,
        own_metadata,
    }
}

#[cfg(test)]
mod tests {
    use domain::Marks;
    use protocol::RunStatus;
    use serde_json::json;

    use super::*;

    fn run(id: &str, prompt: &str, status: RunStatus) -> RunSummary {
        RunSummary {
            id: id.to_owned(),
            session_id: None,
            status,
            name: None,
            agent_id: None,
            model: None,
            input_preview: Some(prompt.to_owned()),
            output_preview: None,
            error: None,
            reason: None,
            tokens: None,
            turns: None,
            tool_calls: None,
            duration_ms: None,
            waited_ms: None,
            cost_micros: None,
            error_class: None,
            group: None,
            created_at_ms: 0,
            metadata: [("env", "prod"), ("ticket", id)].map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
            marks: Marks::default(),
            origin: Default::default(),
        }
    }

    fn message_text(kind: &str, text: &str) -> Value {
        json!({ "type": kind, "text": text })
    }

    fn lines(messages: &[Message]) -> Vec<String> {
        let line = |message: &Message| {
            let run = message.run.as_ref().map(|run| format!(" → {}", run.id)).unwrap_or_default();
            format!("{}: {}{run}", message.role, message.text)
        };
        messages.iter().map(line).collect()
    }

    #[test]
    fn user_messages_link_to_their_runs_and_runs_without_a_message_keep_their_position() {
        let frames = [
            message_text("user_message", "first  question"),
            message_text("assistant_message", "one"),
            message_text("user_message", "second"),
            message_text("assistant_message", "two"),
        ];
        let runs = [
            run("r4", "fourth", RunStatus::Running),
            run("r3", "second", RunStatus::Succeeded),
            run("r2", "failed meanwhile", RunStatus::Failed),
            run("r1", "first que…", RunStatus::Succeeded),
        ];
        let shared: Metadata = [("env".to_owned(), "prod".to_owned())].into();
        let (messages, used) = pair_messages(&frames, &runs, &shared, true);
        assert_eq!(
            lines(&messages),
            [
                "user: first  question → r1",
                "assistant: one",
                "user: failed meanwhile → r2",
                "user: second → r3",
                "assistant: two",
                "user: fourth → r4",
            ]
        );
        assert_eq!(used, 4);
        let own = messages[0].run.as_ref().map(|run| run.own_metadata.clone());
        assert_eq!(
            own,
            Some([("ticket".to_owned(), "r1".to_owned())].into()),
            "metadata of the session is not repeated"
        );
    }

    #[test]
    fn a_new_session_shows_the_run_in_progress() {
        let runs = [run("r1", "hello", RunStatus::Running)];
        assert_eq!(lines(&pair_messages(&[], &runs, &Metadata::default(), true).0), ["user: hello → r1"]);
    }

    #[test]
    fn an_earlier_page_does_not_repeat_runs_of_the_later_one() {
        let frames = [message_text("user_message", "first")];
        let runs = [run("r2", "left no message", RunStatus::Failed), run("r1", "first", RunStatus::Succeeded)];
        let (messages, used) = pair_messages(&frames, &runs, &Metadata::default(), false);
        assert_eq!((lines(&messages), used), (vec!["user: first → r1".to_owned()], 2));
    }
}
