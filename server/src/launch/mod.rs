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

use std::pin::pin;
use std::time::Duration;

use app::AppError;
use app::launch::{LaunchDraft, LaunchMode};
use domain::{Answerer, AuditAction, ToolAnswerers};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit;
use crate::audit::Actor;
use crate::auth::{Caller, Credential, scopes};
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::LaunchFault;
use crate::mirror::Freshness;
use crate::peers::Peers;
use crate::runs;
use crate::state::AppState;
use crate::store::{NewAuditEntry, NewLaunch, SealedAnswerers, WorkspaceId};
use crate::vault::purpose;

pub use catalogue::{Catalogue, Catalogues, Choice, ModelChoice, Offer};

/// The claim on a launch's key is renewed until the launch has a result. One that ends is of a server that has died.
const LEASE_MS: i64 = 10_000;
const RENEW_EVERY: Duration = Duration::from_secs(3);
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

impl LaunchContent {
    fn of(draft: &LaunchDraft) -> Self {
        Self { spec: draft.spec.clone(), answers: draft.answers.clone() }
    }
}

/// The signed-in user who launches on this server. Local calls of the run are answered with their grant.
pub struct Launcher<'a> {
    pub state: &'a AppState,
    pub caller: Caller,
    pub subject: String,
    pub email: String,
    pub scopes: String,
}

impl<'a> Launcher<'a> {
    pub async fn of(state: &'a AppState, caller: &Caller) -> Result<Self, Error> {
        let Credential::Grant(id) = &caller.credential else {
            return Err(AppError::Forbidden { message: "Sign in to launch runs.".to_owned() }.into());
        };
        let grant = state.store.grant(id).await?.ok_or(AppError::SignedOut)?;
        Ok(Self { state, caller: caller.clone(), subject: grant.subject, email: grant.email, scopes: grant.scopes })
    }

    fn workspace(&self) -> WorkspaceId {
        self.caller.workspace_id
    }

    /// Returns the MCP servers and agents that the workspace may use.
    fn peers(&self) -> Peers {
        self.state.peers.of(&self.caller.slug)
    }

    /// An entry of the audit log, also for what the server does later on behalf of the user.
    fn entry(&self, action: AuditAction) -> NewAuditEntry {
        Actor::person(&self.email, self.caller.actor.address).entry(action)
    }
}

/// Starts a run. The same key returns the same run after a double click, a reload or in another process.
pub async fn launch(launcher: &Launcher<'_>, request: &LaunchRequest) -> Result<LaunchedRun, Error> {
    validation::check_request(request)?;
    let scope = scope_of(&request.mode);
    if !scopes::includes(&launcher.scopes, scope) {
        return Err(AppError::MissingScope { scope: scope.to_owned() }.into());
    }
    let (state, workspace) = (launcher.state, launcher.workspace());
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
            let message = "This form has already launched something else, perhaps in another tab. Launch it once more if \
                           you want both.";
            return Err(AppError::conflict(message).into());
        }
        return wait_for_earlier_launch(launcher, &request.key).await;
    }
    match while_claimed(launcher, &request.key, start(launcher, request)).await {
        Ok(launched) => {
            let sealed = state.vault.seal_json(purpose::ANSWERERS, &request.answers);
            let by_hand = request.answers.values().all(|answerer| *answerer == Answerer::Hand);
            let kept = SealedAnswerers { subject: &launcher.subject, sealed: &sealed, by_hand };
            let plan = (!request.answers.is_empty()).then_some(kept);
            let entry = launcher.entry(AuditAction::Launch).about(&launched.run_id);
            let recorded = state.store.finish_launch(workspace, &request.key, &launched.run_id, plan, &entry).await;
            if let Err(error) = recorded {
                tracing::error!(%error, run_id = launched.run_id, "a run was started and could not be recorded");
                audit::record_done(state, &launcher.caller, entry).await;
                return Err(Error::Unconfirmed);
            }
            // Stored before its page opens. The page would fetch it too, so a failure is only logged.
            match state.mirror.sync_snapshot(state, &launcher.caller, &launched.run_id).await {
                Ok(()) => state.live.follow_launched(state, &launcher.caller, &launched.run_id),
                Err(error) => {
                    tracing::info!(%error, %workspace, run_id = launched.run_id, "a launched run could not be fetched at once");
                }
            }
            // After it is followed from its start: the answers follow it too.
            state.answers.wake();
            Ok(launched)
        }
        Err(LaunchFault::Unknown(reason)) => {
            state.store.mark_launch_unknown(workspace, &request.key).await?;
            tracing::warn!(%reason, %workspace, "a launch was sent and not confirmed");
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

/// Returns the scope that a launch needs.
pub fn scope_of(mode: &LaunchMode) -> &'static str {
    if *mode == LaunchMode::OneShot { scopes::RUNS_WRITE } else { scopes::SESSIONS_WRITE }
}

/// Returns the spec and answerers of a run, to relaunch it.
async fn content_of_run(launcher: &Launcher<'_>, run_id: &str) -> Result<LaunchContent, Error> {
    let (state, workspace) = (launcher.state, launcher.workspace());
    let (_, freshness) = runs::find_run(state, &launcher.caller, run_id).await?;
    let (spec, _) = state.store.run_spec_and_log_state(workspace, run_id).await?;
    let spec: Option<Value> = spec.and_then(|json| serde_json::from_str(&json).ok());
    let spec = match (spec, freshness) {
        (Some(spec), _) => spec,
        (None, Freshness::Stale(error)) => return Err(error.into()),
        (None, _) => return Err(AppError::not_found("spec of this run").into()),
    };
    let sealed = state.store.sealed_answers(workspace, run_id).await?;
    let answers = sealed.and_then(|sealed| state.vault.open_json(purpose::ANSWERERS, &sealed).ok()).unwrap_or_default();
    Ok(templates::shareable(LaunchContent { spec, answers }))
}

/// Renews the claim on a launch's key until the launch has a result.
async fn while_claimed<T>(launcher: &Launcher<'_>, key: &str, launch: impl Future<Output = T>) -> T {
    let mut launch = pin!(launch);
    loop {
        tokio::select! {
            result = &mut launch => return result,
            () = tokio::time::sleep(RENEW_EVERY) => {
                let renewed = launcher.state.store.renew_launch(launcher.workspace(), key, now_ms() + LEASE_MS).await;
                if let Err(error) = renewed {
                    tracing::warn!(%error, "the claim on a launch cannot be renewed");
                }
            }
        }
    }
}

/// Waits for another request that launches with the same key.
async fn wait_for_earlier_launch(launcher: &Launcher<'_>, key: &str) -> Result<LaunchedRun, Error> {
    loop {
        let Some(launch) = launcher.state.store.launch(launcher.workspace(), key).await? else {
            return Err(AppError::conflict("This launch has just failed. Launch it again.").into());
        };
        if let Some(run_id) = launch.run_id {
            return Ok(LaunchedRun { run_id, session_id: launch.session_id });
        }
        // A lease that ends later than two was taken while the clock was ahead.
        let now = now_ms();
        if launch.unknown || !(now..now + 2 * LEASE_MS).contains(&launch.lease_until_ms) {
            return Err(Error::Unconfirmed);
        }
        tokio::time::sleep(POLL_EVERY).await;
    }
}

async fn start(launcher: &Launcher<'_>, request: &LaunchRequest) -> Result<LaunchedRun, LaunchFault> {
    let (credentials, mantyx, caller) = (&launcher.state.credentials, &launcher.state.mantyx, &launcher.caller);
    let slug = &caller.slug;
    let (session_id, body) = match &request.mode {
        LaunchMode::OneShot => {
            let spec = &request.spec;
            let create = |bearer| async move { mantyx.create_run(&bearer, slug, spec).await };
            return Ok(LaunchedRun { run_id: credentials.call(caller, create).await?, session_id: None });
        }
        LaunchMode::NewSession => {
            let (session_spec, message) = validation::split_for_session(&request.spec);
            let spec = &session_spec;
            let open = |bearer| async move { mantyx.create_session(&bearer, slug, spec).await };
            let session_id = credentials.call(caller, open).await?;
            let store = &launcher.state.store;
            let noted = store.set_launch_session(launcher.workspace(), &request.key, &session_id).await;
            noted.map_err(|error| LaunchFault::Unknown(error.to_string()))?;
            (session_id, message)
        }
        LaunchMode::Message { session_id } => (session_id.clone(), request.spec.clone()),
    };
    let (session, body) = (&session_id, &body);
    let send = |bearer| async move { mantyx.send_message(&bearer, slug, session, body).await };
    let sent = credentials.call(caller, send).await;
    if request.mode == LaunchMode::NewSession
        && matches!(sent, Err(LaunchFault::Refused(_) | LaunchFault::NotStarted(_)))
    {
        end_empty_session(launcher, session).await;
    }
    Ok(LaunchedRun { run_id: sent?, session_id: Some(session_id.clone()) })
}

/// Ends a session whose first message was refused. A failure leaves an empty session behind.
async fn end_empty_session(launcher: &Launcher<'_>, session_id: &str) {
    let (state, caller) = (launcher.state, &launcher.caller);
    let end = |bearer| async move { state.mantyx.end_session(&bearer, &caller.slug, session_id).await };
    if let Err(error) = state.credentials.call(caller, end).await {
        tracing::info!(%error, "an empty session could not be ended");
    }
}
