//! `/api/runs` and `/api/runs/{id}`.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use domain::{Incomplete, RunSort, RunSummary, RunsPage};
use protocol::timeline::{Banner, Sentence, verdict};
use protocol::{Query as Filter, Timeline};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::caller::ApiCaller;
use super::invalid;
use super::path_id::PathId;
use crate::error::Error;
use crate::pages::run::load_banners;
use crate::runs::{self, History};
use crate::state::AppState;

#[derive(Deserialize)]
pub struct ListParams {
    #[serde(default)]
    q: String,
    sort: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
}

#[derive(Serialize)]
pub struct RunsResponse {
    #[serde(flatten)]
    pub page: RunsPage,
    /// The part of the workspace that is not synced yet: runs that match may be missing.
    pub incomplete: Option<Incomplete>,
}

pub async fn list_runs(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    params: Result<Query<ListParams>, QueryRejection>,
) -> Result<Json<RunsResponse>, Error> {
    let Query(params) = params.map_err(|rejection| invalid("query", rejection.body_text()))?;
    let filter = Filter::parse(&params.q).map_err(|error| invalid("q", error.to_string()))?;
    let limit = params.limit.unwrap_or(50);
    if !(1..=200).contains(&limit) {
        return Err(invalid("limit", "Use a limit from 1 to 200.".to_owned()));
    }
    let sort = match params.sort.as_deref() {
        Some(text) => {
            text.parse().map_err(|_| invalid("sort", format!("Use one of {}.", RunSort::NAMES.join(", "))))?
        }
        None => RunSort::default(),
    };
    let cursor = params.cursor.as_deref();
    let (_, page) = runs::list_runs(&state, &caller, &filter, sort, cursor, limit, History::Sync).await?;
    let sync = state.mirror.progress(&state, caller.workspace_id).await?;
    Ok(Json(RunsResponse { page, incomplete: sync.incomplete() }))
}

pub async fn get_run(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
) -> Result<Json<Value>, Error> {
    let (run, _) = runs::find_run(&state, &caller, &id).await?;
    let spec = runs::masked_spec(&state, &caller, &id).await?;
    let replay = state.timelines.replay(&state, &caller, &id).await?;
    let timeline = replay.latest();
    let prompt = spec.as_ref().map(protocol::spec::prompt_text).filter(|prompt| !prompt.is_empty());
    let banners = load_banners(&state, &caller, &id, &replay, spec.as_ref()).await?;
    Ok(Json(run_body(&run, timeline, prompt, &verdict(timeline, spec.as_ref()), &banners)))
}

/// A run's summary with the prompt, and the answer, verdict and banners from its log.
pub fn run_body(
    run: &RunSummary,
    timeline: &Timeline,
    prompt: Option<&str>,
    verdict: &[Sentence],
    banners: &[Banner],
) -> Value {
    let mut body = serde_json::to_value(run).unwrap_or_default();
    body["prompt"] = prompt.or(run.input_preview.as_deref()).into();
    body["answer"] = timeline.answer().into();
    body["verdict"] = serde_json::to_value(verdict).unwrap_or_default();
    body["banners"] = serde_json::to_value(banners).unwrap_or_default();
    body
}
