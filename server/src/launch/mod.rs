//! Launches runs, sessions and batches. Each launch starts once, however often it is sent.

pub mod batch;
pub mod batch_inputs;
mod built_in_templates;
mod catalogue;
pub mod form;
mod preflight;
mod refusal;
pub mod templates;
pub mod validation;

use std::time::Duration;

use app::AppError;
use app::launch::LaunchMode;
use domain::{Answerer, AuditAction, ToolAnswerers};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::Actor;
use crate::auth::{Caller, Credential, scopes};
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::{Bearer, LaunchFault, MantyxError};
use crate::mirror::Freshness;
use crate::state::AppState;
use crate::store::{NewAuditEntry, NewLaunch, SealedAnswerers};
use crate::{answers, runs};

pub use batch::BatchWorker;
pub use catalogue::{Catalogue, Catalogues, Choice, ModelChoice, Offer};

/// After this time, a launch without a result counts as unconfirmed.
const LEASE_MS: i64 = 60_000;
const POLL_EVERY: Duration = Duration::from_millis(100);

/// Serialized for the launch's fingerprint, so its fields keep their names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LaunchRequest {
    /// Created with the form. The same key is the same launch, however often it is sent.
    pub key: String,
    pub mode: LaunchMode,
    pub spec: Value,
    pub answers: ToolAnswerers,
    /// The run that it repeats. Not part of the fingerprint.
    #[serde(skip)]
    pub origin_run_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchedRun {
    pub run_id: String,
    pub session_id: Option<String>,
}

/// A spec and its answerers, as templates and batches store them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchContent {
    pub spec: Value,
    #[serde(default)]
    pub answers: ToolAnswerers,
}

/// The signed-in user who launches. Local calls of the run are answered with their grant.
#[derive(Clone, Debug)]
pub struct Launcher {
    pub caller: Caller,
    pub subject: String,
    pub email: String,
    pub scopes: String,
}

impl Launcher {
    pub async fn of(state: &AppState, caller: &Caller) -> Result<Self, Error> {
        let Credential::Grant(id) = &caller.credential else {
            return Err(AppError::Forbidden { message: "Sign in to launch runs.".to_owned() }.into());
        };
        let grant = state.store.grant(id).await?.ok_or(AppError::SignedOut)?;
        Ok(Self { caller: caller.clone(), subject: grant.subject, email: grant.email, scopes: grant.scopes })
    }

    /// An entry of the audit log, also for what the server does later on behalf of the user.
    fn entry(&self, action: AuditAction) -> NewAuditEntry {
        Actor::person(&self.email, self.caller.actor.address).entry(action)
    }
}

/// Starts a run. The same key returns the same run after a double click, a reload or in another process.
pub async fn launch(state: &AppState, launcher: &Launcher, request: &LaunchRequest) -> Result<LaunchedRun, Error> {
    validation::check_request(request)?;
    let scope = if request.mode == LaunchMode::OneShot { scopes::RUNS_WRITE } else { scopes::SESSIONS_WRITE };
    if !scopes::includes(&launcher.scopes, scope) {
        return Err(AppError::MissingScope { scope: scope.to_owned() }.into());
    }
    let workspace = launcher.caller.workspace_id;
    let fingerprint = validation::fingerprint(request);
    let now_ms = now_ms();
    let new = NewLaunch {
        key: &request.key,
        fingerprint: &fingerprint,
        subject: &launcher.subject,
        origin_run_id: request.origin_run_id.as_deref(),
        now_ms,
        lease_until_ms: now_ms + LEASE_MS,
    };
    if let Some(earlier) = state.store.begin_launch(workspace, &new).await? {
        if earlier.fingerprint != fingerprint {
            return Err(conflict(
                "This form has already launched something else, perhaps in another tab. Launch it once more if you want both.",
            ));
        }
        return wait_for_earlier_launch(state, launcher, &request.key).await;
    }
    match start(state, launcher, request).await {
        Ok(launched) => {
            let sealed = answers::seal(&state.vault, &request.answers);
            let by_hand = request.answers.values().all(|answerer| *answerer == Answerer::Hand);
            let kept = SealedAnswerers { subject: &launcher.subject, sealed: &sealed, by_hand };
            let plan = (!request.answers.is_empty()).then_some(kept);
            let entry = launcher.entry(AuditAction::Launch).about(&launched.run_id);
            let recorded = state.store.finish_launch(workspace, &request.key, &launched.run_id, plan, &entry).await;
            if let Err(error) = recorded {
                tracing::error!(%error, run_id = launched.run_id, "a run was started and could not be recorded");
                return Err(Error::Unconfirmed);
            }
            state.answers.wake();
            store_in_mirror(state, launcher, &launched.run_id).await;
            Ok(launched)
        }
        Err(LaunchFault::Unknown(reason)) => {
            state.store.mark_launch_unknown(workspace, &request.key).await?;
            tracing::warn!(%reason, "a launch was sent and not confirmed");
            Err(Error::Unconfirmed)
        }
        Err(LaunchFault::Refused(refused)) => {
            state.store.forget_launch(workspace, &request.key).await?;
            Err(refusal::to_error(refused, &request.spec).into())
        }
        Err(LaunchFault::NotStarted(error)) => {
            state.store.forget_launch(workspace, &request.key).await?;
            Err(refusal::not_started(error, &request.mode))
        }
    }
}

/// Returns the spec and answerers of a run, to relaunch it.
pub async fn content_of_run(state: &AppState, caller: &Caller, run_id: &str) -> Result<LaunchContent, Error> {
    let (_, freshness) = runs::find_run(state, caller, run_id).await?;
    let (spec, _) = state.store.run_spec_and_log_state(caller.workspace_id, run_id).await?;
    let spec: Option<Value> = spec.and_then(|json| serde_json::from_str(&json).ok());
    let spec = match (spec, freshness) {
        (Some(spec), _) => spec,
        (None, Freshness::Stale(error)) => return Err(error.into()),
        (None, _) => return Err(AppError::not_found("spec of this run").into()),
    };
    let sealed = state.store.sealed_answers(caller.workspace_id, run_id).await?;
    let kept = sealed.and_then(|sealed| answers::open(&state.vault, &sealed).ok()).unwrap_or_default();
    Ok(templates::shareable(LaunchContent { spec, answers: kept }))
}

/// Waits for another request that launches with the same key.
async fn wait_for_earlier_launch(state: &AppState, launcher: &Launcher, key: &str) -> Result<LaunchedRun, Error> {
    loop {
        let Some(launch) = state.store.launch(launcher.caller.workspace_id, key).await? else {
            return Err(conflict("This launch has just failed. Launch it again."));
        };
        if let Some(run_id) = launch.run_id {
            return Ok(LaunchedRun { run_id, session_id: launch.session_id });
        }
        if launch.unknown || launch.lease_until_ms < now_ms() {
            return Err(Error::Unconfirmed);
        }
        tokio::time::sleep(POLL_EVERY).await;
    }
}

async fn start(state: &AppState, launcher: &Launcher, request: &LaunchRequest) -> Result<LaunchedRun, LaunchFault> {
    let mantyx = &state.mantyx;
    let slug = &launcher.caller.slug;
    let (session_id, body) = match &request.mode {
        LaunchMode::OneShot => {
            let run_id =
                call(state, launcher, |bearer| async move { mantyx.create_run(&bearer, slug, &request.spec).await });
            return Ok(LaunchedRun { run_id: run_id.await?, session_id: None });
        }
        LaunchMode::NewSession => {
            let (session_spec, message) = validation::split_for_session(&request.spec);
            let session_spec = &session_spec;
            let opened =
                call(state, launcher, |bearer| async move { mantyx.create_session(&bearer, slug, session_spec).await });
            let session_id = opened.await?;
            let noted = state.store.set_launch_session(launcher.caller.workspace_id, &request.key, &session_id).await;
            noted.map_err(|error| LaunchFault::Unknown(error.to_string()))?;
            (session_id, message)
        }
        LaunchMode::Message { session_id } => (session_id.clone(), request.spec.clone()),
    };
    let (session, body) = (&session_id, &body);
    let sent = call(state, launcher, |bearer| async move { mantyx.send_message(&bearer, slug, session, body).await });
    let sent = sent.await;
    if request.mode == LaunchMode::NewSession
        && matches!(sent, Err(LaunchFault::Refused(_) | LaunchFault::NotStarted(_)))
    {
        end_empty_session(state, launcher, session).await;
    }
    Ok(LaunchedRun { run_id: sent?, session_id: Some(session_id.clone()) })
}

/// Ends a session whose first message was refused. A failure leaves an empty session behind.
async fn end_empty_session(state: &AppState, launcher: &Launcher, session_id: &str) {
    let caller = &launcher.caller;
    let end = |bearer| async move { state.mantyx.end_session(&bearer, &caller.slug, session_id).await };
    if let Err(error) = state.credentials.call(caller, end).await {
        tracing::info!(%error, "an empty session could not be ended");
    }
}

/// Renews an expired access token, as for every other call.
async fn call<F>(state: &AppState, launcher: &Launcher, call: impl Fn(Bearer) -> F) -> Result<String, LaunchFault>
where
    F: Future<Output = Result<String, LaunchFault>>,
{
    let call = &call;
    let called = state.credentials.call(&launcher.caller, |bearer| async move {
        match call(bearer).await {
            Err(LaunchFault::NotStarted(MantyxError::Unauthorized)) => Err(MantyxError::Unauthorized),
            other => Ok(other),
        }
    });
    called.await.unwrap_or_else(|error| Err(LaunchFault::NotStarted(error)))
}

/// Stores the run before its page opens. The page would fetch it too, so a failure is only logged.
async fn store_in_mirror(state: &AppState, launcher: &Launcher, run_id: &str) {
    if let Err(error) = state.mirror.sync_snapshot(state, &launcher.caller, run_id).await {
        tracing::info!(%error, "a launched run could not be fetched at once");
    }
}

fn conflict(message: &str) -> Error {
    AppError::Conflict { message: message.to_owned() }.into()
}
