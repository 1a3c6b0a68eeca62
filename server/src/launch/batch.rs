//! Batches: a background worker launches one run per input. A batch survives restarts.

use std::sync::Arc;
use std::time::Duration;

use app::AppError;
use app::launch::LaunchMode;
use domain::{AuditAction, Backoff, Batch, BatchItemState, ToolAnswerers};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::Notify;
use tracing::Instrument;

use super::batch_inputs::{self, Input};
use super::{LaunchContent, LaunchRequest, Launcher, validation};
use crate::answers;
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::{NewBatch, OpenBatch};
use crate::vault::purpose;

const SWEEP_EVERY: Duration = Duration::from_secs(5);
const OTHER_KEY: &str =
    "It was encrypted with another key. It continues when a server has that key in RUNLENS_SECRET_KEY.";
const LEASE_MS: i64 = 90_000;
/// The pause between two launches, so that other users can launch too.
const GAP: Duration = Duration::from_millis(150);
/// The pause if MANTYX can't be reached, or limits requests without saying for how long.
const LAST_WAIT: Duration = Duration::from_secs(60);
const RETRY: Backoff = Backoff::new(Duration::from_secs(2), LAST_WAIT);

/// Serialized for the batch's id, so its fields keep their names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchRequest {
    /// Created with the form. The same key and content are the same batch.
    pub key: String,
    pub spec: Value,
    pub answers: ToolAnswerers,
    /// CSV with a header line, or a JSON list of texts or objects.
    pub inputs: String,
    /// The metadata entry that its runs are found by.
    pub tag_key: String,
    pub tag_value: String,
}

#[derive(Clone, Debug, Default)]
pub struct BatchWorker {
    wake: Arc<Notify>,
}

/// Checks every input and stores the batch. The same request is the same batch.
pub async fn start(state: &AppState, launcher: &Launcher, request: &BatchRequest) -> Result<Batch, Error> {
    let workspace = launcher.caller.workspace_id;
    let rows = batch_inputs::parse(&request.inputs)?;
    let id = batch_id(request);
    let tag = (request.tag_key.as_str(), request.tag_value.as_str());
    for (i, row) in rows.iter().enumerate() {
        let spec = batch_inputs::apply(&request.spec, row, tag).map_err(|error| batch_inputs::at_input(i, error))?;
        let checked = validation::check_request(&item_request(&id, i, spec, &request.answers));
        checked.map_err(|error| in_row(i, rows.len(), error))?;
    }
    let content = LaunchContent { spec: request.spec.clone(), answers: request.answers.clone() };
    let sealed = state.vault.seal(purpose::BATCH, &serde_json::to_vec(&content).unwrap_or_default());
    let seal_row = |row: &Input| state.vault.seal(purpose::BATCH, &serde_json::to_vec(row).unwrap_or_default());
    let sealed_inputs: Vec<Vec<u8>> = rows.iter().map(seal_row).collect();
    let batch = NewBatch {
        id: &id,
        subject: &launcher.subject,
        tag_key: &request.tag_key,
        tag_value: &request.tag_value,
        sealed: &sealed,
        sealed_inputs: &sealed_inputs,
    };
    let entry = launcher.entry(AuditAction::LaunchBatch).about(&id).with_detail(format!("{} inputs", rows.len()));
    state.store.insert_batch(workspace, &batch, &entry).await?;
    state.batches.wake.notify_one();
    load(state, &launcher.caller, &id).await
}

fn batch_id(request: &BatchRequest) -> String {
    let content = serde_json::to_value(request).unwrap_or_default();
    let hash = Sha256::digest(protocol::json::canonical(&content).as_bytes());
    let short: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{short}", request.key)
}

pub async fn load(state: &AppState, caller: &Caller, id: &str) -> Result<Batch, Error> {
    let batch = state.store.batch(caller.workspace_id, id).await?;
    batch.ok_or_else(|| AppError::not_found("batch").into())
}

/// Returns the inputs of a batch in order, as text. One that was encrypted with another key is `None`.
pub async fn inputs(state: &AppState, caller: &Caller, id: &str) -> Result<Vec<Option<String>>, Error> {
    let sealed = state.store.batch_inputs(caller.workspace_id, id).await?;
    Ok(sealed.iter().map(|sealed| open::<Input>(state, sealed).map(|input| batch_inputs::describe(&input))).collect())
}

impl BatchWorker {
    /// Works on batches that no process holds, until the server stops.
    pub async fn run(self, state: AppState) {
        loop {
            let owner = crate::random::reference();
            let now = now_ms();
            match state.store.claim_batches(&owner, now, now + LEASE_MS).await {
                Ok(batches) => {
                    for batch in batches {
                        let span = tracing::info_span!("batch", batch_id = batch.id, workspace = %batch.workspace_id);
                        state.tasks.spawn(work_on(state.clone(), batch, owner.clone()).instrument(span));
                    }
                }
                Err(error) => tracing::warn!(%error, "batches could not be looked up"),
            }
            tokio::select! {
                () = self.wake.notified() => {}
                () = tokio::time::sleep(SWEEP_EVERY) => {}
                () = state.shutdown.cancelled() => return,
            }
        }
    }
}

async fn work_on(state: AppState, batch: OpenBatch, owner: String) {
    if let Err(error) = launch_all(&state, &batch, &owner).await {
        tracing::warn!(%error, "a batch stopped; it will be retried");
    }
}

async fn launch_all(state: &AppState, batch: &OpenBatch, owner: &str) -> Result<(), Error> {
    let Some(content) = open::<LaunchContent>(state, &batch.sealed) else {
        tracing::warn!("cannot decrypt a batch; it stays open for a server with its key");
        state.store.renew_batch(batch, owner, now_ms() + LEASE_MS, Some(OTHER_KEY)).await?;
        return Ok(());
    };
    let mut retry = RETRY;
    let mut wait = LAST_WAIT;
    while let Some((position, sealed)) = state.store.next_batch_item(batch).await? {
        let problem = match launcher_of(state, batch).await? {
            Some(launcher) => match launch_one(state, &launcher, batch, &content, position, &sealed).await? {
                Next::Continue => {
                    retry.reset();
                    None
                }
                Next::Wait(asked, why) => {
                    wait = asked.unwrap_or_else(|| retry.next_delay()).min(LAST_WAIT);
                    Some(why)
                }
            },
            None => {
                wait = LAST_WAIT;
                Some("The person who launched it is signed out. It continues after the next sign-in.".to_owned())
            }
        };
        if !state.store.renew_batch(batch, owner, now_ms() + LEASE_MS, problem.as_deref()).await? {
            return Ok(());
        }
        // Stop only between launches: after an interrupted one it is unknown whether the run started.
        tokio::select! {
            () = tokio::time::sleep(if problem.is_some() { wait } else { GAP }) => {}
            () = state.shutdown.cancelled() => {
                // Release the lease for the next process.
                state.store.renew_batch(batch, owner, 0, None).await?;
                return Ok(());
            }
        }
    }
    Ok(state.store.close_batch(batch, owner).await?)
}

enum Next {
    Continue,
    /// For as long as MANTYX asks, or longer each time.
    Wait(Option<Duration>, String),
}

async fn launch_one(
    state: &AppState,
    launcher: &Launcher,
    batch: &OpenBatch,
    content: &LaunchContent,
    position: i64,
    sealed: &[u8],
) -> Result<Next, Error> {
    let Some(input) = open::<Input>(state, sealed) else {
        return Ok(Next::Wait(None, OTHER_KEY.to_owned()));
    };
    let launched = match batch_inputs::apply(&content.spec, &input, (&batch.tag_key, &batch.tag_value)) {
        Ok(spec) => {
            let request = item_request(&batch.id, usize::try_from(position).unwrap_or(0), spec, &content.answers);
            super::launch(state, launcher, &request).await
        }
        Err(error) => Err(error.into()),
    };
    let (outcome, run_id, problem) = match launched {
        Ok(launched) => (BatchItemState::Launched, Some(launched.run_id), None),
        Err(Error::Mantyx(MantyxError::RateLimited { retry_after })) => {
            return Ok(Next::Wait(retry_after, "MANTYX rate limit reached.".to_owned()));
        }
        Err(Error::Mantyx(MantyxError::Unreachable(why))) => {
            return Ok(Next::Wait(None, format!("MANTYX cannot be reached ({why}).")));
        }
        Err(Error::Mantyx(MantyxError::Unauthorized)) => {
            return Ok(Next::Wait(None, "The sign-in has ended. Sign in again to continue.".to_owned()));
        }
        Err(Error::Store(error)) => return Err(error.into()),
        Err(error) => (BatchItemState::Failed, None, Some(AppError::from(error).to_string())),
    };
    let settled = state.store.settle_batch_item(batch, position, outcome, run_id.as_deref(), problem.as_deref()).await;
    settled?;
    Ok(Next::Continue)
}

/// Each item has its own key, so that it is launched once, also after a crash.
fn item_request(batch: &str, position: usize, spec: Value, answers: &ToolAnswerers) -> LaunchRequest {
    let (key, answers) = (format!("{batch}.{position}"), answers.clone());
    LaunchRequest { key, mode: LaunchMode::OneShot, spec, answers, origin_run_id: None }
}

async fn launcher_of(state: &AppState, batch: &OpenBatch) -> Result<Option<Launcher>, Error> {
    // Starting runs needs the same scope as answering them.
    let found = answers::find_sender(state, batch.workspace_id, &batch.subject).await?;
    let Ok(caller) = found else { return Ok(None) };
    Launcher::of(state, &caller).await.map(Some)
}

fn open<T: serde::de::DeserializeOwned>(state: &AppState, sealed: &[u8]) -> Option<T> {
    serde_json::from_slice(&state.vault.open_sealed(purpose::BATCH, sealed).ok()?).ok()
}

/// Adds the number of the input to its errors, if there are several inputs.
fn in_row(i: usize, rows: usize, error: AppError) -> AppError {
    match error {
        AppError::Fields { mut errors } if rows > 1 => {
            for error in &mut errors {
                error.message = format!("{} (with input {})", error.message, i + 1);
            }
            AppError::Fields { errors }
        }
        other => other,
    }
}
