//! The timeline as of any point of its log.
//!
//! A position is a count of events in the order in which they came: at 0 nothing has happened, at [`Replay::len`]
//! everything. It is not a seq, because seqs may have gaps, come twice or come late, and then «as of seq 7» would have
//! no one meaning; [`Replay::position_of`] leads from a seq to its position.
//!
//! ```text
//!   events       ────────────────────────────────────────────────▶
//!   checkpoints  │          │           │             │     latest
//!   at(position)                        └──apply──▶ here
//! ```
//!
//! The first fold leaves a checkpoint every few thousand events; going to a point copies the checkpoint before it and
//! applies what lies between. A copy shares its turns and calls with all others. Only the turn that was being written
//! is copied as a whole, so the longer that is, the farther apart the checkpoints are: together they hold no more than
//! a few times the log's own text.

use super::Timeline;
use crate::{Event, RunStatus};

#[derive(Clone, Debug)]
pub struct Replay {
    events: Vec<Event>,
    /// In order of position; the timeline as of there.
    checkpoints: Vec<(usize, Timeline)>,
    latest: Timeline,
    spacing: usize,
}

/// Events between two checkpoints. Applying so many takes a fraction of the time of drawing a page.
const SPACING: usize = 2_048;

/// A checkpoint is put off by one event for so many bytes that it would copy.
const BYTES_PER_EVENT: usize = 64;

impl Replay {
    pub fn new(events: Vec<Event>) -> Self {
        Self::with_spacing(events, SPACING)
    }

    fn with_spacing(events: Vec<Event>, spacing: usize) -> Self {
        let mut replay = Self {
            events: Vec::with_capacity(events.len()),
            checkpoints: vec![(0, Timeline::default())],
            latest: Timeline::default(),
            spacing,
        };
        for event in events {
            replay.push(event);
        }
        replay
    }

    /// Adds what comes while the run is followed.
    pub fn push(&mut self, event: Event) {
        self.latest.apply(&event);
        self.events.push(event);
        let last = self.checkpoints.last().map_or(0, |(position, _)| *position);
        let copied =
            self.latest.turns.last().map_or(0, |turn| {
                turn.text.len() + turn.thinking.len() + turn.entries.len() * size_of::<super::Entry>()
            });
        if self.len() - last >= self.spacing + copied / BYTES_PER_EVENT {
            self.checkpoints.push((self.len(), self.latest.clone()));
        }
    }

    /// As [`Timeline::set_known_end`]; it holds at the end of the log only.
    pub fn set_known_end(&mut self, status: RunStatus) {
        self.latest.set_known_end(status);
    }

    /// As [`Timeline::set_cut_off`].
    pub fn set_cut_off(&mut self) {
        self.latest.set_cut_off();
    }

    /// How many events there are: the last position.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The timeline as of the last position.
    pub fn latest(&self) -> &Timeline {
        &self.latest
    }

    /// The timeline as of a position: exactly what applying so many events gives.
    pub fn at(&self, position: usize) -> Timeline {
        if position >= self.len() {
            return self.latest.clone();
        }
        let after = self.checkpoints.partition_point(|(checkpoint, _)| *checkpoint <= position);
        let (checkpoint, timeline) = &self.checkpoints[after - 1];
        let mut timeline = timeline.clone();
        for event in &self.events[*checkpoint..position] {
            timeline.apply(event);
        }
        timeline
    }

    /// The first position at which the event of this seq has been applied.
    pub fn position_of(&self, seq: u64) -> Option<usize> {
        let place = self.events.iter().position(|event| event.seq == seq);
        place.map(|place| place + 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::timeline::properties::arbitrary_event;

    proptest! {
        #[test]
        fn every_position_equals_applying_so_many_events(
            events in prop::collection::vec(arbitrary_event(), 0..60),
            spacing in 1usize..8,
        ) {
            let replay = Replay::with_spacing(events.clone(), spacing);
            for position in 0..=events.len() {
                prop_assert_eq!(replay.at(position), Timeline::from_events(&events[..position]));
            }
        }
    }

    #[test]
    fn checkpoints_of_one_endless_turn_hold_a_few_times_its_text() {
        let delta = |seq| Event::new(seq, "assistant_delta", serde_json::json!({ "text": "twelve bytes" }));
        let replay = Replay::with_spacing((1..=50_000).map(delta).collect(), 16);
        let length = |timeline: &Timeline| timeline.turns.last().map_or(0, |turn| turn.text.len());
        let copied: usize = replay.checkpoints.iter().map(|(_, timeline)| length(timeline)).sum();
        assert_eq!(length(replay.latest()), 600_000);
        assert!(replay.checkpoints.len() > 10, "{} checkpoints", replay.checkpoints.len());
        assert!(copied < 10 * 600_000, "{copied} bytes");
    }

    #[test]
    fn a_position_is_found_by_seq_also_where_the_log_is_out_of_order() {
        let event = |seq| Event::new(seq, "assistant_delta", serde_json::json!({ "text": "a" }));
        let replay = Replay::new([1, 2, 2, 5, 4, 9].map(event).to_vec());
        let positions: Vec<_> = [1, 2, 3, 4, 5, 9].iter().map(|seq| replay.position_of(*seq)).collect();
        assert_eq!(positions, [Some(1), Some(2), None, Some(5), Some(4), Some(6)]);
    }
}
