//! `GET /api/runs` and `GET /api/runs/{id}`.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use domain::{Incomplete, RunSummary};
use protocol::timeline::{Banner, Sentence, verdict};
use protocol::{Query as Filter, Timeline};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::caller::ApiCaller;
use super::invalid;
use crate::error::Error;
use crate::run_pages;
use crate::state::AppState;
use crate::workspace::{self, History};

#[derive(Deserialize)]
pub struct ListParams {
    #[serde(default)]
    q: String,
    limit: Option<u32>,
    cursor: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunList {
    runs: Vec<RunSummary>,
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<String>,
    /// Where nothing matches: the clauses without which something would.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    excluding: Vec<String>,
    /// The page is not full, and yet not the last: only so many runs were looked at. `next_cursor` goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    looked_at: Option<u64>,
    /// Parts of the filter that no run can match as they are spelt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
    /// Runs that match may be missing, because the mirror lacks so much.
    incomplete: Option<Incomplete>,
}

pub async fn list_runs(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    params: Result<Query<ListParams>, QueryRejection>,
) -> Result<Json<RunList>, Error> {
    let Query(params) = params.map_err(|rejection| invalid("query", rejection.body_text()))?;
    let filter = Filter::parse(&params.q).map_err(|error| invalid("q", error.to_string()))?;
    let limit = params.limit.unwrap_or(50);
    if !(1..=200).contains(&limit) {
        return Err(invalid("limit", "Use a limit from 1 to 200.".to_owned()));
    }
    let page = workspace::list_runs(&state, &caller, &filter, params.cursor.as_deref(), limit, History::Wanted).await?;
    let excluding = page.excluding.iter().filter_map(|index| filter.clauses.get(*index)).map(ToString::to_string);
    let sync = state.mirror.progress(&state, caller.workspace_id).await?;
    Ok(Json(RunList {
        excluding: excluding.collect(),
        looked_at: page.looked_at,
        notices: page.notices,
        incomplete: sync.incomplete(),
        runs: page.runs,
        next_cursor: page.next_cursor,
        stale: page.stale,
    }))
}

pub async fn get_run(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(id): Path<String>,
) -> Result<Json<Value>, Error> {
    let (run, _) = workspace::find_run(&state, &caller, &id).await?;
    let spec = run_pages::spec(&state, &caller, &id).await?;
    let replay = state.timelines.replay(&state, &caller, &id).await?;
    let timeline = replay.latest();
    let prompt = spec.as_ref().map(protocol::spec::prompt_text).filter(|prompt| !prompt.is_empty());
    let banners = spec.as_ref().map_or_else(|| timeline.banners(), |spec| timeline.banners_for(spec));
    Ok(Json(run_body(&run, timeline, prompt, &verdict(timeline, spec.as_ref()), &banners)))
}

/// A run's summary with what its log tells.
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
