//! The one reading of a run's log.
//!
//! ```text
//!            thinking_delta*  assistant_delta*   assistant_message   tool_call … tool_result   loop_detected
//!            └──────────── one turn ─────────────────────┘           └── calls ──┘             └ note ┘
//!  Timeline  [ turn 0 ][ turn 1 ][ turn 2 ] … outcome (result | error | cancelled)
//! ```
//!
//! [`Timeline::apply`] takes one event at a time. Applying a prefix and then the rest equals applying all; an event
//! that was applied before is ignored; gaps, unknown types, malformed payloads and events after the end are recorded
//! and shown, never fatal. Deltas are joined, so its size grows with turns and calls, not with tokens.

mod banners;
mod call;
mod integrity;
mod outcome;
mod turn;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use banners::{Banner, BannerKind, Severity};
pub use call::{CallAnswer, CallKind, ToolCall};
pub use integrity::Integrity;
pub use outcome::{Ending, Outcome};
pub use turn::{Entry, Note, NoteKind, Turn};

use crate::RunStatus;
use crate::event::{Call, CallResult, Event, Payload};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    pub turns: Vec<Turn>,
    pub outcome: Option<Outcome>,
    pub integrity: Integrity,
    /// Calls that nobody has answered yet, by id, as (turn, entry).
    open_calls: BTreeMap<String, (usize, usize)>,
    /// The current turn's message has not come yet: deltas still belong to it.
    turn_open: bool,
}

impl Timeline {
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut timeline = Self::default();
        for event in events {
            timeline.apply(event);
        }
        timeline
    }

    /// Folds one event in. `false` where the event was applied before.
    pub fn apply(&mut self, event: &Event) -> bool {
        if !self.integrity.admit(event.seq) {
            return false;
        }
        if self.outcome.is_some() {
            self.integrity.after_end += 1;
            self.note(event.seq, NoteKind::AfterEnd { event: event.kind.clone() });
            return true;
        }
        match event.payload() {
            Ok(payload) => self.fold(event, payload),
            Err(malformed) => {
                self.integrity.malformed += 1;
                let reason = malformed.to_string();
                self.note(event.seq, NoteKind::Malformed { event: event.kind.clone(), reason });
            }
        }
        true
    }

    /// The highest seq applied: where a stream goes on from.
    pub fn last_seq(&self) -> u64 {
        self.integrity.last_seq
    }

    /// The status that the log tells. A run without an end is running, as far as its log knows.
    pub fn status(&self) -> RunStatus {
        match self.outcome.as_ref().map(|outcome| outcome.ending) {
            Some(Ending::Succeeded) => RunStatus::Succeeded,
            Some(Ending::Failed) => RunStatus::Failed,
            Some(Ending::Cancelled) => RunStatus::Cancelled,
            None => RunStatus::Running,
        }
    }

    /// What a reader must know first, most severe first.
    pub fn banners(&self) -> Vec<Banner> {
        banners::all(self)
    }

    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.turns.iter().flat_map(|turn| turn.calls())
    }

    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.turns.iter().flat_map(|turn| turn.notes())
    }

    /// Calls for which somebody outside owes an answer.
    pub fn waiting_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.open_calls
            .values()
            .filter_map(|&(turn, entry)| match self.turns.get(turn)?.entries.get(entry)? {
                Entry::Call(call) => Some(call),
                Entry::Note(_) => None,
            })
            .filter(|call| call.kind.is_local())
    }

    /// The answer: the final text, or what was salvaged of it, or what has been written so far.
    pub fn answer(&self) -> &str {
        match &self.outcome {
            Some(outcome) if !outcome.text.is_empty() => &outcome.text,
            _ => self.turns.last().map_or("", |turn| &turn.text),
        }
    }

    fn fold(&mut self, event: &Event, payload: Payload<'_>) {
        let seq = event.seq;
        match payload {
            Payload::Started => {}
            Payload::AssistantDelta { text } => self.open_turn(seq).text.push_str(text),
            Payload::ThinkingDelta { text } => self.open_turn(seq).thinking.push_str(text),
            Payload::AssistantMessage { text, finish_reason, tool_calls, model } => {
                let turn = self.open_turn(seq);
                turn.text = text.to_owned();
                turn.message_seq = Some(seq);
                turn.finish_reason = finish_reason.map(Into::into);
                turn.model = model.and_then(outcome::model_name);
                for call in tool_calls {
                    self.add_call(seq, &call, CallKind::Server);
                }
                self.turn_open = false;
            }
            Payload::ToolCall(call) => {
                self.call_made(seq, &call, CallKind::Server);
            }
            Payload::LocalToolCall { call, kind, mcp_server, agent_card } => {
                let kind = CallKind::local(kind, mcp_server, agent_card);
                self.call_made(seq, &call, kind);
            }
            Payload::ToolResult { id, name, result } => self.answer_call(seq, id, name, result),
            Payload::LocalToolResult { id, result } => self.answer_call(seq, Some(id), None, result),
            Payload::ToolFiles { name, files } => {
                let names = files.iter().map(|file| file["filename"].as_str().unwrap_or("file").to_owned()).collect();
                self.note(seq, NoteKind::Files { tool: name.unwrap_or("").to_owned(), names });
            }
            Payload::LoopDetected { consecutive_count, hard_cutoff, tools } => {
                let tools = tools.into_iter().map(Into::into).collect();
                self.note(seq, NoteKind::LoopDetected { consecutive_count, hard_cutoff, tools });
            }
            Payload::ToolBudgetExceeded { tool, max_calls, call_index } => {
                self.note(seq, NoteKind::BudgetExceeded { tool: tool.into(), max_calls, call_index });
            }
            Payload::Supervisor { action, reason, redirect } => {
                let (action, reason) = (action.to_owned(), reason.to_owned());
                self.note(seq, NoteKind::Supervisor { action, reason, redirect: redirect.map(Into::into) });
            }
            Payload::TaskPlan { data } => {
                self.note(seq, NoteKind::Plan { steps: plan_steps(data) });
            }
            Payload::ModelFallback { error_class, primary, fallback } => {
                let (primary, fallback) = (primary.map(Into::into), fallback.map(Into::into));
                self.note(seq, NoteKind::ModelFallback { error_class: error_class.into(), primary, fallback });
            }
            Payload::Message { role, text } => {
                self.note(seq, NoteKind::Message { role: role.into(), text: text.into() });
            }
            Payload::Result { .. } | Payload::Error { .. } | Payload::Cancelled { .. } => {
                self.outcome = outcome::read(event, &payload);
                self.turn_open = false;
            }
            Payload::Unknown => {
                self.integrity.unknown += 1;
                self.note(seq, NoteKind::Unknown { event: event.kind.clone() });
            }
        }
    }

    /// The turn that is being written, or a new one after a completed message.
    fn open_turn(&mut self, seq: u64) -> &mut Turn {
        if !self.turn_open {
            self.turns.push(Turn::new(self.turns.len(), seq));
            self.turn_open = true;
        }
        self.last_turn(seq)
    }

    /// The newest turn, whether its message has come or not: calls, results and notes belong to it.
    fn last_turn(&mut self, seq: u64) -> &mut Turn {
        if self.turns.is_empty() {
            self.turns.push(Turn::new(0, seq));
            self.turn_open = true;
        }
        let last = self.turns.len() - 1;
        let turn = &mut self.turns[last];
        turn.last_seq = turn.last_seq.max(seq);
        turn
    }

    fn note(&mut self, seq: u64, kind: NoteKind) {
        self.last_turn(seq).entries.push(Entry::Note(Note { seq, kind }));
    }

    fn add_call(&mut self, seq: u64, call: &Call<'_>, kind: CallKind) -> (usize, usize) {
        let turn = self.last_turn(seq);
        turn.entries.push(Entry::Call(ToolCall::new(seq, call, kind)));
        let place = (turn.index, turn.entries.len() - 1);
        let id = call.id.map_or_else(|| format!("#{}.{}", place.0, place.1), Into::into);
        self.open_calls.insert(id, place);
        place
    }

    /// A call is under way: the one announced by the turn's message, or one that nobody announced.
    fn call_made(&mut self, seq: u64, call: &Call<'_>, kind: CallKind) {
        let announced = self.find_open(call.id, |open| open.name == call.name && !open.made);
        let place = announced.unwrap_or_else(|| self.add_call(seq, call, kind.clone()));
        self.last_turn(seq);
        if let Some(known) = self.call_at(place) {
            (known.kind, known.seq, known.made) = (kind, seq, true);
        }
    }

    fn answer_call(&mut self, seq: u64, id: Option<&str>, name: Option<&str>, result: CallResult<'_>) {
        self.last_turn(seq);
        let answer = CallAnswer { seq, ok: result.ok, body: result.body.clone() };
        let Some(place) = self.find_open(id, |open| Some(open.name.as_str()) == name) else {
            self.integrity.orphan_results += 1;
            let name = name.or(id).unwrap_or("unknown");
            let mut call = ToolCall::new(seq, &Call { id, name, input: &Value::Null }, CallKind::Server);
            call.answer = Some(answer);
            self.last_turn(seq).entries.push(Entry::Call(call));
            return;
        };
        self.open_calls.retain(|_, open| *open != place);
        if let Some(call) = self.call_at(place) {
            call.answer = Some(answer);
        }
    }

    /// An unanswered call by its id or, where there is none, the first that fits.
    fn find_open(&self, id: Option<&str>, fits: impl Fn(&ToolCall) -> bool) -> Option<(usize, usize)> {
        if let Some(id) = id {
            return self.open_calls.get(id).copied();
        }
        let fits =
            |place: &&(usize, usize)| matches!(&self.turns[place.0].entries[place.1], Entry::Call(call) if fits(call));
        self.open_calls.values().filter(fits).min().copied()
    }

    fn call_at(&mut self, (turn, entry): (usize, usize)) -> Option<&mut ToolCall> {
        match self.turns.get_mut(turn)?.entries.get_mut(entry)? {
            Entry::Call(call) => Some(call),
            Entry::Note(_) => None,
        }
    }
}

fn plan_steps(data: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let steps = data["steps"].as_array().or(data["plan"]["steps"].as_array());
    steps.into_iter().flatten().map(|step| (text(&step["title"]), text(&step["status"]))).collect()
}

#[cfg(test)]
mod tests;
