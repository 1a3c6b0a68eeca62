//! Rows of the events view: seq, type and a preview; opened, the events as they were received, with secrets hidden.

use app::model::run::RowKind;
use protocol::Event;
use protocol::json::preview;
use protocol::timeline::EventGroup;
use serde_json::Value;

use super::render::Links;
use super::render::rows::{self as render, EventLine};
use super::rows::{PREVIEW_CHARS, json_body, preview_value};
use crate::masking::{mask_payload, masked, masked_event};

/// Events of an open row. The download has the rest.
const MAX_EVENTS: usize = 100;

/// `events` are those of the run, in the order in which they came.
pub fn event_row(key: &str, group: &EventGroup, events: &[Event], is_open: bool, links: Links<'_>) -> RowKind {
    let count = usize::try_from(group.count).unwrap_or(MAX_EVENTS).min(MAX_EVENTS);
    let start = events.partition_point(|event| event.seq < group.first_seq);
    // Events that came late are not in the order of their seqs.
    let start = if events.get(start).is_some_and(|event| event.seq == group.first_seq) { start } else { 0 };
    let of_group = || {
        let is_in =
            |event: &&Event| (group.first_seq..=group.last_seq).contains(&event.seq) && event.kind == group.kind;
        events[start..].iter().filter(is_in).take(count)
    };
    let preview = match group.count {
        1 => of_group().next().map(|event| preview_value(&payload(&event.data))).unwrap_or_default(),
        _ => {
            let texts: String = of_group().filter_map(|event| event.data["text"].as_str()).collect();
            preview(&masked(&texts), PREVIEW_CHARS)
        }
    };
    let line = EventLine { key, group, preview: &preview, is_open };
    RowKind::Event {
        line: render::event(line, links),
        body: is_open.then(|| {
            let mut envelopes = of_group().map(masked_event);
            match group.count {
                1 => json_body(envelopes.next().unwrap_or_default()),
                _ => json_body(envelopes.collect()),
            }
        }),
    }
}

fn payload(data: &Value) -> Value {
    let mut data = data.clone();
    mask_payload(&mut data);
    data
}
