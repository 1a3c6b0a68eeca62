//! The page of calls that wait for an answer: the list, and one call with the form that answers it.

mod details;
mod list;

use app::model::waiting::{WaitingAddress, WaitingModel};

use crate::auth::scopes::{RUNS_READ, RUNS_WRITE};
use crate::clock::now_ms;
use crate::error::Error;
use crate::html::render;
use crate::pages::reply;
use crate::run_actions;
use crate::views;
use crate::waiting::{self, BoardCall, ReplyPage};
use crate::workspace::SignedInWorkspace;

pub async fn load(workspace: &SignedInWorkspace, address: &WaitingAddress) -> Result<WaitingModel, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let (board, freshness) = waiting::list(state, caller).await?;
    let viewer = views::owner(state, caller).await?;
    let (viewer, now) = (viewer.as_deref(), now_ms());
    let calls: Vec<&BoardCall> = board.listed(now).collect();
    let shown = match address.named() {
        Some((run_id, tool_use_id)) => board.find(run_id, tool_use_id),
        None => calls.first().copied(),
    };
    let gone = match address.named() {
        Some((run_id, tool_use_id)) if shown.is_none() => {
            let is_stored = state.store.run(caller.workspace_id, run_id).await?.is_some();
            let by = run_actions::answered_before(state, caller, run_id, tool_use_id).await?;
            details::gone(is_stored.then_some(run_id), by, &workspace.viewer.email, calls.first().copied())
        }
        _ => String::new(),
    };
    let notice = freshness.stale().or_else(|| workspace.cannot_save_notice());
    let list = list::render(&calls, shown, viewer, board.runs_not_listed, notice, now);
    let model =
        WaitingModel { count: calls.len() as u64, list, call: address.clone(), gone, ..WaitingModel::default() };
    match shown {
        Some(call) => show(workspace, model, call, viewer, now).await,
        None => Ok(model),
    }
}

/// Adds the call that is answered.
async fn show(
    workspace: &SignedInWorkspace,
    model: WaitingModel,
    call: &BoardCall,
    viewer: Option<&str>,
    now_ms: i64,
) -> Result<WaitingModel, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let log = state.timelines.replay(state, caller, &call.run_id).await?;
    let spec = crate::runs::masked_spec(state, caller, &call.run_id).await?.unwrap_or_default();
    let can_write = workspace.has_scope(RUNS_WRITE);
    Ok(WaitingModel {
        call: WaitingAddress::of(&call.run_id, &call.tool_use_id),
        header: details::header(call, viewer, now_ms),
        details: details::render(call, log.latest(), &spec, can_write),
        writers: render(list::writers(call, viewer)),
        controls: match can_write {
            true => reply::render(ReplyPage::Waiting, &call.run_id, &call.tool_use_id, &call.tool, &spec),
            false => String::new(),
        },
        ..model
    })
}

/// The number of listed calls. The rail of every page shows it, so it syncs nothing, and a fault shows no number.
pub async fn count(workspace: &SignedInWorkspace) -> u64 {
    if !workspace.has_scope(RUNS_READ) {
        return 0;
    }
    match workspace.state.waiting.load(&workspace.state, workspace.caller.workspace_id).await {
        Ok(board) => board.listed(now_ms()).count() as u64,
        Err(error) => {
            tracing::warn!(%error, "cannot count the waiting calls");
            0
        }
    }
}
