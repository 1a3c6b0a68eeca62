//! The arrival times of a packed log, in about two bytes per step.
//!
//! The timeline needs the times of steps. Of deltas in a row only the first and the last time are stored. An entry is two
//! variable-length numbers: how many events it skips, and the milliseconds since the entry before.

use protocol::Event;

use super::varint::{read_number, read_signed, write_number, write_signed};

/// What is encoded of an event.
pub struct StepTime {
    /// The kind of a delta that has a time.
    delta: Option<String>,
    at_ms: Option<i64>,
}

impl StepTime {
    pub fn of(event: &Event) -> Self {
        let at_ms = event.observed_at_ms;
        let is_delta = at_ms.is_some() && event.kind.ends_with("_delta");
        Self { delta: is_delta.then(|| event.kind.clone()), at_ms }
    }
}

/// Encodes the arrival times of events. Empty if none is known.
pub fn encode(events: &[StepTime]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut next, mut before_ms) = (0, 0);
    for (i, event) in events.iter().enumerate() {
        let Some(at_ms) = event.at_ms.filter(|_| is_step(events, i)) else { continue };
        write_number(&mut bytes, (i - next) as u64);
        write_signed(&mut bytes, at_ms.wrapping_sub(before_ms));
        (next, before_ms) = (i + 1, at_ms);
    }
    bytes
}

/// Sets the arrival times of the events that they were encoded from. Stops at bytes that make no sense.
pub fn decode(mut bytes: &[u8], events: &mut [Event]) {
    let (mut next, mut at_ms) = (0_usize, 0_i64);
    while let Some((skipped, change)) = read_number(&mut bytes).zip(read_signed(&mut bytes)) {
        let index = usize::try_from(skipped).ok().and_then(|skipped| next.checked_add(skipped));
        let Some((index, event)) = index.and_then(|index| Some((index, events.get_mut(index)?))) else { return };
        at_ms = at_ms.wrapping_add(change);
        event.observed_at_ms = Some(at_ms);
        next = index + 1;
    }
}

/// Returns true unless the event is between two deltas of the same kind.
fn is_step(events: &[StepTime], i: usize) -> bool {
    let delta = |i: Option<usize>| events.get(i?)?.delta.as_deref();
    let here = delta(Some(i));
    here.is_none() || delta(i.checked_sub(1)) != here || delta(Some(i + 1)) != here
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn event(kind: &str, observed_at_ms: Option<i64>) -> Event {
        let mut event = Event::new(1, kind, Value::Null);
        event.observed_at_ms = observed_at_ms;
        event
    }

    fn encoded(events: &[Event]) -> Vec<u8> {
        encode(&events.iter().map(StepTime::of).collect::<Vec<_>>())
    }

    fn without_times(events: &[Event]) -> Vec<Event> {
        events.iter().map(|source| event(&source.kind, None)).collect()
    }

    #[test]
    fn of_deltas_in_a_row_the_first_and_the_last_time_are_stored() {
        let start_ms = 1_790_000_000_000;
        let kinds = ["started", "assistant_delta", "assistant_delta", "assistant_delta", "assistant_message"];
        let events: Vec<Event> = kinds.iter().zip(0..).map(|(kind, i)| event(kind, Some(start_ms + i * 100))).collect();
        let mut read = without_times(&events);
        let bytes = encoded(&events);
        decode(&bytes, &mut read);
        let times: Vec<_> = read.iter().map(|event| event.observed_at_ms.map(|at_ms| at_ms - start_ms)).collect();
        assert_eq!(times, [Some(0), Some(100), None, Some(300), Some(400)]);
        assert!(bytes.len() <= 7 + 3 * 3, "{} bytes", bytes.len());
        assert!(encoded(&without_times(&events)).is_empty());
    }

    proptest! {
        #[test]
        fn any_times_of_steps_come_back(times in prop::collection::vec(prop::option::of(any::<i64>()), 0..50)) {
            let events: Vec<Event> = times.iter().map(|at_ms| event("tool_call", *at_ms)).collect();
            let mut read = without_times(&events);
            decode(&encoded(&events), &mut read);
            prop_assert_eq!(read, events);
        }

        #[test]
        fn any_bytes_can_be_decoded(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            decode(&bytes, &mut [event("started", None), event("result", None)]);
        }
    }
}
