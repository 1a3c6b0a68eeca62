//! Builds the rows of the timeline.

use std::collections::BTreeSet;

use app::model::run::{Body, CallBody, CallOutcome, CallRow, Row, RowKind, Tone};
use domain::{AnswerRecord, AnswerState};
use protocol::Event;
use protocol::json::preview;
use protocol::timeline::{self, CallKind, NoteKind, Plan, Timeline, Timing, ToolCall, Turn};
use serde_json::Value;

use crate::pages::reply;
use crate::waiting::ReplyPage;

use super::describe::{describe, describe_outcome};
use super::events::event_row;
use super::render::rows::{self as render, CallLine};
use super::render::{Links, call_age, text_html};
use super::retries::Retries;
use super::waiting::CallAge;

/// Characters of arguments and answers in a folded row.
pub(super) const PREVIEW_CHARS: usize = 160;
/// Characters of a text shown before it is opened.
pub(super) const TEXT_CHARS: usize = 6_000;
/// Bytes of a text sent to a page, which a browser lays out at once. The download has the rest.
const BODY_BYTES: usize = 200_000;
/// Bytes of the prompt shown before it is opened.
const PROMPT_BYTES: usize = 300;
/// Bytes of JSON sent as a tree, of which a browser lays out the open part only.
const TREE_BYTES: usize = 400_000;

/// Data that all rows of a page share.
pub struct RowContext<'a> {
    pub timeline: &'a Timeline,
    pub events: &'a [Event],
    /// Answers to local calls.
    pub answers: &'a [AnswerRecord],
    pub ages: &'a [CallAge],
    /// Seqs of the calls that can be answered.
    pub waiting: &'a BTreeSet<u64>,
    /// The run's spec, for the form of a tool's answer.
    pub spec: Option<&'a Value>,
    pub retries: &'a Retries<'a>,
    pub timing: Option<&'a Timing>,
    pub links: Links<'a>,
}

/// The key of the row with the prompt.
pub const PROMPT_KEY: &str = "prompt";

/// Returns the prompt, unless the log begins with the same message, as those of sessions may.
pub fn prompt_before_log<'a>(timeline: &Timeline, prompt: Option<&'a str>) -> Option<&'a str> {
    let in_log = timeline.turns.first().and_then(|turn| turn.notes().next()).map(|note| &note.kind);
    let is_in_log = |prompt: &&str| matches!(in_log, Some(NoteKind::Message { text, .. }) if text == prompt);
    prompt.filter(|prompt| !is_in_log(prompt))
}

/// Builds the first row: the user's message.
pub fn prompt_row(prompt: &str, is_open: bool, links: Links<'_>) -> Row {
    let limit = if is_open { BODY_BYTES } else { PROMPT_BYTES };
    let html = render::prompt(PROMPT_KEY, head(prompt, limit), prompt.len() > PROMPT_BYTES, is_open, links);
    let kind = RowKind::Html { class: "prompt".to_owned(), tone: None, html };
    Row { key: PROMPT_KEY.to_owned(), seq: 0, anchor: None, depth: 0, hit: false, kind }
}

/// Builds a row. `open` returns whether the row with a key is open.
pub fn build_row(context: &RowContext<'_>, row: timeline::Row, open: impl Fn(&str) -> bool) -> Option<Row> {
    let &RowContext { timeline, links, .. } = context;
    let turn = timeline.turns.get(row.turn);
    let is_open = open(&row.key);
    let html_row =
        |class: &str, tone: Option<Tone>, html: String| RowKind::Html { class: class.to_owned(), tone, html };
    let kind = match row.kind {
        timeline::RowKind::Turn => {
            let turn = turn?;
            let class = if is_writing(turn, timeline) { "turn-head writing" } else { "turn-head" };
            let took = context.timing.and_then(|timing| timing.turn(turn.index)?.duration_ms);
            html_row(class, None, render::turn(turn, took, links))
        }
        timeline::RowKind::Thinking { .. } => {
            let thinking = &turn?.thinking;
            let shown = is_open.then(|| head(thinking, BODY_BYTES));
            html_row("thinking", None, render::thinking(&row.key, thinking.chars().count(), shown, links))
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
                RowKind::Text { html: text_html(&text, links), text: String::new(), cut, writing: false }
            }
        }
        timeline::RowKind::Call { entry, .. } => {
            let turn = turn?;
            let call = turn.entries.get(entry)?.as_call()?;
            call_row(&row.key, row.seq, call, turn.skipped, is_open, context)
        }
        timeline::RowKind::Note { entry } => {
            let note = turn?.entries.get(entry)?.as_note()?;
            let (tone, text) = describe(&note.kind);
            let plan = match &note.kind {
                NoteKind::Plan { plan, stale: false, .. } => {
                    Some((plan.as_ref(), plan.changes_since(previous_plan(timeline, note.seq))))
                }
                _ => None,
            };
            html_row("note", Some(tone), render::note(row.seq, tone, &text, note.times, plan, links))
        }
        timeline::RowKind::Repeats { times, last_turn, .. } => {
            let turn = turn?;
            let mut tools: Vec<String> = turn.calls().map(|call| call.name.clone()).collect();
            tools.sort();
            tools.dedup();
            let fold = render::Repeats {
                key: &row.key,
                times,
                turns: (row.turn + 1, last_turn + 1),
                first_wasted: turn.repeats == 1,
                seq: row.seq,
                skipped: timeline.turns[row.turn..=last_turn].iter().filter(|turn| turn.skipped).count(),
                tools,
                open: is_open,
            };
            html_row("repeats", None, render::repeats(fold, links))
        }
        timeline::RowKind::Outcome => {
            let (tone, text) = describe_outcome(timeline.outcome.as_ref()?, !timeline.banners().is_empty());
            html_row("note outcome", Some(tone), render::outcome(row.seq, tone, &text, links))
        }
        timeline::RowKind::Events { index, .. } => {
            event_row(&row.key, timeline.events.get(index)?, context.events, is_open, links)
        }
    };
    Some(Row { key: row.key, seq: row.seq, anchor: None, depth: row.depth, hit: row.hit, kind })
}

/// The plan before an event.
fn previous_plan(timeline: &Timeline, seq: u64) -> Option<&Plan> {
    let plans = timeline.notes().filter_map(|note| match &note.kind {
        NoteKind::Plan { plan, stale: false, .. } if note.seq < seq => Some(plan.as_ref()),
        _ => None,
    });
    plans.last()
}

/// Marks the matches of a search.
pub fn highlight(row: &mut Row, needle: &str) {
    match &mut row.kind {
        RowKind::Html { html, .. }
        | RowKind::Text { html, .. }
        | RowKind::Event { line: html, .. }
        | RowKind::Call(CallRow { line: html, .. }) => {
            *html = render::highlighted(std::mem::take(html), needle);
        }
    }
}

/// Returns true if the model is writing this turn now.
fn is_writing(turn: &Turn, timeline: &Timeline) -> bool {
    let newest = turn.index + 1 == timeline.turns.len();
    newest && turn.message_seq.is_none() && !turn.aborted && !timeline.status().is_terminal()
}

fn call_row(key: &str, seq: u64, call: &ToolCall, skipped: bool, open: bool, context: &RowContext<'_>) -> RowKind {
    let mut answers = context.answers.iter();
    let answered = answers.find(|answer| call.id.as_deref() == Some(answer.tool_use_id.as_str()));
    let over = context.timeline.status().is_terminal();
    let outcome = match &call.answer {
        _ if call.intercepted => CallOutcome::Intercepted,
        answer if skipped && (answer.is_some() || over) => CallOutcome::Skipped,
        Some(answer) if answer.ok => CallOutcome::Ok,
        Some(answer) if answer.reported_failure => CallOutcome::ReportedFailure,
        Some(_) => CallOutcome::Error,
        None if over => CallOutcome::Unanswered,
        None => CallOutcome::Waiting,
    };
    let age = context.ages.iter().find(|age| age.seq == call.seq && call.answer.is_none());
    let can_answer = outcome == CallOutcome::Waiting && call.made && context.waiting.contains(&call.seq);
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
        took_ms: context.timing.and_then(|timing| timing.call(call)?.duration_ms),
        open,
    };
    RowKind::Call(CallRow {
        outcome,
        line: render::call(line, context.links),
        age: age.map(|age| call_age(*age)).unwrap_or_default(),
        reply: call.id.as_deref().filter(|_| can_answer).map(|id| {
            let spec = context.spec.unwrap_or(&Value::Null);
            reply::render(ReplyPage::Run, context.links.run_id, id, &call.name, spec)
        }),
        open: open.then(|| Box::new(call_body(call))),
    })
}

/// Describes the state of an answer.
fn answered_by(answer: &AnswerRecord) -> String {
    let by = &answer.by;
    match (answer.state, &answer.problem) {
        (AnswerState::Working, _) => format!("being answered by {by}"),
        (AnswerState::Ready | AnswerState::Sent, _) => format!("by {by}"),
        (AnswerState::NotNeeded, _) => format!("{by} answered too late"),
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

/// One line of a value. Only the beginning of a long value is formatted.
pub(super) fn preview_value(value: &Value) -> String {
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

/// The beginning of a text, and the number of bytes left out.
fn cut(text: &str, bytes: usize) -> (String, usize) {
    let head = head(text, bytes);
    (head.to_owned(), text.len() - head.len())
}

fn call_body(call: &ToolCall) -> CallBody {
    CallBody {
        resolver: render::resolver(resolver(&call.kind).as_deref(), call.id.as_deref()),
        input: body(&call.input),
        answer: call.answer.as_ref().map(|answer| (answer.seq, body(&answer.body))),
        files: render::files(&call.files),
    }
}

/// Text that is JSON becomes a tree, because most tools return JSON as text.
fn body(value: &Value) -> Body {
    let text = match value {
        Value::String(text) => {
            if let Ok(parsed @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text)
                && text.len() <= TREE_BYTES
            {
                return Body::Json(parsed);
            }
            text.clone()
        }
        other => return json_body(other.clone()),
    };
    text_body(&text)
}

/// A tree, unless it is too large for one.
pub(super) fn json_body(value: Value) -> Body {
    let text = value.to_string();
    if text.len() <= TREE_BYTES { Body::Json(value) } else { text_body(&text) }
}

fn text_body(text: &str) -> Body {
    let (text, cut) = cut(text, BODY_BYTES);
    Body::Text { text, cut }
}
