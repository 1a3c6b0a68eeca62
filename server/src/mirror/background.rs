//! Syncing without a signed-in user, with the operator's API key.

use std::time::Duration;

use crate::auth::{Caller, Credential};
use crate::error::Error;
use crate::mantyx::Bearer;
use crate::mirror::Freshness;
use crate::state::AppState;

const EVERY: Duration = Duration::from_secs(30);

/// Brings in the newest runs of `slug` again and again, until the server stops.
pub async fn sync_with_api_key(state: AppState, api_key: String, slug: String) {
    let bearer = Bearer::new(api_key);
    let mut ticks = tokio::time::interval(EVERY);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = state.shutdown.cancelled() => return,
        }
        match sync_once(&state, &bearer, &slug).await {
            Ok(Freshness::Fresh) => {}
            Ok(stale) => tracing::warn!(reason = ?stale.stale(), "the background sync was not complete"),
            Err(error) => tracing::warn!(%error, "the background sync failed (MANTYX_API_KEY, MANTYX_WORKSPACE)"),
        }
    }
}

async fn sync_once(state: &AppState, bearer: &Bearer, slug: &str) -> Result<Freshness, Error> {
    // MANTYX confirms that the key belongs to the workspace before anything is stored under it.
    state.mantyx.models(bearer, slug).await?;
    let caller = Caller {
        workspace_id: state.store.workspace_from_slug(slug).await?,
        slug: slug.to_owned(),
        credential: Credential::Bearer(bearer.clone()),
    };
    state.mirror.sync_newest(state, &caller).await
}
