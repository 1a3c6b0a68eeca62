//! Builds the rows of the waterfall.

use app::model::run::{Row, RowKind};
use protocol::timeline::{self, Timing, ToolCall, Turn, TurnTiming};

use super::describe::describe;
use super::render::{self, Bar, WaterfallRow};
use super::rows::RowContext;

/// The first row: the time axis.
pub fn axis_row(timing: Option<&Timing>) -> Row {
    row("axis".to_owned(), 0, 0, "waterfall-axis", render::axis(timing))
}

/// Builds the row of a turn, a call or a guard's report. Its key differs from that of the same step in other densities,
/// which is rendered in another way.
pub fn waterfall_row(context: &RowContext<'_>, source: &timeline::Row) -> Option<Row> {
    let turn = context.timeline.turns.get(source.turn)?;
    let timing = context.timing;
    let is_over = context.timeline.status().is_terminal();
    let note;
    let content = match source.kind {
        timeline::RowKind::Turn => {
            note = format!("Turn {}", turn.index + 1);
            let bar = timing.and_then(|timing| turn_bar(timing, turn, is_over));
            WaterfallRow { label: &note, step: "model", bar, seq: source.seq, problem: None }
        }
        timeline::RowKind::Call { entry, .. } => {
            let call = turn.entries.get(entry)?.as_call()?;
            let problem = match call {
                _ if turn.skipped => Some("skipped"),
                _ if call.intercepted => Some("over budget"),
                _ if call.failed() => Some("error"),
                _ if call.answer.is_none() => Some(if is_over { "no answer" } else { "waiting" }),
                _ => None,
            };
            let step = if call.kind.is_local() { "waiting" } else { "tool" };
            let bar = timing.and_then(|timing| call_bar(timing, call, is_over));
            WaterfallRow { label: &call.name, step, bar, seq: source.seq, problem }
        }
        timeline::RowKind::Note { entry } => {
            note = describe(&turn.entries.get(entry)?.as_note()?.kind).1;
            let at_ms = timing.and_then(|timing| timing.time_of(source.seq));
            let bar = at_ms.map(|at_ms| Bar { start_ms: at_ms, end_ms: at_ms, ..Bar::default() });
            WaterfallRow { label: &note, step: "guard", bar, seq: source.seq, problem: None }
        }
        _ => return None,
    };
    let html = render::waterfall_row(content, timing, context.links);
    Some(row(format!("w{}", source.key), source.seq, source.depth, "waterfall-row", html))
}

/// The turn with its calls, as long as in the other densities.
fn turn_bar(timing: &Timing, turn: &Turn, is_over: bool) -> Option<Bar> {
    let times = timing.turns.get(turn.index)?;
    let is_open = times.message_ms.is_none() && !is_over;
    let end_ms = is_open.then_some(timing.end_ms).or(times.end_ms).or(times.message_ms)?;
    let TurnTiming { first_token_ms, message_ms, .. } = *times;
    Some(Bar { start_ms: times.start_ms?, end_ms, first_token_ms, message_ms, is_open })
}

fn call_bar(timing: &Timing, call: &ToolCall, is_over: bool) -> Option<Bar> {
    let span = timing.call(call)?;
    let is_open = call.answer.is_none() && !is_over;
    let end_ms = match span.duration_ms {
        Some(ms) => span.start_ms.saturating_add_unsigned(ms),
        None if call.answer.is_none() => timing.end_ms,
        None => return None,
    };
    Some(Bar { start_ms: span.start_ms, end_ms, is_open, ..Bar::default() })
}

fn row(key: String, seq: u64, depth: u8, class: &str, html: String) -> Row {
    let kind = RowKind::Html { class: class.to_owned(), tone: None, html };
    Row { key, seq, anchor: None, depth, hit: false, kind }
}
