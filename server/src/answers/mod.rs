//! Answers the local tools of launched runs, whether or not a browser is open.
//!
//! ```text
//!  launch ──plan──▶ run_answerer ──lease──▶ one process follows the run ──local_tool_call──▶ claim in run_answer
//!                                                                                             │
//!                             MANTYX ◀──tool-results── reply kept, encrypted ◀── canned, MCP, A2A
//! ```
//!
//! A plan is held under a lease, so that exactly one process answers and another takes over when it dies. A call is
//! claimed before anything is done for it. A peer is asked at most once for a call: where the process died meanwhile,
//! the model is told that nobody knows what happened.

mod canned;
mod follow;
mod reply;
mod work;

use std::sync::Arc;
use std::time::Duration;

use domain::ToolAnswerers;
use tokio::sync::Notify;

use crate::clock::now_ms;
use crate::state::AppState;
use crate::vault::{Unreadable, Vault};

const SWEEP_EVERY: Duration = Duration::from_secs(5);
/// A process that has not been heard of for this long is taken for dead.
const LEASE_MS: i64 = 20_000;
const RENEW_EVERY: Duration = Duration::from_secs(5);
const CLAIM_AT_MOST: u32 = 50;
const PURPOSE: &str = "answers";

/// Wakes the loop when a run was launched, so that its first call does not wait for the next sweep.
#[derive(Clone, Debug, Default)]
pub struct AnswerDesk {
    wake: Arc<Notify>,
}

impl AnswerDesk {
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Takes up runs that nobody answers, until the server stops.
    pub async fn run(self, state: AppState) {
        loop {
            // A new name each time: what an earlier hold of the same run left undone is then seen as left.
            let owner = crate::random::reference();
            let now = now_ms();
            match state.store.claim_answer_plans(&owner, now, now + LEASE_MS, CLAIM_AT_MOST).await {
                Ok(plans) => {
                    for plan in plans {
                        state.tasks.spawn(follow::run(state.clone(), plan, owner.clone()));
                    }
                }
                Err(error) => tracing::warn!(%error, "runs whose tools are to be answered could not be looked up"),
            }
            tokio::select! {
                () = self.wake.notified() => {}
                () = tokio::time::sleep(SWEEP_EVERY) => {}
                () = state.shutdown.cancelled() => return,
            }
        }
    }
}

pub fn seal(vault: &Vault, answers: &ToolAnswerers) -> Vec<u8> {
    vault.seal(PURPOSE, &serde_json::to_vec(answers).unwrap_or_default())
}

pub fn open(vault: &Vault, sealed: &[u8]) -> Result<ToolAnswerers, Unreadable> {
    serde_json::from_slice(&vault.open_sealed(PURPOSE, sealed)?).map_err(|_| Unreadable)
}

pub fn without_secrets(answers: ToolAnswerers) -> ToolAnswerers {
    answers.into_iter().map(|(tool, answerer)| (tool, answerer.without_secrets())).collect()
}
