//! Ends sessions that are over, and revokes the grants that nothing uses any more.

use super::session::{IDLE_LIMIT_MS, SIGN_IN_LIMIT_MS};
use crate::error::Error;
use crate::state::AppState;

/// A sign-in stores its grant first and its session with the response.
const SIGN_IN_TAKES_MS: i64 = 10 * 60 * 1000;

/// Deletes sessions that are over. Then revokes grants without a session at MANTYX and deletes them, unless the background
/// sync, pending answers or batches need them. After a sign-in's time limit, they are revoked in any case.
pub async fn end_sessions(state: &AppState, now_ms: i64) -> Result<(), Error> {
    state.store.delete_ended_web_sessions(now_ms, now_ms - IDLE_LIMIT_MS).await?;
    let synced_by_key = state.api_key.as_ref().and_then(|key| key.workspace_id.get().copied());
    let unused = state.store.unused_grants(now_ms - SIGN_IN_LIMIT_MS, now_ms - SIGN_IN_TAKES_MS, synced_by_key).await?;
    for grant_id in &unused {
        state.credentials.sign_out(grant_id, None).await?;
    }
    if !unused.is_empty() {
        tracing::info!(grants = unused.len(), "revoked grants that nothing uses any more");
    }
    Ok(())
}
