//! People who are writing an answer: others see who writes, at once.

use app::AppError;

use crate::auth::{Caller, Credential};
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;
use crate::store::CallKey;

/// A person who has changed nothing for this long is no longer writing.
pub(super) const WRITING_FOR_MS: i64 = 15_000;

/// Notes that the caller is writing an answer to a call. Fails if the call is not waiting in the caller's workspace.
pub async fn note_writer(state: &AppState, caller: &Caller, run_id: &str, tool_use_id: &str) -> Result<(), Error> {
    let workspace = caller.workspace_id;
    if state.waiting.load(state, workspace).await?.find(run_id, tool_use_id).is_none() {
        return Err(AppError::not_found("call").into());
    }
    let Credential::Grant(grant_id) = &caller.credential else { return Ok(()) };
    let Some(grant) = state.store.grant(grant_id).await? else { return Err(AppError::SignedOut.into()) };
    let call = CallKey { workspace, run_id, tool_use_id, owner: "" };
    let now = now_ms();
    state.store.note_call_writer(call, &grant.subject, &grant.email, now, now - WRITING_FOR_MS).await?;
    state.waiting.changed(workspace);
    Ok(())
}
