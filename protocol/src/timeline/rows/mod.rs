//! The rows of a timeline, for a density, a set of open rows and a search.
//!
//! ```text
//!   Timeline + events + RowOptions ──Rows::new──▶ layout (a few bytes a row) ──window(a..b)──▶ rows to render
//!                                              └── hits: which rows to jump between
//! ```
//!
//! Rows refer to the timeline by turn and entry, and copy none of it. The events are only searched, by the rows of
//! single events. [`Rows::new`] takes time in proportion to turns and
//! entries (and to their texts, for a text search); a window costs only its own rows.
//!
//! ```
//! # use protocol::{Event, Timeline, timeline::{RowOptions, Rows}};
//! # let timeline = Timeline::from_events(&[Event::new(1, "assistant_delta", serde_json::json!({ "text": "Hi" }))]);
//! let options = RowOptions::default();
//! let rows = Rows::new(&timeline, &[], &options);
//! let visible = rows.window(0..40);
//! assert_eq!((rows.len(), visible.len()), (2, 2)); // the turn and its text
//! ```

mod layout;
mod notes;
mod query;

use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Timeline;
use crate::Event;
use layout::{Place, Slot};
pub use query::RowQuery;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowOptions {
    pub density: Density,
    /// Keys of rows that are open. Thinking, calls and repeats are closed by default.
    pub open: BTreeSet<String>,
    pub query: RowQuery,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// Messages, and the end of the run.
    Conversation,
    #[default]
    Normal,
    /// Turns, calls and reports of guards, each with its time.
    Waterfall,
    /// One row for each event; deltas in a row share one.
    EveryEvent,
}

impl Density {
    /// In the order in which pages offer them.
    pub const ALL: [Self; 4] = [Self::Conversation, Self::Normal, Self::Waterfall, Self::EveryEvent];
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Stays the same while the log grows.
    pub key: String,
    /// The event to link to.
    pub seq: u64,
    pub turn: usize,
    pub depth: u8,
    pub kind: RowKind,
    /// It matches the query. Without a query, every row does.
    pub hit: bool,
}

/// The content of a row. Indexes are into [`super::Turn::entries`] of the row's turn and into [`Timeline::events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum RowKind {
    Turn,
    Thinking {
        open: bool,
    },
    Text,
    Call {
        entry: usize,
        open: bool,
    },
    Note {
        entry: usize,
    },
    /// The row's turn and those after it up to `last_turn` made the same calls again. While it is closed, only notes and
    /// waiting calls of those turns follow.
    Repeats {
        times: usize,
        last_turn: usize,
        open: bool,
    },
    Outcome,
    Events {
        index: usize,
        open: bool,
    },
}

/// The layout of all rows.
pub struct Rows<'a> {
    timeline: &'a Timeline,
    options: &'a RowOptions,
    slots: Vec<Slot>,
    hits: Vec<usize>,
}

impl<'a> Rows<'a> {
    /// `events` are those of the timeline.
    pub fn new(timeline: &'a Timeline, events: &[Event], options: &'a RowOptions) -> Self {
        let slots = layout::slots(timeline, options);
        let hits = query::hits(timeline, events, &options.query, &slots);
        Self { timeline, options, slots, hits }
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the indexes of the rows that match the query, in order; none without a query.
    pub fn hits(&self) -> &[usize] {
        &self.hits
    }

    /// Returns the rows of a range, as far as they exist.
    pub fn window(&self, range: Range<usize>) -> Vec<Row> {
        let end = range.end.min(self.slots.len());
        (range.start.min(end)..end).filter_map(|place| self.row(place)).collect()
    }

    /// Removes rows.
    pub fn retain(&mut self, keep: impl Fn(&Row) -> bool) {
        let (mut slots, mut hits) = (Vec::new(), Vec::new());
        for (place, slot) in self.slots.iter().enumerate() {
            if self.row(place).is_some_and(|row| keep(&row)) {
                if self.hits.binary_search(&place).is_ok() {
                    hits.push(slots.len());
                }
                slots.push(*slot);
            }
        }
        (self.slots, self.hits) = (slots, hits);
    }

    /// Returns the index of the row to scroll to for an event: its own row, or the last one that begins before it.
    pub fn place_of(&self, seq: u64) -> Option<usize> {
        let begins = |slot: &Slot| layout::seq_of(self.timeline, slot);
        self.exact_place_of(seq).or_else(|| self.slots.iter().rposition(|slot| begins(slot) < seq))
    }

    /// Returns the key of the closed row that contains an event of a repeated turn.
    pub fn fold_over(&self, seq: u64) -> Option<String> {
        if self.exact_place_of(seq).is_some() {
            return None;
        }
        layout::fold_over(self.timeline, seq).filter(|key| !self.options.open.contains(key))
    }

    fn exact_place_of(&self, seq: u64) -> Option<usize> {
        let is_about = |slot: &Slot| {
            layout::seq_of(self.timeline, slot) == seq || layout::answer_seq_of(self.timeline, slot) == Some(seq)
        };
        self.slots.iter().rposition(is_about)
    }

    fn row(&self, index: usize) -> Option<Row> {
        let slot = self.slots.get(index)?;
        let key = slot.key();
        let open = self.options.open.contains(&key);
        let kind = match slot.place {
            Place::Turn => RowKind::Turn,
            Place::Thinking => RowKind::Thinking { open },
            Place::Text => RowKind::Text,
            Place::Call(entry) => RowKind::Call { entry: entry as usize, open },
            Place::Note(entry) => RowKind::Note { entry: entry as usize },
            Place::Outcome => RowKind::Outcome,
            Place::Events(index) => RowKind::Events { index: index as usize, open },
            Place::Repeats { times, last_turn } => {
                RowKind::Repeats { times: times as usize, last_turn: last_turn as usize, open }
            }
        };
        Some(Row {
            key,
            seq: layout::seq_of(self.timeline, slot),
            turn: slot.turn as usize,
            depth: slot.depth,
            kind,
            hit: self.options.query.is_empty() || self.hits.binary_search(&index).is_ok(),
        })
    }
}

#[cfg(test)]
mod tests;
