//! The run engine: executes a validated spec and logs every event.

mod builtin;
mod client_tools;
mod conversation;
mod ending;
mod guards;
mod log;
mod model_query;
mod plan;
mod run_loop;
mod structured_output;
mod supervisor;
mod tool_use;
mod toolbox;
mod turn;

use std::sync::Arc;

use protocol::json::preview;
use protocol::spec;
use reqwest::Client;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::agents;
use crate::clock::Clock;
use crate::journal::Journal;
use crate::live::{LiveRuns, StopReason};
use crate::models::Model;
use crate::provider::{Message, Pace};
use crate::store::{NewRun, Store};
pub use builtin::Builtin;
use log::Log;
use run_loop::Run;

pub struct Engine {
    store: Store,
    journal: Journal,
    pub live: LiveRuns,
    http: Client,
    tasks: TaskTracker,
    /// Set on shutdown: every run must end.
    stopping: CancellationToken,
    /// Set to drop all runs at once, as in a crash.
    abandon: CancellationToken,
}

/// A validated spec and the settings of its run.
pub struct Launch {
    pub run_id: String,
    pub workspace: &'static str,
    pub session_id: Option<String>,
    pub spec: Value,
    pub models: ChosenModels,
    /// Earlier messages of the session.
    pub history: Vec<Message>,
    pub clock: Clock,
    pub pace: Pace,
}

pub struct ChosenModels {
    pub first: Arc<Model>,
    /// Used when the first is not available.
    pub fallback: Option<Arc<Model>>,
    /// Reviews the run if it is supervised.
    pub judge: Arc<Model>,
}

impl Engine {
    pub fn new(store: Store, journal: Journal, live: LiveRuns, http: Client, abandon: CancellationToken) -> Self {
        Self { store, journal, live, http, tasks: TaskTracker::new(), stopping: CancellationToken::new(), abandon }
    }

    /// Stores the run and starts it; it can then be followed, answered and cancelled. Returns `false`, without a run, if its
    /// session has ended.
    pub async fn launch(&self, launch: Launch) -> sqlx::Result<bool> {
        let id: Arc<str> = launch.run_id.as_str().into();
        let live = self.live.register(id.clone());
        if self.stopping.is_cancelled() {
            live.stop(StopReason::ShuttingDown);
        }
        let (workspace, model_id) = (launch.workspace, launch.models.first.id.clone());
        let input_preview = preview(spec::prompt_text(&launch.spec), 200);
        let created = self.store.create_run(NewRun {
            id: &id,
            workspace,
            session_id: launch.session_id.as_deref(),
            spec: &launch.spec,
            metadata: &launch.spec["metadata"],
            model_id: &model_id,
            input_preview: &input_preview,
            created_at: launch.clock.now().timestamp_millis(),
        });
        let created = created.await;
        if !matches!(created, Ok(true)) {
            self.live.remove(&id);
            return created;
        }
        let effective = agents::effective_spec(&launch.spec);
        let log = Log::new(self.journal.clone(), id.clone(), launch.clock.clone());
        let run = Run::new(launch, effective, log, live, self.http.clone());
        tracing::debug!(run = &*id, workspace, model = model_id, "run started");
        let abandon = self.abandon.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                () = abandon.cancelled() => {}
                () = run.execute() => {}
            }
        });
        Ok(true)
    }

    /// Stops a run in flight at once, also while it waits for the client. The documents disagree: one lets the client answer
    /// pending calls first, the other ignores answers after a cancellation.
    pub fn cancel(&self, run_id: &str, reason: &'static str) {
        if let Some(live) = self.live.get(run_id) {
            live.stop(StopReason::Cancelled(reason));
        }
    }

    /// Stops all runs and waits until each has logged its last event.
    pub async fn shut_down(&self) {
        self.stopping.cancel();
        self.live.stop_all(StopReason::ShuttingDown);
        self.tasks.close();
        self.tasks.wait().await;
    }
}
