//! A run's event stream: the stored log from a given seq on, then live events.

use protocol::Event;
use protocol::sse::{Frame, Frames};
use reqwest::{Method, Response};

use super::{Bearer, Mantyx, MantyxError};

pub struct EventStream {
    response: Response,
    frames: Frames,
}

impl Mantyx {
    /// Streams the events after `last_seq`. The stream ends after the terminal event, or with the connection.
    pub async fn stream(
        &self,
        bearer: &Bearer,
        slug: &str,
        run_id: &str,
        last_seq: u64,
    ) -> Result<EventStream, MantyxError> {
        let request = self
            .workspace_request(bearer, Method::GET, slug, &["agent-runs", run_id, "stream"])
            .header(reqwest::header::ACCEPT, "text/event-stream")
            .query(&[("lastSeq", last_seq)]);
        Ok(EventStream { response: Self::send(request).await?, frames: Frames::default() })
    }
}

impl EventStream {
    /// Returns the events of the next chunk, or `None` at the end.
    pub async fn next_batch(&mut self) -> Result<Option<Vec<Event>>, MantyxError> {
        loop {
            let Some(bytes) = self.response.chunk().await? else { return Ok(None) };
            let frames = self.frames.push(&bytes).map_err(|error| MantyxError::Unexpected(error.to_string()))?;
            let events: Vec<Event> = frames.into_iter().filter_map(parse_event).collect();
            if !events.is_empty() {
                return Ok(Some(events));
            }
        }
    }
}

/// Parses a frame. A frame without a valid envelope becomes an event under its own seq, so that the timeline shows it as
/// unreadable.
fn parse_event(frame: Frame) -> Option<Event> {
    Event::parse(&frame.data).ok().or_else(|| {
        let seq = frame.id?.parse().ok()?;
        Some(Event::new(seq, frame.event.unwrap_or_else(|| "unreadable".to_owned()), frame.data.into()))
    })
}
