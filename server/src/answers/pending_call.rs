//! Answers one local tool call, from claiming it to sending the result to MANTYX.

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

/// A call that has no result yet, with everything needed to answer it.
pub(super) struct PendingCall {
    pub state: AppState,
    pub caller: Caller,
    pub run_id: String,
    pub owner: String,
    pub tool_use_id: String,
    pub tool: String,
    pub args: Value,
    pub answerer: Answerer,
    pub timeout: Duration,
}

impl PendingCall {
    fn key(&self) -> CallKey<'_> {
        CallKey { workspace: self.caller.workspace_id, run_id: &self.run_id, tool_use_id: &self.tool_use_id }
    }

    pub async fn answer(&self) -> Result<(), Error> {
        let (store, via, by) = (&self.state.store, self.answerer.via(), reply::describe(&self.answerer));
        let claim = persist(|| store.claim_answer(self.key(), &self.tool, via, &by, &self.owner, now_ms())).await;
        let reply = match claim {
            Claim::Settled => return Ok(()),
            Claim::Ready(sealed) => match self.open_reply(&sealed) {
                Some(reply) => Some(reply),
                None => self.ask().await,
            },
            // A canned reply can be repeated. A peer may have done something that must not be done twice.
            Claim::Interrupted if !matches!(self.answerer, Answerer::Canned(_)) => Some(Err(format!(
                "Runlens stopped while it waited for {by}. The tool may or may not have run; it was not called \
                 again."
            ))),
            Claim::Fresh | Claim::Interrupted => self.ask().await,
        };
        let Some(reply) = reply else { return Ok(()) };
        let sealed = serde_json::to_vec(&reply).map(|json| self.state.vault.seal(purpose::ANSWER, &json));
        let sealed = sealed.unwrap_or_default();
        if persist(|| store.save_reply(self.key(), &self.owner, &sealed, now_ms())).await {
            self.send(&reply).await?;
        }
        Ok(())
    }

    async fn ask(&self) -> Option<ToolReply> {
        reply::get(&self.state.peers.of(&self.caller.slug), &self.answerer, &self.tool, &self.args, self.timeout).await
    }

    fn open_reply(&self, sealed: &[u8]) -> Option<ToolReply> {
        let json = self.state.vault.open_sealed(purpose::ANSWER, sealed).ok()?;
        serde_json::from_slice(&json).ok()
    }

    /// Sends the result until MANTYX accepts or rejects it. The task ends with the run.
    async fn send(&self, reply: &ToolReply) -> Result<(), Error> {
        let (state, caller) = (&self.state, &self.caller);
        let mut retry = RETRY;
        loop {
            let send = |bearer| async move {
                state.mantyx.answer_call(&bearer, &caller.slug, &self.run_id, &self.tool_use_id, reply).await
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
            persist(|| state.store.settle_answer(self.key(), &self.owner, outcome, problem, now_ms())).await;
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
