//! Imports an upload in a task of its own. When the client disconnects, its request is dropped at once, but the events that
//! came by then must still become a run that has an end.

use app::AppError;
use axum::body::Bytes;
use domain::ImportReport;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tracing::Instrument;

use super::Import;
use crate::error::Error;

/// Chunks that wait to be imported. The request reads no more meanwhile.
const MAX_CHUNKS: usize = 4;
const STOPPED: &str = "The server was stopped before the file was read. Import it again.";
const DISCONNECTED: &str = "the connection was closed";

pub enum Chunk {
    Bytes(Bytes),
    /// The rest cannot be read, for this reason.
    Failed(String),
    End,
}

pub struct UploadTask {
    chunks: mpsc::Sender<Chunk>,
    task: JoinHandle<Result<(String, ImportReport), Error>>,
}

impl UploadTask {
    pub fn start(import: Import) -> Self {
        let (chunks, receiver) = mpsc::channel(MAX_CHUNKS);
        let span = tracing::info_span!("import", run_id = import.run_id, workspace = %import.workspace);
        Self { chunks, task: tokio::spawn(receive(import, receiver).instrument(span)) }
    }

    /// Passes a chunk on. If the task has failed, [`Self::finish`] returns the error.
    pub async fn push(&self, chunk: Chunk) {
        let _ = self.chunks.send(chunk).await;
    }

    pub async fn finish(self) -> Result<(String, ImportReport), Error> {
        self.push(Chunk::End).await;
        match self.task.await {
            Ok(finished) => finished,
            // A panic continues in the request.
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(AppError::Unavailable { message: STOPPED.to_owned() }.into()),
            },
        }
    }
}

async fn receive(mut import: Import, mut chunks: mpsc::Receiver<Chunk>) -> Result<(String, ImportReport), Error> {
    loop {
        match chunks.recv().await {
            Some(Chunk::Bytes(bytes)) => import.push(&bytes).await?,
            Some(Chunk::End) => break,
            Some(Chunk::Failed(reason)) => {
                import.note_read_error(&reason);
                break;
            }
            None => {
                tracing::info!("client disconnected during an import");
                import.note_read_error(DISCONNECTED);
                break;
            }
        }
    }
    import.finish().await
}
