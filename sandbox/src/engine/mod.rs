//! The run engine: takes a checked spec, runs it to its end, and writes everything down.

mod aside;
mod builtin;
mod client_tools;
mod conversation;
mod ending;
mod guards;
mod log;
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
    /// Set when no run may go on.
    stopping: CancellationToken,
    /// Set when the process is to be gone at once, as after a crash.
    abandon: CancellationToken,
}

/// A checked spec and all that is decided about its run before it starts.
pub struct Launch {
    pub run_id: String,
    pub workspace: &'static str,
    pub session_id: Option<String>,
    pub spec: Value,
    pub models: ChosenModels,
    /// What was said in the session before.
    pub history: Vec<Message>,
    pub clock: Clock,
    pub pace: Pace,
}

pub struct ChosenModels {
    /// The one that begins.
    pub first: Arc<Model>,
    /// Takes over when the first is not available.
    pub fallback: Option<Arc<Model>>,
    /// Reviews the run, where it is supervised.
    pub judge: Arc<Model>,
}

impl Engine {
    pub fn new(store: Store, journal: Journal, live: LiveRuns, http: Client, abandon: CancellationToken) -> Self {
        Self { store, journal, live, http, tasks: TaskTracker::new(), stopping: CancellationToken::new(), abandon }
    }

    /// Writes the run down and starts it. From here on it can be followed, answered and cancelled. `false` when its session
    /// has ended meanwhile: then there is no run.
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
            self.live.forget(&id);
            return created;
        }
        let effective = agents::effective_spec(&launch.spec);
        let log = Log::new(self.journal.clone(), id.clone());
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

    /// Asks a run to stop; one that is not in flight stays as it is. It stops at once, also while it waits for the client:
    /// one document lets calls in flight be answered first, the other drops what comes after a cancellation.
    pub fn cancel(&self, run_id: &str, reason: &'static str) {
        if let Some(live) = self.live.get(run_id) {
            live.stop(StopReason::Cancelled(reason));
        }
    }

    /// Ends what is in flight and waits until every run has had its last word.
    pub async fn shut_down(&self) {
        self.stopping.cancel();
        self.live.stop_all(StopReason::ShuttingDown);
        self.tasks.close();
        self.tasks.wait().await;
    }
}
