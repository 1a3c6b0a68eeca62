//! Takes in a file apart from the request that brings it: when the client goes away the request is dropped at once, and what
//! came by then must still become a run that has an end.

use app::AppError;
use axum::body::Bytes;
use domain::ImportReport;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::Import;
use crate::error::Error;

/// Pieces on their way to the store. More are not read from the network meanwhile.
const WAITING: usize = 4;
const STOPPED: &str = "The server was stopped before the file was read. Import it again.";
const GONE: &str = "the connection was closed";

pub enum Piece {
    Bytes(Bytes),
    /// The rest will not come, and why.
    Broke(String),
    End,
}

pub struct Receiver {
    pieces: mpsc::Sender<Piece>,
    work: JoinHandle<Result<(String, ImportReport), Error>>,
}

impl Receiver {
    pub fn of(import: Import) -> Self {
        let (pieces, waiting) = mpsc::channel(WAITING);
        Self { pieces, work: tokio::spawn(receive(import, waiting)) }
    }

    /// Hands a piece over. Where nobody takes it any more, the end tells why.
    pub async fn take(&self, piece: Piece) {
        let _ = self.pieces.send(piece).await;
    }

    pub async fn finish(self) -> Result<(String, ImportReport), Error> {
        self.take(Piece::End).await;
        match self.work.await {
            Ok(finished) => finished,
            // As if it had happened in the request itself.
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(AppError::Unavailable { message: STOPPED.to_owned() }.into()),
            },
        }
    }
}

async fn receive(mut import: Import, mut pieces: mpsc::Receiver<Piece>) -> Result<(String, ImportReport), Error> {
    loop {
        match pieces.recv().await {
            Some(Piece::Bytes(bytes)) => import.push(&bytes).await?,
            Some(Piece::End) => break,
            Some(Piece::Broke(reason)) => {
                import.broke_off(&reason);
                break;
            }
            None => {
                import.broke_off(GONE);
                break;
            }
        }
    }
    import.finish().await
}
