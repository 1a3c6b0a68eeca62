//! `GET /api/waiting`: the calls that wait for an answer from outside.

use axum::Json;
use axum::extract::State;
use domain::{WaitingCall, WaitingCalls};

use super::caller::ApiCaller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;
use crate::waiting::{self, BoardCall};

pub async fn list_waiting(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
) -> Result<Json<WaitingCalls>, Error> {
    let (board, freshness) = waiting::list(&state, &caller).await?;
    let now = now_ms();
    let call = |call: &BoardCall| WaitingCall {
        run_id: call.run_id.clone(),
        run_name: call.run_name.clone(),
        tool_use_id: call.tool_use_id.clone(),
        tool: call.tool.clone(),
        args: call.args.clone(),
        waiting_ms: call.waiting_ms(now),
        deadline_at_ms: call.deadline_at_ms,
        responder: call.responder.describe(None),
        writers: call.writers.iter().map(|writer| writer.email.clone()).collect(),
    };
    let calls = board.listed(now).map(call).collect();
    Ok(Json(WaitingCalls { calls, runs_not_listed: board.runs_not_listed, stale: freshness.stale() }))
}
