//! Reading answers: whole, up to a size; or in part, however long they are.

use std::io::{BufReader, Read};

use axum::body::Bytes;
use reqwest::Response;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use super::MantyxError;

/// The largest body that is read whole.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;
/// Of an answer that is read in part, pieces that may wait to be read.
const PIECES: usize = 8;

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

/// Reads JSON as it comes. Memory is taken for what `T` has, not for what it leaves out.
pub async fn read_part<T: DeserializeOwned + Send + 'static>(mut response: Response) -> Result<T, MantyxError> {
    let (pieces, waiting) = mpsc::channel(PIECES);
    let reading = tokio::task::spawn_blocking(move || {
        serde_json::from_reader(BufReader::new(Pieces { waiting, piece: Bytes::new() }))
    });
    while let Some(piece) = response.chunk().await? {
        // The reader has ended where nobody takes it: then it says why.
        if pieces.send(piece).await.is_err() {
            break;
        }
    }
    drop(pieces);
    let read = reading.await.map_err(|_| MantyxError::Unexpected("an answer that nobody could read".to_owned()))?;
    read.map_err(|error| MantyxError::Unexpected(format!("unreadable JSON: {error}")))
}

/// Pieces of a body as one text, for readers that wait.
struct Pieces {
    waiting: mpsc::Receiver<Bytes>,
    piece: Bytes,
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        while self.piece.is_empty() {
            match self.waiting.blocking_recv() {
                Some(piece) => self.piece = piece,
                None => return Ok(0),
            }
        }
        let count = into.len().min(self.piece.len());
        into[..count].copy_from_slice(&self.piece.split_to(count));
        Ok(count)
    }
}
