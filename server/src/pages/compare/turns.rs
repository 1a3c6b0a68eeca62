//! The turns of two runs, paired.

use app::format::duration;
use app::model::compare::{ComparedCall, ComparedTurn, Excerpt, TurnGroup, TurnLines};
use protocol::json::preview;
use protocol::timeline::{Alignment, CallPair, Span, Timeline, Timing, ToolCall, Turn, TurnPair, same_batch};

use super::excerpt::excerpts;

/// Turns shown.
const MAX_TURNS: usize = 60;
/// Of these, the ones before the first difference.
const TURNS_BEFORE: usize = 10;
const TEXT_CHARS: usize = 600;
const CALL_CHARS: usize = 240;
/// Compared characters of a payload.
const PAYLOAD_CHARS: usize = 20_000;

/// A run with its times, if these are known.
#[derive(Clone, Copy)]
pub struct TimedRun<'a> {
    pub timeline: &'a Timeline,
    pub timing: Option<&'a Timing>,
}

/// The turns around the first difference, and the number of turns before and after them.
pub fn around_first_difference(
    alignment: &Alignment,
    left: TimedRun<'_>,
    right: TimedRun<'_>,
) -> (usize, Vec<TurnGroup>, usize) {
    let differs_at = alignment.divergence.as_ref().map(|divergence| divergence.turn);
    let count = alignment.turns.len();
    let before = match differs_at {
        Some(at) if count > MAX_TURNS => at.saturating_sub(TURNS_BEFORE).min(count - MAX_TURNS),
        _ => 0,
    };
    let mut groups: Vec<TurnGroup> = Vec::new();
    let end = (before + MAX_TURNS).min(count);
    for index in before..end {
        let pair = &alignment.turns[index];
        let (one, other) = (turn(left.timeline, pair.left), turn(right.timeline, pair.right));
        let is_first_difference = !pair.same && differs_at == Some(index);
        let (left_lines, right_lines) = sides((one, left.timing), (other, right.timing), pair);
        let compared = ComparedTurn { same: pair.same, is_first_difference, left: left_lines, right: right_lines };
        let repeats_last = index > before && !is_first_difference && {
            let last = &alignment.turns[index - 1];
            last.same == pair.same
                && is_repeat(turn(left.timeline, last.left), one)
                && is_repeat(turn(right.timeline, last.right), other)
        };
        match groups.last_mut().filter(|_| repeats_last) {
            Some(group) => group.repeats.push(compared),
            None => groups.push(TurnGroup { first: compared, repeats: Vec::new() }),
        }
    }
    (before, groups, count - end)
}

fn turn(timeline: &Timeline, index: Option<usize>) -> Option<&Turn> {
    timeline.turns.get(index?).map(AsRef::as_ref)
}

/// Returns true if a side makes the calls of its turn before again, or has neither turn.
fn is_repeat(before: Option<&Turn>, after: Option<&Turn>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => before.calls().next().is_some() && same_batch(before, after),
        (before, after) => before.is_none() && after.is_none(),
    }
}

/// A turn of one side, with the times of its run.
type Side<'a> = (Option<&'a Turn>, Option<&'a Timing>);

fn sides(left: Side<'_>, right: Side<'_>, pair: &TurnPair) -> (Option<TurnLines>, Option<TurnLines>) {
    let ((left, left_timing), (right, right_timing)) = (left, right);
    let texts = excerpts(left.map(|turn| turn.text.as_str()), right.map(|turn| turn.text.as_str()), TEXT_CHARS);
    let (mut calls, mut others) = (Vec::new(), Vec::new());
    for compared in &pair.calls {
        let (made, made_right) = (call(left, compared.left), call(right, compared.right));
        let (mut one, mut other) = compared_calls(made, made_right, compared);
        for (shown, call, timing) in [(&mut one, made, left_timing), (&mut other, made_right, right_timing)] {
            if let Some(shown) = shown {
                shown.took = took(call.and_then(|call| timing?.call(call)));
            }
        }
        calls.extend(one);
        others.extend(other);
    }
    let lines = |turn: &Turn, timing: Option<&Timing>, text: Option<Excerpt>, calls| TurnLines {
        number: turn.index + 1,
        seq: turn.anchor_seq(),
        text: text.unwrap_or_default(),
        calls,
        took: took(timing.and_then(|timing| timing.turn(turn.index))),
    };
    (
        left.map(|turn| lines(turn, left_timing, texts.0, calls)),
        right.map(|turn| lines(turn, right_timing, texts.1, others)),
    )
}

fn took(span: Option<Span>) -> Option<String> {
    span?.duration_ms.map(duration)
}

fn call(turn: Option<&Turn>, entry: Option<usize>) -> Option<&ToolCall> {
    turn?.entries.get(entry?)?.as_call()
}

fn compared_calls(
    left: Option<&ToolCall>,
    right: Option<&ToolCall>,
    pair: &CallPair,
) -> (Option<ComparedCall>, Option<ComparedCall>) {
    let texts = |text: fn(&ToolCall) -> String| {
        let (one, other) = (left.map(text), right.map(text));
        excerpts(one.as_deref(), other.as_deref(), CALL_CHARS)
    };
    let (calls, answers) = (texts(call_text), texts(answer_text));
    let compared = |call: Option<Excerpt>, answer: Option<Excerpt>| {
        let (same_call, same_answer) = (pair.same_call, pair.same_answer);
        Some(ComparedCall { call: call?, answer: answer?, same_call, same_answer, took: None })
    };
    (compared(calls.0, answers.0), compared(calls.1, answers.1))
}

fn call_text(call: &ToolCall) -> String {
    format!("{}({})", call.name, preview(&call.input.to_string(), PAYLOAD_CHARS))
}

fn answer_text(call: &ToolCall) -> String {
    match &call.answer {
        None => "no answer".to_owned(),
        Some(answer) if answer.ok => format!("→ {}", preview(&answer.text(), PAYLOAD_CHARS)),
        Some(answer) => format!("→ error: {}", preview(&answer.text(), PAYLOAD_CHARS)),
    }
}
