//! Answers the local tool calls of launched runs, whether or not a browser is open.
//!
//! ```text
//!  launch ──plan──▶ run_answerer ──lease──▶ one process follows the run ──local_tool_call──▶ claim in run_answer
//!                                                                                             │
//!                             MANTYX ◀──tool-results── reply stored, sealed ◀── canned, MCP, A2A
//! ```
//!
//! A plan is held under a lease, so that exactly one process answers and another takes over when that one dies. A call is
//! claimed before it is answered. A peer is asked at most once per call: if the process dies meanwhile, the model gets an
//! error that says the outcome is unknown.

mod canned;
mod leased_run;
mod pending_call;
mod reply;
mod sender;

use std::sync::Arc;
use std::time::Duration;

use domain::ToolAnswerers;
use tokio::sync::Notify;
use tracing::Instrument;

use crate::clock::now_ms;
use crate::state::AppState;
use crate::vault::{Unreadable, Vault, purpose};

pub use canned::fill_placeholders;
pub use sender::{Obstacle, find as find_sender};

const SWEEP_EVERY: Duration = Duration::from_secs(5);
/// A process that does not renew its lease for this long counts as dead.
const LEASE_MS: i64 = 20_000;
const RENEW_EVERY: Duration = Duration::from_secs(5);
const MAX_CLAIMS: u32 = 50;

/// A background task that finds runs whose calls are to be answered. It is woken when a run is launched, so that the first
/// call does not wait for the next sweep.
#[derive(Clone, Debug, Default)]
pub struct AnswerWorker {
    wake: Arc<Notify>,
}

impl AnswerWorker {
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Answers runs that no process answers, until the server stops.
    pub async fn run(self, state: AppState) {
        loop {
            // A new owner for each sweep: calls that an earlier lease of the same run left unfinished are then recognised.
            let owner = crate::random::reference();
            let now = now_ms();
            match state.store.claim_answer_plans(&owner, now, now + LEASE_MS, MAX_CLAIMS).await {
                Ok(plans) => {
                    for plan in plans {
                        let (run_id, workspace) = (&plan.run_id, plan.workspace_id);
                        let span = tracing::info_span!("answer run", run_id, %workspace);
                        state.tasks.spawn(leased_run::answer_run(state.clone(), plan, owner.clone()).instrument(span));
                    }
                }
                Err(error) => tracing::warn!(%error, "cannot list runs whose tools are to be answered"),
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
    vault.seal(purpose::ANSWERERS, &serde_json::to_vec(answers).unwrap_or_default())
}

pub fn open(vault: &Vault, sealed: &[u8]) -> Result<ToolAnswerers, Unreadable> {
    serde_json::from_slice(&vault.open_sealed(purpose::ANSWERERS, sealed)?).map_err(|_| Unreadable)
}

pub fn without_secrets(answers: ToolAnswerers) -> ToolAnswerers {
    answers.into_iter().map(|(tool, answerer)| (tool, answerer.without_secrets())).collect()
}
