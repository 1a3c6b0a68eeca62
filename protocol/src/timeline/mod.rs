//! The one reading of a run's log.
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
//! [`Timeline::apply`] takes one event at a time, in the order in which they came. What holds for every log, however
//! broken:
//!
//! - Applying a prefix and then the rest equals applying all, also when the timeline was sent as JSON in between.
//! - An event that was applied before is ignored.
//! - Gaps, unknown types, malformed payloads and events after the end are recorded and shown, never fatal.
//! - Deltas are joined: its size grows with turns and calls, not with tokens. Folding takes O(n log n).
//! - A copy shares its turns with the original, so that a [`Replay`] can keep many.
//!
//! ```
//! # use protocol::{Event, RunStatus, Timeline, timeline::{Replay, RowOptions, Rows, minimap, verdict}};
//! # let events = vec![Event::new(1, "result", serde_json::json!({ "text": "Hi." }))];
//! # let spec = serde_json::json!({ "prompt": "Say hi." });
//! let mut timeline = Timeline::from_events(&events);
//! timeline.set_known_end(RunStatus::Succeeded); // what the run's snapshot says: a log without an end is told
//! let banners = timeline.banners_for(&spec); // most severe first, each with facts and a next step
//! let sentences = verdict(&timeline, Some(&spec)); // each with the seqs that it rests on
//! let options = RowOptions::default();
//! let first_rows = Rows::new(&timeline, &options).window(0..50);
//! let ticks = minimap(&timeline, 600);
//! let before_the_end = Replay::new(events).at(0);
//! # assert_eq!((banners.len(), sentences.len(), first_rows.len(), ticks.len()), (0, 2, 1, 1));
//! # assert_eq!(before_the_end, Timeline::default());
//! ```
//!
//! How the events become turns (`fold.rs`): deltas open a turn and are joined until its `assistant_message`, which is
//! canonical and closes it. Calls, results and notes belong to the newest turn. A call is announced by the message,
//! logged as `tool_call` or `local_tool_call`, or both (`calls.rs`); `pairing.rs` finds which of them and which result
//! belong together. When a turn ends, `batch.rs` compares its calls with those of the turn before that called tools.

mod align;
mod banners;
mod batch;
mod call;
mod calls;
mod changes;
mod event_runs;
mod failure;
mod fold;
mod integrity;
mod minimap;
mod note;
mod outcome;
mod pairing;
mod plan;
mod replay;
mod rows;
mod shared;
mod totals;
mod turn;
mod verdict;
mod words;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use align::{Alignment, CallPair, Diverged, Divergence, TurnPair, align};
pub use banners::{Banner, BannerKind, Facts, NextStep, Severity, SpecChange};
pub use batch::{Repetition, same_batch};
pub use call::{CallAnswer, CallKind, ToolCall, ToolFile};
pub use changes::{BatchChange, Change, batch_changes, changes};
pub use event_runs::EventRun;
pub use integrity::Integrity;
pub use minimap::{Tick, TickKind, minimap};
pub use note::{Note, NoteKind};
pub use outcome::{Ending, Outcome, SchemaReport};
pub use plan::{Moment, Plan, PlanStep};
pub use replay::Replay;
pub use rows::{Density, Row, RowKind, RowOptions, RowQuery, Rows, rows};
pub use shared::Chunked;
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
    /// Every event by its type and seq, deltas in a row as one.
    pub events: Chunked<EventRun>,
    /// What the run is known to have come to, though its log does not tell.
    known_end: Option<RunStatus>,
    /// The log is from a file, and nobody will bring the rest.
    #[serde(default)]
    cut_off: bool,
    /// The current turn's message has not come yet: deltas still belong to it.
    turn_open: bool,
    /// The newest turn before the current one that called tools.
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

    /// Says that the run is over, as its snapshot tells. Where the log has no end by then, it is incomplete: that gets
    /// a banner, and nobody is waited for any more. The log's own end, when it comes, stands above this.
    pub fn set_known_end(&mut self, status: RunStatus) {
        self.known_end = Some(status).filter(|status| status.is_terminal());
    }

    /// Says that the log is all that a file had. Where it has no end, the run counts as failed, since nothing more will
    /// come of it here; but what became of it is not known, and a call that nobody had answered may still be waiting.
    pub fn set_cut_off(&mut self) {
        self.known_end = Some(RunStatus::Failed);
        self.cut_off = true;
    }

    fn is_cut_off(&self) -> bool {
        self.cut_off && self.outcome.is_none()
    }

    /// Nothing more will come, but the log stops before the end.
    pub fn lacks_end(&self) -> bool {
        self.outcome.is_none() && self.known_end.is_some()
    }

    /// The highest seq applied: where a stream goes on from.
    pub fn last_seq(&self) -> u64 {
        self.integrity.last_seq
    }

    /// The status that the log tells, or else the known end. A run without either is running, as far as is known.
    pub fn status(&self) -> RunStatus {
        match self.outcome.as_ref().map(|outcome| outcome.ending) {
            Some(Ending::Succeeded) => RunStatus::Succeeded,
            Some(Ending::Failed) => RunStatus::Failed,
            Some(Ending::Cancelled) => RunStatus::Cancelled,
            None => self.known_end.unwrap_or(RunStatus::Running),
        }
    }

    /// What a reader must know first, most severe first.
    pub fn banners(&self) -> Vec<Banner> {
        banners::all(self, None)
    }

    /// The same, with the limits of the spec that the run was launched with.
    pub fn banners_for(&self, spec: &Value) -> Vec<Banner> {
        banners::all(self, Some(spec))
    }

    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.turns.iter().flat_map(|turn| turn.calls())
    }

    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.turns.iter().flat_map(|turn| turn.notes())
    }

    /// Turns in a row that made the same calls, as observed here. The server's own reports are notes.
    pub fn repetitions(&self) -> Vec<Repetition> {
        batch::repetitions(&self.turns)
    }

    /// Calls for which somebody outside owes an answer, or owed it when the run ended.
    pub fn waiting_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls().filter(|call| call.is_owed_an_answer())
    }

    /// The event with which the model declined to answer, if that is how the run ended.
    pub fn refusal_seq(&self) -> Option<u64> {
        let outcome = self.outcome.as_ref().filter(|outcome| outcome.ending != Ending::Cancelled)?;
        match self.last_message() {
            Some(turn) if turn.finish_reason.as_deref() == Some("refusal") => turn.message_seq,
            _ => (outcome.finish_reason.as_deref() == Some("refusal")).then_some(outcome.seq),
        }
    }

    /// The event that shows that the output limit ended the run's answer: the error or, where the server reports
    /// success all the same, the last message.
    pub fn truncation_seq(&self) -> Option<u64> {
        let outcome = self.outcome.as_ref()?;
        match outcome.ending {
            Ending::Failed => (outcome.error_class.as_deref() == Some("truncation")).then_some(outcome.seq),
            Ending::Succeeded => self.last_message().filter(|turn| turn.hit_output_limit())?.message_seq,
            Ending::Cancelled => None,
        }
    }

    /// The newest turn whose message is in the log.
    fn last_message(&self) -> Option<&Turn> {
        self.turns.iter().rev().map(|turn| turn.as_ref()).find(|turn| turn.message_seq.is_some())
    }

    /// The answer: the final text, or what was salvaged of it, or what has been written so far.
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
