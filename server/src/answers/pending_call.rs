//! Answers one local tool call, from claiming it to sending the result to MANTYX.

use std::sync::Arc;
use std::time::Duration;

use domain::{AnswerState, Answerer, Backoff};
use serde_json::Value;

use super::reply;
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::peers::ToolReply;
use crate::state::AppState;
use crate::store::{CallKey, Claim};
use crate::vault::purpose;

pub(super) const MAX_RETRY_DELAY: Duration = Duration::from_secs(10);
const RETRY: Backoff = Backoff::new(Duration::from_millis(250), MAX_RETRY_DELAY);

/// The lease on a run, under which its calls are answered.
pub(super) struct Lease {
    pub state: AppState,
    pub caller: Caller,
    pub run_id: String,
    pub owner: String,
    pub timeout: Duration,
}

impl Lease {
    pub fn call<'a>(&'a self, tool_use_id: &'a str) -> CallKey<'a> {
        CallKey { workspace: self.caller.workspace_id, run_id: &self.run_id, tool_use_id, owner: &self.owner }
    }
}

/// A call that has no result yet, with everything needed to answer it.
pub(super) struct PendingCall {
    pub lease: Arc<Lease>,
    pub tool_use_id: String,
    pub tool: String,
    pub args: Value,
    pub answerer: Answerer,
}

impl PendingCall {
    pub async fn answer(&self) -> Result<(), Error> {
        let (via, by, key) = (self.answerer.via(), reply::describe(&self.answerer), self.lease.call(&self.tool_use_id));
        let Lease { state: AppState { store, vault, .. }, .. } = &*self.lease;
        let claim = persist(|| store.claim_answer(key, &self.tool, via, &by, now_ms())).await;
        let reply = match claim {
            Claim::Settled => return Ok(()),
            Claim::Ready(sealed) => match vault.open_json(purpose::ANSWER, &sealed) {
                Ok(reply) => Some(reply),
                Err(_) => self.ask().await,
            },
            // A canned reply can be repeated. A peer may have done something that must not be done twice.
            Claim::Interrupted if !matches!(self.answerer, Answerer::Canned(_)) => Some(Err(format!(
                "Runlens stopped while it waited for {by}. The tool may or may not have run; it was not called \
                 again."
            ))),
            Claim::Fresh | Claim::Interrupted => self.ask().await,
        };
        let Some(reply) = reply else { return Ok(()) };
        let sealed = vault.seal_json(purpose::ANSWER, &reply);
        if persist(|| store.save_reply(key, &sealed, now_ms())).await {
            self.send(&reply).await?;
        }
        Ok(())
    }

    async fn ask(&self) -> Option<ToolReply> {
        let Lease { state, caller, timeout, .. } = &*self.lease;
        reply::get(&state.peers.of(&caller.slug), &self.answerer, &self.tool, &self.args, *timeout).await
    }

    /// Sends the result until MANTYX accepts or rejects it. The task ends with the run.
    async fn send(&self, reply: &ToolReply) -> Result<(), Error> {
        let Lease { state, caller, run_id, .. } = &*self.lease;
        let mut retry = RETRY;
        loop {
            let send = |bearer| async move {
                state.mantyx.answer_call(&bearer, &caller.slug, run_id, &self.tool_use_id, reply).await
            };
            let (outcome, problem) = match state.credentials.call(caller, send).await {
                Ok(()) => (AnswerState::Sent, None),
                Err(MantyxError::Refused { code, .. })
                    if matches!(code.as_str(), "unknown_tool_use" | "run_terminal") =>
                {
                    (AnswerState::NotNeeded, None)
                }
                Err(MantyxError::RateLimited { retry_after }) => {
                    tokio::time::sleep(retry_after.unwrap_or_else(|| retry.next_delay())).await;
                    continue;
                }
                Err(error @ (MantyxError::Unreachable(_) | MantyxError::Refused { status: 500.., .. })) => {
                    tracing::info!(%error, "cannot send a tool result; retrying");
                    tokio::time::sleep(retry.next_delay()).await;
                    continue;
                }
                // The reply is stored. It is sent with another consent of the same person, or after their next sign-in.
                Err(error @ (MantyxError::Unauthorized | MantyxError::MissingScope { .. })) => {
                    return Err(error.into());
                }
                Err(error) => (AnswerState::Failed, Some(app::AppError::from(Error::from(error)).to_string())),
            };
            let problem = problem.as_deref();
            let key = self.lease.call(&self.tool_use_id);
            persist(|| state.store.settle_answer(key, outcome, problem, now_ms())).await;
            return Ok(());
        }
    }
}

/// Runs a database operation until it succeeds. While this process holds the lease, no other continues with the call;
/// the task ends with the run or with the lease.
async fn persist<T, F: Future<Output = crate::store::Result<T>>>(operation: impl Fn() -> F) -> T {
    let mut retry = RETRY;
    loop {
        match operation().await {
            Ok(done) => return done,
            Err(error) => tracing::warn!(%error, "database failed while answering a tool call; retrying"),
        }
        tokio::time::sleep(retry.next_delay()).await;
    }
}
