//! Reads response bodies: as a whole up to a size limit, or as a stream of which only a part is used.

use std::io::{BufReader, Read};

use axum::body::Bytes;
use reqwest::Response;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use super::MantyxError;

/// The largest body that is read as a whole.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;
/// Chunks that may wait to be parsed.
const MAX_CHUNKS: usize = 8;

pub async fn read_body(mut response: Response) -> Result<Vec<u8>, MantyxError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_BODY_BYTES {
            return Err(MantyxError::Unexpected(format!("an answer larger than {MAX_BODY_BYTES} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Parses JSON while it is received. Fields that `T` does not have take no memory.
pub async fn read_partial<T: DeserializeOwned + Send + 'static>(mut response: Response) -> Result<T, MantyxError> {
    let (chunks, receiver) = mpsc::channel(MAX_CHUNKS);
    let parsing = tokio::task::spawn_blocking(move || {
        serde_json::from_reader(BufReader::new(ChunkReader { receiver, chunk: Bytes::new() }))
    });
    while let Some(chunk) = response.chunk().await? {
        // The parser stops at an error, which it returns below.
        if chunks.send(chunk).await.is_err() {
            break;
        }
    }
    drop(chunks);
    let read = parsing.await.map_err(|_| MantyxError::Unexpected("an unreadable response".to_owned()))?;
    read.map_err(|error| MantyxError::Unexpected(format!("unreadable JSON: {error}")))
}

/// A blocking reader over the chunks of a body.
struct ChunkReader {
    receiver: mpsc::Receiver<Bytes>,
    chunk: Bytes,
}

impl Read for ChunkReader {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        while self.chunk.is_empty() {
            match self.receiver.blocking_recv() {
                Some(chunk) => self.chunk = chunk,
                None => return Ok(0),
            }
        }
        let count = into.len().min(self.chunk.len());
        into[..count].copy_from_slice(&self.chunk.split_to(count));
        Ok(count)
    }
}
