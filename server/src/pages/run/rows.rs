//! A row of the timeline with everything that is drawn of it.

use std::collections::BTreeSet;

use protocol::json::preview;
use protocol::timeline::{self, CallKind, NoteKind, Timeline, ToolCall, Turn};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CallAge;
use super::draw::rows::{self as draw, CallLine};
use super::draw::{Links, call_age, prose};
use super::retries::Retries;
use super::words::{describe, ending};
use domain::{AnswerRecord, AnswerState};

/// Characters of arguments and answers in a folded row.
const PREVIEW_CHARS: usize = 160;
/// Characters of a text shown before it is opened.
pub(super) const TEXT_CHARS: usize = 6_000;
/// Bytes of a text sent to a page, which a browser lays out in one go; the rest is said to be cut, and stands in the raw log.
const BODY_BYTES: usize = 200_000;
/// Bytes of JSON that is sent as a tree, of which a browser lays out what is open.
const TREE_BYTES: usize = 400_000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub key: String,
    pub seq: u64,
    /// The event that links lead to this row by. Of rows for one event the first has it.
    pub anchor: Option<u64>,
    pub depth: u8,
    pub hit: bool,
    pub kind: RowKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// Says something, and is drawn already.
    Drawn {
        class: String,
        tone: Option<Tone>,
        html: String,
    },
    /// What the model wrote, drawn; its end is cut where it is long. While it writes: as it comes, to be added to, without
    /// its beginning where it is long.
    Text {
        html: String,
        text: String,
        cut: usize,
        writing: bool,
    },
    Call(CallRow),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRow {
    pub outcome: CallOutcome,
    /// Drawn.
    pub line: String,
    /// Somebody may answer it here.
    pub waiting_id: Option<String>,
    /// How long it has been waiting, drawn.
    pub age: String,
    /// What it opens to.
    pub open: Option<Box<CallBody>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    Ok,
    Error,
    /// Its budget stopped it.
    Intercepted,
    Waiting,
    Unanswered,
}

impl CallOutcome {
    pub fn tone(self) -> &'static str {
        match self {
            Self::Ok => "success",
            Self::Error => "error",
            Self::Waiting => "waiting",
            Self::Intercepted | Self::Unanswered => "warning",
        }
    }
}

/// What an open call shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallBody {
    /// Who answers it, drawn.
    pub resolver: String,
    pub input: Body,
    pub answer: Option<(u64, Body)>,
    /// What came with the answer, drawn.
    pub files: String,
}

/// A payload: as a tree where it is JSON, as text where it is not, cut where it is too long for a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    Json(Value),
    Text { text: String, cut: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    Success,
    Info,
    Warning,
    Error,
}

impl Tone {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What all rows of one drawing share.
pub struct RowContext<'a> {
    pub timeline: &'a Timeline,
    /// Who answered local calls.
    pub answers: &'a [AnswerRecord],
    /// How long calls have been waiting.
    pub ages: &'a [CallAge],
    /// Calls that can still be answered.
    pub waiting: &'a BTreeSet<u64>,
    pub retries: Retries<'a>,
    pub links: Links<'a>,
}

impl Row {
    /// Draws a row of the timeline. `open` tells whether a row's key was opened.
    pub fn of(context: &RowContext<'_>, row: timeline::Row, open: impl Fn(&str) -> bool) -> Option<Self> {
        let &RowContext { timeline, links, .. } = context;
        let turn = timeline.turns.get(row.turn);
        let is_open = open(&row.key);
        let drawn =
            |class: &str, tone: Option<Tone>, html: String| RowKind::Drawn { class: class.to_owned(), tone, html };
        let kind = match row.kind {
            timeline::RowKind::Turn => {
                let turn = turn?;
                let class = if is_writing(turn, timeline) { "turn-head writing" } else { "turn-head" };
                drawn(class, None, draw::turn(turn, links))
            }
            timeline::RowKind::Thinking { .. } => {
                let thinking = &turn?.thinking;
                let shown = is_open.then(|| head(thinking, BODY_BYTES));
                drawn("thinking", None, draw::thinking(&row.key, thinking.chars().count(), shown, links))
            }
            timeline::RowKind::Text => {
                let turn = turn?;
                let limit = if is_open { BODY_BYTES } else { TEXT_CHARS };
                if is_writing(turn, timeline) {
                    let text = tail(&turn.text, limit);
                    let cut = turn.text.len() - text.len();
                    RowKind::Text { html: String::new(), text: text.to_owned(), cut, writing: true }
                } else {
                    let (text, cut) = cut(&turn.text, limit);
                    RowKind::Text { html: prose(&text, links), text: String::new(), cut, writing: false }
                }
            }
            timeline::RowKind::Call { entry, .. } => {
                let call = turn?.entries.get(entry)?.as_call()?;
                call_row(&row.key, row.seq, call, is_open, context)
            }
            timeline::RowKind::Note { entry } => {
                let note = turn?.entries.get(entry)?.as_note()?;
                let (tone, text) = describe(&note.kind);
                let plan = match &note.kind {
                    NoteKind::Plan { plan, stale: false, .. } => Some(plan.as_ref()),
                    _ => None,
                };
                drawn("note", Some(tone), draw::note(row.seq, tone, &text, note.times, plan, links))
            }
            timeline::RowKind::Repeats { times, first_wasted_seq, last_turn, .. } => {
                let mut tools: Vec<String> = turn?.calls().map(|call| call.name.clone()).collect();
                tools.sort();
                tools.dedup();
                let html = draw::repeats(&row.key, times, last_turn, first_wasted_seq, tools, is_open, links);
                drawn("repeats", None, html)
            }
            timeline::RowKind::Outcome => {
                let (tone, text) = ending(timeline.outcome.as_ref()?);
                drawn("note outcome", Some(tone), draw::outcome(row.seq, tone, &text, links))
            }
            timeline::RowKind::Events { index } => {
                let run = timeline.events.get(index)?;
                drawn("event", None, draw::event(row.seq, &run.kind, run.last_seq, run.count, links))
            }
        };
        Some(Self { key: row.key, seq: row.seq, anchor: None, depth: row.depth, hit: row.hit, kind })
    }

    /// The row is open and has this event as the answer inside.
    pub fn shows_answer(&self, seq: u64) -> bool {
        let RowKind::Call(CallRow { open: Some(body), .. }) = &self.kind else { return false };
        body.answer.as_ref().is_some_and(|(answer_seq, _)| *answer_seq == seq)
    }

    pub fn as_call(&self) -> Option<&CallRow> {
        match &self.kind {
            RowKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Marks what is looked for.
    pub fn highlight(&mut self, needle: &str) {
        match &mut self.kind {
            RowKind::Drawn { html, .. } | RowKind::Text { html, .. } | RowKind::Call(CallRow { line: html, .. }) => {
                *html = draw::highlighted(std::mem::take(html), needle);
            }
        }
    }
}

/// The model is at this turn now.
fn is_writing(turn: &Turn, timeline: &Timeline) -> bool {
    let newest = turn.index + 1 == timeline.turns.len();
    newest && turn.message_seq.is_none() && !turn.aborted && !timeline.status().is_terminal()
}

fn call_row(key: &str, seq: u64, call: &ToolCall, open: bool, context: &RowContext<'_>) -> RowKind {
    let mut answers = context.answers.iter();
    let answered = answers.find(|answer| call.id.as_deref() == Some(answer.tool_use_id.as_str()));
    let over = context.timeline.status().is_terminal();
    let outcome = match &call.answer {
        _ if call.intercepted => CallOutcome::Intercepted,
        Some(answer) if answer.ok => CallOutcome::Ok,
        Some(_) => CallOutcome::Error,
        None if over => CallOutcome::Unanswered,
        None => CallOutcome::Waiting,
    };
    let age = context.ages.iter().find(|age| age.seq == call.seq && call.answer.is_none());
    let awaited = outcome == CallOutcome::Waiting && call.made && context.waiting.contains(&call.seq);
    let (arguments, answer) =
        (preview_value(&call.input), call.answer.as_ref().map(|answer| preview_value(&answer.body)));
    let line = CallLine {
        key,
        seq,
        name: &call.name,
        is_local: call.kind.is_local(),
        arguments: &arguments,
        answer: answer.as_deref(),
        files: call.files.len(),
        outcome,
        answered: answered.map(answered_by),
        retried_seq: context.retries.before(call),
        open,
    };
    RowKind::Call(CallRow {
        outcome,
        line: draw::call(line, context.links),
        age: age.map(|age| call_age(*age)).unwrap_or_default(),
        waiting_id: call.id.as_ref().filter(|_| awaited).map(|id| id.to_string()),
        open: open.then(|| Box::new(CallBody::of(call))),
    })
}

/// What became of somebody's answer.
fn answered_by(answer: &AnswerRecord) -> String {
    let by = &answer.by;
    match (answer.state, &answer.problem) {
        (AnswerState::Working, _) => format!("being answered by {by}"),
        (AnswerState::Ready | AnswerState::Sent, _) => format!("by {by}"),
        (AnswerState::NotNeeded, _) => format!("{by} came too late"),
        (AnswerState::Failed, None) => format!("{by} could not answer"),
        (AnswerState::Failed, Some(problem)) => format!("{by} could not answer: {problem}"),
    }
}

fn resolver(kind: &CallKind) -> Option<String> {
    match kind {
        CallKind::Server => None,
        CallKind::Local => Some("local tool".to_owned()),
        CallKind::A2aLocal { agent, .. } if agent.is_empty() => Some("local A2A agent".to_owned()),
        CallKind::A2aLocal { agent, .. } => Some(format!("local A2A agent {agent}")),
        CallKind::McpLocal { server, .. } => Some(format!("local MCP server {server}")),
    }
}

/// One line of a value. A long one is not written out only to be cut.
fn preview_value(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => preview(head(text, PREVIEW_CHARS * 8), PREVIEW_CHARS),
        other => preview(head(&other.to_string(), PREVIEW_CHARS * 8), PREVIEW_CHARS),
    }
}

pub(super) fn head(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// The end of a text.
fn tail(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}

/// The beginning of a text, and how many bytes are left out.
fn cut(text: &str, bytes: usize) -> (String, usize) {
    let head = head(text, bytes);
    (head.to_owned(), text.len() - head.len())
}

impl CallBody {
    pub fn of(call: &ToolCall) -> Self {
        Self {
            resolver: draw::resolver(resolver(&call.kind).as_deref(), call.id.as_deref()),
            input: Body::of(&call.input),
            answer: call.answer.as_ref().map(|answer| (answer.seq, Body::of(&answer.body))),
            files: draw::files(&call.files),
        }
    }
}

impl Body {
    /// Text that is JSON is shown as JSON: most tools answer so.
    pub fn of(value: &Value) -> Self {
        let text = match value {
            Value::String(text) => {
                if let Ok(parsed @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text)
                    && text.len() <= TREE_BYTES
                {
                    return Self::Json(parsed);
                }
                text.clone()
            }
            other => {
                let text = other.to_string();
                if text.len() <= TREE_BYTES {
                    return Self::Json(value.clone());
                }
                text
            }
        };
        let (text, cut) = cut(&text, BODY_BYTES);
        Self::Text { text, cut }
    }
}
