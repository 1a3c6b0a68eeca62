//! Sends a value as JSON while it is serialised, so that a large response is never in memory as a whole.

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::StreamExt;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::response_slots::ResponseSlot;

/// Sent at a time.
const CHUNK_BYTES: usize = 64 * 1024;
/// Chunks that wait for a slow client. Then the serialisation waits too.
const MAX_WAITING_CHUNKS: usize = 4;
/// A client that needs longer gets an incomplete response.
const MAX_DURATION: Duration = Duration::from_secs(120);

/// Responds with what `write` writes. It runs on a thread of its own and gets an error when the client is gone or too slow.
pub fn json_stream(
    slot: ResponseSlot,
    write: impl FnOnce(&mut dyn Write) -> serde_json::Result<()> + Send + 'static,
) -> Response {
    respond(write, slot, Instant::now() + MAX_DURATION)
}

/// Responds with what `write` writes, for values that are small.
pub fn buffered_json(write: impl FnOnce(&mut dyn Write) -> serde_json::Result<()>) -> Response {
    let mut body = Vec::new();
    match write(&mut body) {
        Ok(()) => ([(CONTENT_TYPE, "application/json")], body).into_response(),
        Err(error) => {
            tracing::error!(%error, "a response cannot be serialised");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn respond(
    write: impl FnOnce(&mut dyn Write) -> serde_json::Result<()> + Send + 'static,
    slot: impl Send + 'static,
    deadline: Instant,
) -> Response {
    let (sender, receiver) = mpsc::channel(MAX_WAITING_CHUNKS);
    let (finish, finished) = oneshot::channel();
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let mut writer = BufWriter::with_capacity(CHUNK_BYTES, ChunkSender { sender, runtime, deadline });
        let written = write(&mut writer).map_err(io::Error::from).and_then(|()| writer.flush());
        if let Err(error) = &written {
            tracing::debug!(%error, "a response was not sent to its end");
        }
        let _ = finish.send(written);
        drop(slot);
    });
    let chunks =
        futures::stream::unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) });
    // An error ends the response in the middle, so that it does not look complete.
    let end = futures::stream::once(finished).filter_map(async |written| match written {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(Err(error)),
        Err(_) => Some(Err(io::Error::other("the serialisation panicked"))),
    });
    // The compression layer polls once more after the end.
    let body = Body::from_stream(chunks.map(Ok).chain(end).fuse());
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

struct ChunkSender {
    sender: mpsc::Sender<Bytes>,
    runtime: Handle,
    deadline: Instant,
}

impl Write for ChunkSender {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let sending = self.sender.send(Bytes::copy_from_slice(part));
        match self.runtime.block_on(async { timeout_at(self.deadline, sending).await }) {
            Ok(Ok(())) => Ok(part.len()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;

    #[tokio::test]
    async fn a_value_arrives_whole() -> anyhow::Result<()> {
        let numbers: Vec<u32> = (0..100_000).collect();
        let expected = serde_json::to_vec(&numbers)?;
        let far = Instant::now() + MAX_DURATION;
        let response = respond(move |writer| serde_json::to_writer(writer, &numbers), (), far);
        assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
        assert_eq!(to_bytes(response.into_body(), usize::MAX).await?, expected);
        Ok(())
    }

    #[tokio::test]
    async fn serialisation_ends_when_the_client_is_gone() -> anyhow::Result<()> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let response = respond(endless(sender), (), Instant::now() + MAX_DURATION);
        drop(response);
        assert_eq!(receiver.await?, Some(io::ErrorKind::BrokenPipe));
        Ok(())
    }

    #[tokio::test]
    async fn a_client_that_is_too_slow_gets_an_incomplete_response() -> anyhow::Result<()> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let response = respond(endless(sender), (), Instant::now());
        assert_eq!(receiver.await?, Some(io::ErrorKind::TimedOut));
        assert!(to_bytes(response.into_body(), usize::MAX).await.is_err(), "the response looks complete");
        Ok(())
    }

    /// Writes until an error, and passes that on.
    fn endless(
        sender: oneshot::Sender<Option<io::ErrorKind>>,
    ) -> impl FnOnce(&mut dyn Write) -> serde_json::Result<()> + Send + 'static {
        move |writer| {
            let error = std::iter::repeat_with(|| writer.write_all(&[b' '; CHUNK_BYTES])).find_map(Result::err);
            let kind = error.as_ref().map(io::Error::kind);
            let _ = sender.send(kind);
            Err(serde_json::Error::io(error.unwrap_or_else(|| io::Error::other("the client is still there"))))
        }
    }
}
