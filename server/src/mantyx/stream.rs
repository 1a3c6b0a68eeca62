//! A run's event stream: the stored log from a given seq on, then live events.

use std::collections::VecDeque;

use protocol::Event;
use protocol::sse::{Frame, Frames};
use reqwest::{Method, Response};

use super::{Bearer, Mantyx, MantyxError};

pub struct EventStream {
    response: Response,
    frames: Frames,
    /// What was received and not returned yet.
    received: VecDeque<Received>,
}

pub enum Received {
    Events(Vec<Event>),
    /// A frame without a valid envelope, as an event under its own seq: the timeline shows it as unreadable.
    Damaged(Event),
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
        Ok(EventStream { response: Self::send(request).await?, frames: Frames::default(), received: VecDeque::new() })
    }
}

impl EventStream {
    /// Returns what comes next, or `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Received>, MantyxError> {
        loop {
            if let Some(received) = self.received.pop_front() {
                return Ok(Some(received));
            }
            let Some(bytes) = self.response.chunk().await? else { return Ok(None) };
            let frames = self.frames.push(&bytes).map_err(|error| MantyxError::Unexpected(error.to_string()))?;
            for frame in frames {
                self.receive(frame);
            }
        }
    }

    fn receive(&mut self, frame: Frame) {
        if let Ok(event) = Event::parse(&frame.data) {
            match self.received.back_mut() {
                Some(Received::Events(events)) => events.push(event),
                _ => self.received.push_back(Received::Events(vec![event])),
            }
        } else if let Some(seq) = frame.id.and_then(|id| id.parse().ok()) {
            let kind = frame.event.unwrap_or_else(|| "unreadable".to_owned());
            self.received.push_back(Received::Damaged(Event::new(seq, kind, frame.data.into())));
        }
    }
}
