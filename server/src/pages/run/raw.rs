//! The raw tab: a page of the log as it was received.

use app::model::run::RawEvents;
use protocol::redact::redact;

use crate::error::Error;
use crate::workspace::SignedInWorkspace;

/// Events on one page, events read at a time, and bytes per event and per page.
const PAGE: usize = 100;
const CHUNK: u32 = 1_000;
const EVENT_BYTES: usize = 64_000;
const PAGE_BYTES: usize = 512_000;

/// Returns events after a seq. `find` is searched for in the whole envelope, ignoring case.
pub async fn load(workspace: &SignedInWorkspace, id: &str, after: u64, find: &str) -> Result<RawEvents, Error> {
    let needle = find.trim().to_lowercase();
    let (mut found, mut after, mut bytes) = (Vec::new(), after, 0);
    loop {
        let events = workspace.state.store.events_after(workspace.caller.workspace_id, id, after, CHUNK).await?;
        let Some(last) = events.last() else { return Ok(RawEvents { events: found, next_after: None }) };
        let last = last.seq;
        for event in events {
            let mut json = serde_json::to_value(&event).unwrap_or_default();
            redact(&mut json);
            let text = serde_json::to_string_pretty(&json).unwrap_or_default();
            if needle.is_empty() || text.to_lowercase().contains(&needle) {
                let text = shortened(text);
                bytes += text.len();
                found.push((event.seq, event.kind, text));
            }
            if found.len() == PAGE || bytes >= PAGE_BYTES {
                return Ok(RawEvents { next_after: Some(event.seq), events: found });
            }
        }
        after = last;
    }
}

/// A result of several megabytes would freeze the page. The download has all of it.
fn shortened(mut text: String) -> String {
    let end = text.floor_char_boundary(EVENT_BYTES);
    let left_out = text.len() - end;
    if left_out > 0 {
        text.truncate(end);
        text.push_str(&format!("\n… {left_out} more bytes are in the download"));
    }
    text
}
