//! Batches: a background worker launches one run per input. A batch survives restarts.

use std::time::Duration;

use app::AppError;
use app::launch::LaunchMode;
use domain::{AuditAction, Backoff, Batch, BatchItem, BatchItemState, ToolAnswerers};
use serde::Serialize;
use serde_json::Value;
use tracing::Instrument;

use super::batch_inputs::{self, Input};
use super::{LaunchContent, LaunchRequest, Launcher, validation};
use crate::answers;
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::{Leased, NewBatch, OpenBatch};
use crate::vault::purpose;

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

/// Checks every input and stores the batch. The same request is the same batch.
pub async fn start(launcher: &Launcher<'_>, request: &BatchRequest) -> Result<Batch, Error> {
    let state = launcher.state;
    let rows = batch_inputs::parse(&request.inputs)?;
    let id = batch_id(request);
    let tag = (request.tag_key.as_str(), request.tag_value.as_str());
    for (i, row) in rows.iter().enumerate() {
        let spec = batch_inputs::apply(&request.spec, row, tag);
        let checked = spec.and_then(|spec| validation::check_request(&item_request(&id, i, spec, &request.answers)));
        checked.map_err(|error| batch_inputs::at_input(i, rows.len(), error))?;
    }
    let content = LaunchContent { spec: request.spec.clone(), answers: request.answers.clone() };
    let sealed = state.vault.seal_json(purpose::BATCH, &content);
    let sealed_inputs: Vec<_> = rows.iter().map(|row| state.vault.seal_json(purpose::BATCH, row)).collect();
    let batch = NewBatch {
        id: &id,
        subject: &launcher.subject,
        tag_key: &request.tag_key,
        tag_value: &request.tag_value,
        sealed: &sealed,
        sealed_inputs: &sealed_inputs,
    };
    let entry = launcher.entry(AuditAction::LaunchBatch).about(&id).with_detail(format!("{} inputs", rows.len()));
    state.store.insert_batch(launcher.workspace(), &batch, &entry).await?;
    state.batches.wake();
    load(state, &launcher.caller, &id).await
}

fn batch_id(request: &BatchRequest) -> String {
    let content = serde_json::to_value(request).unwrap_or_default();
    format!("{}-{:.12}", request.key, validation::hash(&content))
}

pub async fn load(state: &AppState, caller: &Caller, id: &str) -> Result<Batch, Error> {
    let batch = state.store.batch(caller.workspace_id, id).await?;
    batch.ok_or_else(|| AppError::not_found("batch").into())
}

/// Returns the inputs of a batch in order, as text. One that was encrypted with another key is `None`.
pub async fn inputs(state: &AppState, caller: &Caller, id: &str) -> Result<Vec<Option<String>>, Error> {
    let sealed = state.store.batch_inputs(caller.workspace_id, id).await?;
    let open = |sealed: &Vec<u8>| state.vault.open_json(purpose::BATCH, sealed).ok();
    Ok(sealed.iter().map(|sealed| open(sealed).map(|input| batch_inputs::describe(&input))).collect())
}

/// Launches the runs of batches, until the server stops.
pub async fn work(state: AppState) {
    let claim = |owner: String, now, until| {
        let store = state.store.clone();
        async move { store.claim_batches(&owner, now, until).await }
    };
    let launch = |batch: OpenBatch| {
        let span = tracing::info_span!("batch", batch_id = batch.id, workspace = %batch.workspace_id);
        work_on(state.clone(), batch).instrument(span)
    };
    state.batches.clone().run(state.clone(), (Leased::Batches, LEASE_MS), claim, launch).await;
}

async fn work_on(state: AppState, batch: OpenBatch) {
    if let Err(error) = launch_all(&state, &batch).await {
        tracing::warn!(%error, "a batch stopped; it will be retried");
    }
}

async fn launch_all(state: &AppState, batch: &OpenBatch) -> Result<(), Error> {
    let Ok(content) = state.vault.open_json::<LaunchContent>(purpose::BATCH, &batch.sealed) else {
        tracing::warn!("cannot decrypt a batch; it stays open for a server with its key");
        state.store.renew_batch(batch, now_ms() + LEASE_MS, Some(OTHER_KEY)).await?;
        return Ok(());
    };
    let mut retry = RETRY;
    while let Some((position, sealed)) = state.store.next_batch_item(batch).await? {
        let next = match launcher_of(state, batch).await? {
            Some(launcher) => launch_one(&launcher, batch, &content, position, &sealed).await?,
            None => {
                let why = "The person who launched it is signed out. It continues after the next sign-in.";
                Next::Wait(Some(LAST_WAIT), why.to_owned())
            }
        };
        let (pause, problem) = match next {
            Next::Continue => {
                retry.reset();
                (GAP, None)
            }
            Next::Wait(asked, why) => (asked.unwrap_or_else(|| retry.next_delay()).min(LAST_WAIT), Some(why)),
        };
        if !state.store.renew_batch(batch, now_ms() + LEASE_MS, problem.as_deref()).await? {
            return Ok(());
        }
        // Stop only between launches: after an interrupted one it is unknown whether the run started.
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = state.shutdown.cancelled() => {
                // Release the lease for the next process.
                state.store.renew_batch(batch, 0, None).await?;
                return Ok(());
            }
        }
    }
    Ok(state.store.close_batch(batch).await?)
}

enum Next {
    Continue,
    /// For as long as MANTYX asks, or longer each time.
    Wait(Option<Duration>, String),
}

async fn launch_one(
    launcher: &Launcher<'_>,
    batch: &OpenBatch,
    content: &LaunchContent,
    position: i64,
    sealed: &[u8],
) -> Result<Next, Error> {
    let state = launcher.state;
    let Ok(input) = state.vault.open_json::<Input>(purpose::BATCH, sealed) else {
        return Ok(Next::Wait(None, OTHER_KEY.to_owned()));
    };
    let launched = match batch_inputs::apply(&content.spec, &input, (&batch.tag_key, &batch.tag_value)) {
        Ok(spec) => {
            let request = item_request(&batch.id, usize::try_from(position).unwrap_or(0), spec, &content.answers);
            super::launch(launcher, &request).await
        }
        Err(error) => Err(error.into()),
    };
    let item = match launched {
        Ok(launched) => BatchItem { state: BatchItemState::Launched, run_id: Some(launched.run_id), problem: None },
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
        Err(error) => {
            let problem = Some(AppError::from(error).to_string());
            BatchItem { state: BatchItemState::Failed, run_id: None, problem }
        }
    };
    state.store.settle_batch_item(batch, position, &item).await?;
    Ok(Next::Continue)
}

/// Each item has its own key, so that it is launched once, also after a crash.
fn item_request(batch: &str, position: usize, spec: Value, answers: &ToolAnswerers) -> LaunchRequest {
    let (key, answers) = (format!("{batch}.{position}"), answers.clone());
    LaunchRequest { key, mode: LaunchMode::OneShot, spec, answers, origin_run_id: None }
}

async fn launcher_of<'a>(state: &'a AppState, batch: &OpenBatch) -> Result<Option<Launcher<'a>>, Error> {
    // Starting runs needs the same scope as answering them.
    let found = answers::find_sender(state, batch.workspace_id, &batch.subject).await?;
    let Ok(caller) = found else { return Ok(None) };
    Launcher::of(state, &caller).await.map(Some)
}
