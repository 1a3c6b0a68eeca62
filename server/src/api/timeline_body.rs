//! The timeline of a run as JSON, with the times of turns and calls. Serialised piece by piece, because it can be large.

use protocol::messages::Tokens;
use protocol::timeline::{
    Banner, Entry, Integrity, Note, Outcome, Plan, Sentence, Span, Timing, ToolCall, Totals, Turn,
};
use protocol::{RunStatus, Timeline};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};

use super::log::Window;
use crate::masking::Patterns;

#[derive(Serialize)]
pub struct TimelineBody<'a> {
    status: RunStatus,
    verdict: Redacted<'a, &'a [Sentence]>,
    banners: Redacted<'a, &'a [Banner]>,
    turns: Turns<'a>,
    plan: RedactedWhole<'a, Option<&'a Plan>>,
    totals: Redacted<'a, Totals>,
    outcome: RedactedWhole<'a, Option<&'a Outcome>>,
    integrity: &'a Integrity,
}

impl<'a> TimelineBody<'a> {
    pub fn new(
        timeline: &'a Timeline,
        timing: Option<&'a Timing>,
        verdict: &'a [Sentence],
        banners: &'a [Banner],
        patterns: &'a Patterns,
    ) -> Self {
        Self {
            status: timeline.status(),
            verdict: Redacted(verdict, patterns),
            banners: Redacted(banners, patterns),
            turns: Turns { timeline, timing, patterns, window: Window::default() },
            plan: RedactedWhole(timeline.plan.as_deref(), patterns),
            totals: Redacted(timeline.made_totals(), patterns),
            outcome: RedactedWhole(timeline.outcome.as_deref(), patterns),
            integrity: &timeline.integrity,
        }
    }

    /// With only the turns of the window; everything else is about the whole run.
    pub fn within(mut self, window: Window) -> Self {
        self.turns.window = window;
        self
    }
}

/// A part that is redacted when it is serialised.
struct Redacted<'a, T>(T, &'a Patterns);

impl<T: Serialize> Serialize for Redacted<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(part, patterns) = self;
        if patterns.is_empty() {
            return part.serialize(serializer);
        }
        let mut part = serde_json::to_value(part).map_err(S::Error::custom)?;
        patterns.redact_document(&mut part);
        part.serialize(serializer)
    }
}

/// A part that is redacted with the ids and words in it, which models and tools chose.
struct RedactedWhole<'a, T>(T, &'a Patterns);

impl<T: Serialize> Serialize for RedactedWhole<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(part, patterns) = self;
        if patterns.is_empty() {
            return part.serialize(serializer);
        }
        let mut part = serde_json::to_value(part).map_err(S::Error::custom)?;
        patterns.redact_document(&mut part);
        patterns.redact_texts(&mut part);
        part.serialize(serializer)
    }
}

/// The turns, serialised one by one.
struct Turns<'a> {
    timeline: &'a Timeline,
    timing: Option<&'a Timing>,
    patterns: &'a Patterns,
    window: Window,
}

impl Serialize for Turns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let turns = self.timeline.turns.iter().filter(|turn| turn.last_seq >= self.window.from_seq);
        let turns = turns.take(self.window.limit.unwrap_or(usize::MAX));
        serializer.collect_seq(turns.map(|turn| RedactedWhole(TurnBody::new(turn, self.timing), self.patterns)))
    }
}

/// A turn and its calls, with their times where these are known. The fields of [`Turn`]: a flattened one would contain its
/// entries without times.
#[derive(Serialize)]
struct TurnBody<'a> {
    index: usize,
    first_seq: u64,
    last_seq: u64,
    thinking: &'a str,
    thinking_seq: Option<u64>,
    text: &'a str,
    text_seq: Option<u64>,
    message_seq: Option<u64>,
    finish_reason: Option<&'a str>,
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<Tokens>,
    aborted: bool,
    repeats: usize,
    skipped: bool,
    entries: Vec<EntryBody<'a>>,
    #[serde(flatten)]
    times: Option<Times>,
}

impl<'a> TurnBody<'a> {
    fn new(turn: &'a Turn, timing: Option<&Timing>) -> Self {
        Self {
            index: turn.index,
            first_seq: turn.first_seq,
            last_seq: turn.last_seq,
            thinking: &turn.thinking,
            thinking_seq: turn.thinking_seq,
            text: &turn.text,
            text_seq: turn.text_seq,
            message_seq: turn.message_seq,
            finish_reason: turn.finish_reason.as_deref(),
            model: turn.model.as_deref(),
            tokens: turn.tokens,
            aborted: turn.aborted,
            repeats: turn.repeats,
            skipped: turn.skipped,
            entries: turn.entries.iter().map(|entry| EntryBody::new(entry, timing)).collect(),
            times: Times::of(timing, |timing| timing.turn(turn.index)),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum EntryBody<'a> {
    Call(CallBody<'a>),
    Note(&'a Note),
}

impl<'a> EntryBody<'a> {
    fn new(entry: &'a Entry, timing: Option<&Timing>) -> Self {
        match entry {
            Entry::Call(call) => Self::Call(CallBody { call, times: Times::of(timing, |timing| timing.call(call)) }),
            Entry::Note(note) => Self::Note(note),
        }
    }
}

#[derive(Serialize)]
struct CallBody<'a> {
    #[serde(flatten)]
    call: &'a ToolCall,
    #[serde(flatten)]
    times: Option<Times>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Times {
    started_at_ms: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    observed: bool,
}

impl Times {
    fn of(timing: Option<&Timing>, span: impl Fn(&Timing) -> Option<Span>) -> Option<Self> {
        let timing = timing?;
        let Span { start_ms, duration_ms } = span(timing)?;
        Some(Self { started_at_ms: start_ms, duration_ms, observed: timing.observed })
    }
}

#[cfg(test)]
mod tests {
    use protocol::Event;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_turn_has_the_fields_of_the_timeline() {
        let called = json!({ "toolUseId": "a", "name": "search", "input": { "q": 1 } });
        let usage = json!({ "text": "Hi", "turn": 0, "finishReason": "max_tokens", "usage": { "inputTokens": 3, "outputTokens": 4 } });
        let events = [
            Event::new(1, "thinking_delta", json!({ "text": "Hm" })),
            Event::new(2, "tool_call", called),
            Event::new(3, "tool_result", json!({ "toolUseId": "a", "name": "search", "result": "{}" })),
            Event::new(4, "loop_detected", json!({ "consecutiveCount": 3, "hardCutoff": false, "tools": ["search"] })),
            Event::new(5, "assistant_message", usage),
        ];
        let timeline = Timeline::from_events(&events);
        assert!(!timeline.turns.is_empty() && timeline.turns.iter().any(|turn| turn.entries.len() > 1));
        for turn in &timeline.turns {
            assert_eq!(json!(TurnBody::new(turn, None)), json!(turn));
        }
    }
}
