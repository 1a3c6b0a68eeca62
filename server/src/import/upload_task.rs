//! Imports an upload in a task of its own. When the client disconnects, its request is dropped at once, but the events that
//! came by then must still become a run that has an end. If they cannot be stored, the run is removed.

use std::time::Duration;

use app::AppError;
use axum::body::Bytes;
use domain::{AuditAction, Backoff};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tracing::Instrument;

use super::{Import, Imported};
use crate::audit;
use crate::auth::Caller;
use crate::error::Error;
use crate::state::AppState;
use crate::store::{self, Store, WorkspaceId};
use crate::web::multipart_form::FormField;

/// Chunks that wait to be imported. The request reads no more meanwhile.
const MAX_CHUNKS: usize = 4;
const STOPPED: &str = "The server was stopped before the file was read. Import it again.";
const DISCONNECTED: &str = "the connection was closed";
const RETRY: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(30));

pub enum Chunk {
    Bytes(Bytes),
    /// The rest cannot be read, for this reason.
    Failed(String),
    End,
}

pub struct UploadTask {
    chunks: mpsc::Sender<Chunk>,
    task: JoinHandle<Result<Imported, Error>>,
}

impl UploadTask {
    /// `source` is the name of the file.
    pub fn start(state: &AppState, caller: &Caller, source: Option<String>) -> Self {
        let (chunks, receiver) = mpsc::channel(MAX_CHUNKS);
        let import = Import::new(state.imports.clone(), caller.workspace_id, source);
        let import = import.recorded_as(caller.actor.entry(AuditAction::Import));
        let span = tracing::info_span!("import", run_id = import.run_id, workspace = %import.workspace);
        Self { chunks, task: tokio::spawn(receive(state.clone(), caller.clone(), import, receiver).instrument(span)) }
    }

    /// Passes a chunk on. If the task has failed, [`Self::finish`] returns the error.
    pub async fn push(&self, chunk: Chunk) {
        let _ = self.chunks.send(chunk).await;
    }

    /// Passes on a field of a form. `see` gets each chunk before.
    pub async fn push_field(&self, mut field: FormField<'_>, mut see: impl FnMut(&[u8])) {
        loop {
            match field.chunk().await {
                Ok(Some(chunk)) => {
                    see(&chunk);
                    self.push(Chunk::Bytes(chunk)).await;
                }
                Ok(None) => return,
                Err(error) => return self.push(Chunk::Failed(error.message)).await,
            }
        }
    }

    /// Says that all chunks were passed on.
    pub async fn end(&self) {
        self.push(Chunk::End).await;
    }

    /// Ends the upload, if it was not ended before, and returns its outcome.
    pub async fn finish(self) -> Result<Imported, Error> {
        self.end().await;
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

async fn receive(
    state: AppState,
    caller: Caller,
    import: Import,
    chunks: mpsc::Receiver<Chunk>,
) -> Result<Imported, Error> {
    let run_id = import.run_id.clone();
    let mut imported = import_chunks(import, chunks).await;
    match &mut imported {
        Ok(imported) => {
            if let Some(entry) = imported.entry.take() {
                audit::record_done(&state, &caller, entry).await;
            }
        }
        Err(Error::Store(_)) => {
            tokio::spawn(remove_failed(state.store, caller.workspace_id, run_id).in_current_span());
        }
        Err(_) => {}
    }
    imported
}

/// Removes the run of a failed import as soon as the database can be written. If the server stops before, the next start
/// marks it as failed.
async fn remove_failed(store: Store, workspace: WorkspaceId, run_id: String) {
    let mut retry = RETRY;
    while let Err(error) = store.delete_failed_import(workspace, &run_id).await {
        if matches!(error, store::Error::PoolClosed) {
            return;
        }
        tracing::info!(%error, "cannot remove a failed import now; retrying");
        tokio::time::sleep(retry.next_delay()).await;
    }
}

async fn import_chunks(mut import: Import, mut chunks: mpsc::Receiver<Chunk>) -> Result<Imported, Error> {
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
