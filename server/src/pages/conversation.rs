//! The list of sessions with what stands around it, and a conversation as turns that lead to their runs.

use protocol::RunStatus;
use protocol::json::preview;
use protocol::messages::{Metadata, Tokens};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Bar, Chip, FacetPanel};
use domain::{RunSummary, SessionSummary, View};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionList {
    pub bar: Bar,
    pub views: Vec<View>,
    pub sessions: Vec<SessionSummary>,
    pub facets: FacetPanel,
    /// This filter as an address to which a clause can be written.
    pub add: String,
    pub newest: Option<String>,
    pub older: Option<String>,
    /// Where nothing matches: the parts of the filter without which something would.
    pub drops: Vec<Chip>,
    pub stale: Option<String>,
    pub now_ms: i64,
}

/// A page of a conversation, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turns {
    pub turns: Vec<Turn>,
    /// Where the page before this one stands.
    pub earlier: Option<String>,
    /// A run is under way, whose answer is still to come.
    pub going: bool,
    pub now_ms: i64,
}

/// Something that was said. What somebody asks leads to the run that answers it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// `user`, `assistant`, or another word as it came.
    pub role: String,
    pub text: String,
    /// Only the beginning is here: the conversation does not have the turn, its run does.
    pub preview: bool,
    pub attachments: usize,
    pub run: Option<TurnRun>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRun {
    pub id: String,
    pub status: RunStatus,
    pub model: Option<String>,
    pub tokens: Option<u64>,
    pub duration_ms: Option<u64>,
    pub created_at_ms: i64,
    /// Metadata that this run has and its session has not, or not so.
    pub own: Metadata,
}

/// Runs looked at to find the one that answered a message; a session can have runs that left no message.
const LOOK_AHEAD: usize = 8;

/// Reads a conversation's frames, oldest first, beside its runs, newest first. Gives the turns and how many of the runs
/// belong to them. `newest`: nothing was said after these frames, so that newer runs are under way or left no message.
pub fn pair_turns(frames: &[Value], runs: &[RunSummary], shared: &Metadata, newest: bool) -> (Vec<Turn>, usize) {
    // Newest first, until the end.
    let mut turns: Vec<Turn> = Vec::with_capacity(frames.len());
    let (mut used, mut later) = (0, 0);
    for frame in frames.iter().rev() {
        let mut turn = read_frame(frame);
        if turn.role != "user" {
            turns.push(turn);
            continue;
        }
        let said = preview(&turn.text, usize::MAX);
        let found = (used..runs.len()).take(LOOK_AHEAD).find(|at| asked(&runs[*at], &said));
        if let Some(at) = found {
            turn.run = Some(of_run(&runs[at], shared));
            if newest || used > 0 {
                turns.splice(later..later, runs[used..at].iter().map(|run| silent_turn(run, shared)));
            }
            used = at + 1;
        }
        turns.push(turn);
        later = turns.len();
    }
    if newest && used == 0 {
        let going = runs.iter().filter(|run| frames.is_empty() || !run.status.is_terminal());
        turns.splice(0..0, going.map(|run| silent_turn(run, shared)));
    }
    turns.reverse();
    (turns, used)
}

fn read_frame(frame: &Value) -> Turn {
    let role = match frame["type"].as_str() {
        Some("user_message") => "user",
        Some("assistant_message") => "assistant",
        _ => frame["role"].as_str().unwrap_or("message"),
    };
    Turn {
        role: role.to_owned(),
        text: frame["text"].as_str().unwrap_or_default().to_owned(),
        attachments: frame["attachments"].as_array().map_or(0, Vec::len),
        ..Turn::default()
    }
}

/// A run of which the conversation has nothing: under way, or ended without an answer.
fn silent_turn(run: &RunSummary, shared: &Metadata) -> Turn {
    Turn {
        role: "user".to_owned(),
        text: run.input_preview.clone().unwrap_or_default(),
        preview: true,
        run: Some(of_run(run, shared)),
        ..Turn::default()
    }
}

/// Whether a run was asked this: lists have the beginning of a prompt, its white space made single, as it is here.
fn asked(run: &RunSummary, said: &str) -> bool {
    let beginning = run.input_preview.as_deref().map(|text| preview(text, usize::MAX));
    beginning.is_some_and(|beginning| !beginning.is_empty() && said.starts_with(beginning.trim_end_matches('…')))
}

fn of_run(run: &RunSummary, shared: &Metadata) -> TurnRun {
    let own = run.metadata.iter().filter(|(key, value)| shared.get(*key) != Some(value));
    TurnRun {
        id: run.id.clone(),
        status: run.status,
        model: run.model.clone(),
        tokens: run.tokens.map(Tokens::total),
        duration_ms: run.duration_ms,
        created_at_ms: run.created_at_ms,
        own: own.map(|(key, value)| (key.clone(), value.clone())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use domain::Marks;

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
            tokens: None,
            turns: None,
            tool_calls: None,
            duration_ms: None,
            cost_micros: None,
            error_class: None,
            created_at_ms: 0,
            metadata: [("env", "prod"), ("ticket", id)].map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
            marks: Marks::default(),
            origin: Default::default(),
        }
    }

    fn said(kind: &str, text: &str) -> Value {
        json!({ "type": kind, "text": text })
    }

    fn lines(turns: &[Turn]) -> Vec<String> {
        let line = |turn: &Turn| {
            let run = turn.run.as_ref().map(|run| format!(" → {}", run.id)).unwrap_or_default();
            format!("{}: {}{run}", turn.role, turn.text)
        };
        turns.iter().map(line).collect()
    }

    #[test]
    fn every_question_leads_to_its_run_and_runs_without_a_message_stand_in_their_place() {
        let frames = [
            said("user_message", "first  question"),
            said("assistant_message", "one"),
            said("user_message", "second"),
            said("assistant_message", "two"),
        ];
        let runs = [
            run("r4", "fourth", RunStatus::Running),
            run("r3", "second", RunStatus::Succeeded),
            run("r2", "failed meanwhile", RunStatus::Failed),
            run("r1", "first que…", RunStatus::Succeeded),
        ];
        let shared: Metadata = [("env".to_owned(), "prod".to_owned())].into();
        let (turns, used) = pair_turns(&frames, &runs, &shared, true);
        assert_eq!(
            lines(&turns),
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
        let own = turns[0].run.as_ref().map(|run| run.own.clone());
        assert_eq!(own, Some([("ticket".to_owned(), "r1".to_owned())].into()), "what the session has is not its own");
    }

    #[test]
    fn a_session_that_only_just_began_shows_the_run_under_way() {
        let runs = [run("r1", "hello", RunStatus::Running)];
        assert_eq!(lines(&pair_turns(&[], &runs, &Metadata::default(), true).0), ["user: hello → r1"]);
    }

    #[test]
    fn an_earlier_page_does_not_repeat_runs_of_the_later_one() {
        let frames = [said("user_message", "first")];
        let runs = [run("r2", "left no message", RunStatus::Failed), run("r1", "first", RunStatus::Succeeded)];
        let (turns, used) = pair_turns(&frames, &runs, &Metadata::default(), false);
        assert_eq!((lines(&turns), used), (vec!["user: first → r1".to_owned()], 2));
    }
}
