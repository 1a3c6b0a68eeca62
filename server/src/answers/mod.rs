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

use std::time::Duration;

use domain::ToolAnswerers;
use tracing::Instrument;

use crate::state::AppState;
use crate::store::{AnswerPlan, Leased};

pub use canned::fill_placeholders;
pub use reply::describe;
pub use sender::{Obstacle, find as find_sender};

/// A process that does not renew its lease for this long counts as dead.
const LEASE_MS: i64 = 20_000;
const RENEW_EVERY: Duration = Duration::from_secs(5);
const MAX_CLAIMS: i64 = 50;

/// Answers the calls of launched runs, until the server stops.
pub async fn work(state: AppState) {
    let claim = |owner: String, now, until| {
        let store = state.store.clone();
        async move { store.claim_answer_plans(&owner, now, until, MAX_CLAIMS).await }
    };
    let answer = |plan: AnswerPlan| {
        let span = tracing::info_span!("answer run", run_id = plan.run_id, workspace = %plan.workspace_id);
        leased_run::answer_run(state.clone(), plan).instrument(span)
    };
    state.answers.clone().run(state.clone(), (Leased::Runs, LEASE_MS), claim, answer).await;
}

pub fn without_secrets(answers: ToolAnswerers) -> ToolAnswerers {
    answers.into_iter().map(|(tool, answerer)| (tool, answerer.without_secrets())).collect()
}
