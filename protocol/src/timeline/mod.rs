//! The reducer: turns the log of a run into a [`Timeline`], and the timeline into what pages show.
//!
//! ```text
//!   events   thinking_delta*  assistant_delta*   assistant_message   tool_call … tool_result   loop_detected
//!            └──────────────── one turn ─────────────────┘           └── its calls ──┘         └ a note ┘
//!                                   │
//!                       Timeline::apply, one at a time
//!                                   ▼
//!   Timeline { turns: [ Turn { thinking, text, entries: [ call+answer, note, … ] }, … ],
//!              plan, totals, integrity, outcome: result | error | cancelled }
//!                                   │
//!      ┌────────────┬───────────────┼───────────────┬──────────────┐
//!   banners()   verdict(spec)    rows(options)   minimap(n)   Replay::at(position)
//! ```
//!
//! [`Timeline::apply`] takes one event at a time, in the order in which they came. For every log, however broken:
//!
//! - Applying a prefix and then the rest equals applying all, also if the timeline is serialized in between.
//! - An event that was applied before is ignored.
//! - Gaps, unknown types, malformed payloads and events after the end are recorded and shown, never fatal.
//! - Deltas are joined: the size of a timeline grows with turns and calls, not with tokens. Applying n events takes
//!   O(n log n).
//! - A clone shares its turns with the original, so that a [`Replay`] can keep many.
//!
//! ```
//! # use protocol::{Event, RunStatus, Timeline, timeline::{Replay, RowOptions, Rows, minimap, verdict}};
//! # let events = vec![Event::new(1, "result", serde_json::json!({ "text": "Hi." }))];
//! # let spec = serde_json::json!({ "prompt": "Say hi." });
//! let mut timeline = Timeline::from_events(&events);
//! timeline.set_known_end(RunStatus::Succeeded); // from the run's snapshot: shows that a log has no end
//! let banners = timeline.banners_for(&spec); // most severe first, each with facts and a next step
//! let sentences = verdict(&timeline, Some(&spec)); // each with the seqs of its evidence
//! let options = RowOptions::default();
//! let first_rows = Rows::new(&timeline, &[], &options).window(0..50);
//! let ticks = minimap(&timeline, 600);
//! let before_the_end = Replay::new(events).at(0);
//! # assert_eq!((banners.len(), sentences.len(), first_rows.len(), ticks.len()), (0, 2, 1, 1));
//! # assert_eq!(before_the_end, Timeline::default());
//! ```
//!
//! Turns (`fold.rs`): deltas open a turn and are joined until its `assistant_message`, which is canonical and closes it.
//! Calls, results and notes belong to the newest turn. A call is announced by the message, logged as `tool_call` or
//! `local_tool_call`, or both (`calls.rs`); `pairing.rs` finds the call of each result. When a turn ends, `batch.rs`
//! compares its calls with those of the previous turn that called tools.

mod align;
mod append_only;
mod banners;
mod batch;
mod call;
mod calls;
mod changes;
mod event_groups;
mod failure;
mod fold;
mod format;
mod integrity;
mod minimap;
mod note;
mod outcome;
mod pairing;
mod plan;
mod reason;
mod replay;
mod reported_failure;
mod rows;
mod signature;
mod timing;
mod totals;
mod turn;
mod verdict;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use align::{Alignment, CallPair, Divergence, DivergenceKind, TurnPair, align};
pub use append_only::Chunked;
pub use banners::{Banner, BannerKind, Facts, NextStep, Severity, SpecChange};
pub use batch::{Repetition, same_batch};
pub use call::{CallAnswer, CallKind, ToolCall, ToolFile};
pub use changes::{BatchChange, Change, batch_changes, changes};
pub use event_groups::EventGroup;
pub use integrity::Integrity;
pub use minimap::{Tick, TickKind, minimap};
pub use note::{Note, NoteKind};
pub use outcome::{Ending, Outcome, SchemaReport};
pub use plan::{Moment, Plan, PlanChanges, PlanStep};
pub use reason::{first_line, reason};
pub use replay::Replay;
pub use rows::{Density, Row, RowKind, RowOptions, RowQuery, Rows};
pub use signature::{FailureSignature, failure_signature, failure_signature_without_log};
pub use timing::{Share, Span, Step, Stretch, Timing, TurnTiming};
pub use totals::{ToolTotals, Totals};
pub use turn::{Entry, Turn};
pub use verdict::{Sentence, verdict};

use crate::RunStatus;
use crate::event::Event;
use pairing::Pairing;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    pub turns: Vec<Arc<Turn>>,
    pub outcome: Option<Arc<Outcome>>,
    /// The newest revision of the newest plan.
    pub plan: Option<Arc<Plan>>,
    pub totals: Totals,
    pub integrity: Integrity,
    /// Every event with its type and seq. Deltas in a row are one group.
    pub events: Chunked<EventGroup>,
    /// The status from outside the log, for a log without an end.
    known_end: Option<RunStatus>,
    /// The log is from a file, so no more events will come.
    #[serde(default)]
    cut_off: bool,
    /// The current turn has no message yet: deltas still belong to it.
    turn_open: bool,
    /// The last turn before the current one that called tools.
    last_batch: Option<usize>,
    #[serde(skip)]
    pairing: Pairing,
}

impl Timeline {
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut timeline = Self::default();
        for event in events {
            timeline.apply(event);
        }
        timeline
    }

    /// Sets the status of an ended run, from its snapshot. A log without an end is then incomplete: it gets a banner, and
    /// no call is waiting any more. The end in the log, once it comes, has priority.
    pub fn set_known_end(&mut self, status: RunStatus) {
        self.known_end = Some(status).filter(|status| status.is_terminal());
    }

    /// Marks the log as read from a file. If it has no end, the run counts as failed, since no more events will come; how
    /// the run ended is not known, and calls without an answer may still be waiting.
    pub fn set_cut_off(&mut self) {
        self.known_end = Some(RunStatus::Failed);
        self.cut_off = true;
    }

    fn is_cut_off(&self) -> bool {
        self.cut_off && self.outcome.is_none()
    }

    /// Returns whether the run has ended, but its log has no end.
    fn lacks_end(&self) -> bool {
        self.outcome.is_none() && self.known_end.is_some()
    }

    /// Estimates what a clone of the timeline does not share with it.
    pub(super) fn copied_bytes(&self) -> usize {
        let open_turn = self
            .turns
            .last()
            .map_or(0, |turn| turn.text.len() + turn.thinking.len() + size_of_val(turn.entries.as_slice()));
        let lists = size_of_val(self.turns.as_slice()) + size_of_val(self.integrity.gaps.as_slice());
        open_turn + lists + self.events.copied_bytes()
    }

    /// Returns the highest seq applied: a stream continues from there.
    pub fn last_seq(&self) -> u64 {
        self.integrity.last_seq
    }

    /// Returns the status from the log, or else from the snapshot. Without either, the run counts as running.
    pub fn status(&self) -> RunStatus {
        match self.outcome.as_ref().map(|outcome| outcome.ending) {
            Some(Ending::Succeeded) => RunStatus::Succeeded,
            Some(Ending::Failed) => RunStatus::Failed,
            Some(Ending::Cancelled) => RunStatus::Cancelled,
            None => self.known_end.unwrap_or(RunStatus::Running),
        }
    }

    /// Returns the banners without a spec, most severe first.
    pub fn banners(&self) -> Vec<Banner> {
        banners::all(self, None)
    }

    /// Returns the banners with the limits of the spec that the run was launched with, most severe first.
    pub fn banners_for(&self, spec: &Value) -> Vec<Banner> {
        banners::all(self, Some(spec))
    }

    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.turns.iter().flat_map(|turn| turn.calls())
    }

    /// Returns the calls that the loop guard, a budget or the turn limit skipped.
    pub fn skipped_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.turns.iter().flat_map(|turn| turn.calls().filter(|call| turn.skips(call)))
    }

    /// Returns the number of calls without the skipped ones: the number of calls of the run, wherever it is shown.
    pub fn made_calls(&self) -> u64 {
        self.totals.calls.saturating_sub(self.skipped_calls().count() as u64)
    }

    /// Returns the totals without the skipped calls. Tools of which all calls were skipped stay listed.
    pub fn made_totals(&self) -> Totals {
        let mut totals = self.totals.clone();
        self.skipped_calls().for_each(|call| totals.skip(call));
        totals
    }

    /// Returns the number of turns of a repetition whose calls were skipped.
    pub fn skipped_turns(&self, repetition: &Repetition) -> usize {
        self.turns.iter().filter(|turn| turn.skipped && repetition.contains_turn(turn.index)).count()
    }

    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.turns.iter().flat_map(|turn| turn.notes())
    }

    /// Returns turns in a row that made the same calls. The reports of the server are notes.
    pub fn repetitions(&self) -> Vec<Repetition> {
        batch::repetitions(&self.turns)
    }

    /// Returns local calls without an answer, also those of an ended run.
    pub fn waiting_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls().filter(|call| call.awaits_answer())
    }

    /// Returns the event in which the model declined to answer, if the run ended so.
    fn refusal_seq(&self) -> Option<u64> {
        let outcome = self.outcome.as_ref().filter(|outcome| outcome.ending != Ending::Cancelled)?;
        match self.last_message() {
            Some(turn) if turn.finish_reason.as_deref() == Some("refusal") => turn.message_seq,
            _ => (outcome.finish_reason.as_deref() == Some("refusal")).then_some(outcome.seq),
        }
    }

    /// Returns the event that shows that the answer is truncated: the error or, if the server still reports success, the
    /// last message.
    pub fn truncation_seq(&self) -> Option<u64> {
        let outcome = self.outcome.as_ref()?;
        match outcome.ending {
            Ending::Failed => (outcome.error_class.as_deref() == Some("truncation")).then_some(outcome.seq),
            Ending::Succeeded => self.last_message().filter(|turn| turn.hit_output_limit())?.message_seq,
            Ending::Cancelled => None,
        }
    }

    /// Returns the last turn with a message.
    fn last_message(&self) -> Option<&Turn> {
        self.turns.iter().rev().map(|turn| turn.as_ref()).find(|turn| turn.message_seq.is_some())
    }

    /// Returns the final text, or the partial output, or the text so far.
    pub fn answer(&self) -> &str {
        match &self.outcome {
            Some(outcome) if !outcome.text.is_empty() => &outcome.text,
            _ => self.turns.last().map_or("", |turn| &turn.text),
        }
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
