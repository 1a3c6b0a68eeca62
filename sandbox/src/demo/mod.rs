//! The demonstration: two weeks of realistic runs, executed by the real engine in a few seconds.
//!
//! Each run has a virtual clock that starts in the past. A simulated client follows the log and answers local tools.

pub mod a2a_peer;
pub mod mcp_server;
mod scenario;
mod seeded_rng;
mod simulated_client;
pub mod template;
mod timetable;

use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use futures::StreamExt;

use crate::api::errors::ApiError;
use crate::api::{runs, sessions};
use crate::app::App;
use crate::clock::Clock;
use crate::provider::{Pace, PreparedResponse};
use crate::secret::seeded_id;
use crate::workspace::{DEMO, OTHER};
use scenario::{Planned, Task};
use seeded_rng::SeededRng;

/// The workspaces and their scenarios.
const SCENARIOS: [(&str, &str); 2] =
    [(DEMO.slug, include_str!("demo_workspace.json")), (OTHER.slug, include_str!("other_workspace.json"))];

/// Responses to the prompts of the templates in Runlens's launch form.
const TEMPLATE_RESPONSES: &str = include_str!("template_responses.json");

/// Concurrent runs. More would only wait for the single writer.
const MAX_CONCURRENT: usize = 8;

pub async fn run(app: Arc<App>) {
    let mut planned = Vec::new();
    for (workspace, scenarios) in SCENARIOS {
        match scenario::plan(workspace, scenarios) {
            Ok(tasks) => planned.extend(timetable::schedule(tasks, Utc::now())),
            Err(error) => tracing::error!(%error, workspace, "the demonstration's scenarios cannot be read"),
        }
    }
    let runs = planned.len();
    futures::stream::iter(planned)
        .for_each_concurrent(MAX_CONCURRENT, |(planned, clock)| perform(&app, planned, clock))
        .await;
    tracing::info!(runs, "demonstration ready");
}

/// Returns the responses of the demonstration's models to its prompts and to those of templates. Those of larger models come
/// first.
pub fn prepared_responses() -> Vec<PreparedResponse> {
    let scenarios = SCENARIOS.iter().map(|(_, scenarios)| scenario::responses(scenarios));
    let all = scenarios.chain([scenario::exchanges(TEMPLATE_RESPONSES)]);
    let mut all: Vec<PreparedResponse> = all.flat_map(Result::unwrap_or_default).collect();
    all.sort_by_key(|response| std::cmp::Reverse(response.min_context));
    all
}

async fn perform(app: &App, planned: Planned, clock: Clock) {
    let id = planned.id.clone();
    if let Err(error) = try_perform(app, planned, clock).await {
        tracing::error!(id, ?error, "a run of the demonstration could not be started");
    }
}

async fn try_perform(app: &App, planned: Planned, clock: Clock) -> Result<(), ApiError> {
    let Planned { id, workspace, task, answers, pace_seed, .. } = planned;
    let pace = pace(pace_seed);
    match task {
        Task::Run(spec) => {
            let run_id = seeded_id("run_", &id);
            let launch = runs::validate_launch(app, None, spec, run_id.clone(), workspace, clock.clone(), pace)?;
            app.engine.launch(launch).await?;
            simulated_client::follow_run(app, workspace, &run_id, &clock, &answers).await
        }
        Task::Session { spec, messages } => {
            let session_id = seeded_id("ses_", &id);
            sessions::start(app, None, workspace, &session_id, &spec, clock.now().timestamp_millis()).await?;
            for (i, message) in messages.iter().enumerate() {
                clock.advance(Duration::from_secs(40 + 35 * i as u64));
                let run_id = seeded_id("run_", &format!("{id}/{i}"));
                let (clock, run) = (clock.clone(), run_id.clone());
                sessions::messages::send(app, workspace, &session_id, message, run, clock.clone(), pace).await?;
                simulated_client::follow_run(app, workspace, &run_id, &clock, &answers).await?;
            }
            Ok(())
        }
    }
}

fn pace(seed: u64) -> Pace {
    let mut rng = SeededRng::new(seed);
    Pace {
        before_first_piece: Duration::from_millis(300 + rng.below(1500)),
        per_delta: Duration::from_millis(18 + rng.below(30)),
    }
}
