//! The timeline at any position of its log.
//!
//! A position is a count of events in the order in which they came: at 0 nothing has happened, at [`Replay::len`]
//! everything. It is not a seq, because seqs may have gaps, come twice or come late.
//!
//! ```text
//!   events       ────────────────────────────────────────────────▶
//!   checkpoints  │          │           │             │     latest
//!   at(position)                        └──apply──▶ here
//! ```
//!
//! A checkpoint is kept every few thousand events. [`Replay::at`] clones the checkpoint before the position and applies the
//! events between. Clones share their turns and calls; the turn that was being written and the lists of turns and events are
//! copied. The more that is, the farther apart the checkpoints are, so that together they hold no more than a few times the log.

use super::Timeline;
use crate::{Event, RunStatus};

#[derive(Clone, Debug)]
pub struct Replay {
    events: Vec<Event>,
    /// Positions and their timelines, in order.
    checkpoints: Vec<(usize, Timeline)>,
    latest: Timeline,
    spacing: usize,
    memory_bytes: usize,
}

/// Events between two checkpoints. Applying these takes a fraction of the time of rendering a page.
const SPACING: usize = 2_048;

/// A checkpoint is delayed by one event for each of these bytes that it would copy.
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
            memory_bytes: 0,
        };
        for event in events {
            replay.push(event);
        }
        replay
    }

    /// Adds an event of a live run.
    pub fn push(&mut self, mut event: Event) {
        event.shrink();
        self.latest.apply(&event);
        // The timeline has its own copy of nearly everything in the event.
        self.memory_bytes += 2 * event.memory_bytes();
        self.events.push(event);
        let last = self.checkpoints.last().map_or(0, |(position, _)| *position);
        let copied = self.latest.copied_bytes();
        if self.len() - last >= self.spacing + copied / BYTES_PER_EVENT {
            self.memory_bytes += copied;
            self.checkpoints.push((self.len(), self.latest.clone()));
        }
    }

    /// See [`Timeline::set_known_end`]. Applies only to the end of the log.
    pub fn set_known_end(&mut self, status: RunStatus) {
        self.latest.set_known_end(status);
    }

    /// See [`Timeline::set_cut_off`].
    pub fn set_cut_off(&mut self) {
        self.latest.set_cut_off();
    }

    /// Estimates the memory that the log and its timelines take.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Returns the number of events, which is the last position.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the timeline at the last position.
    pub fn latest(&self) -> &Timeline {
        &self.latest
    }

    /// Returns the timeline at a position: the same as applying so many events.
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
    fn the_estimate_of_memory_grows_with_payloads() {
        let event =
            |seq, text: &str| Event::new(seq, "tool_result", serde_json::json!({ "content": [{ "text": text }] }));
        let small = Replay::new(vec![event(1, "x")]).memory_bytes();
        let large = Replay::new(vec![event(1, &"x".repeat(1_000_000))]).memory_bytes();
        assert!((100..5_000).contains(&small), "{small}");
        assert!((1_900_000..2_500_000).contains(&large), "{large}");
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
    fn checkpoints_of_many_short_turns_hold_less_than_the_log() {
        let message = |seq| Event::new(seq, "assistant_message", serde_json::json!({ "text": "x", "turn": seq }));
        let replay = Replay::with_spacing((1..=20_000).map(message).collect(), 16);
        let turns: usize = replay.checkpoints.iter().map(|(_, timeline)| timeline.turns.len()).sum();
        let log: usize = replay.events.iter().map(Event::memory_bytes).sum();
        assert_eq!(replay.latest().turns.len(), 20_000);
        assert!(replay.checkpoints.len() > 10, "{} checkpoints", replay.checkpoints.len());
        assert!(turns * size_of::<usize>() < log, "{turns} turns, {log} bytes");
    }
}
