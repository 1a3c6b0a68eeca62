//! The state that all handlers share.

use std::sync::Arc;

use app::api::sign_in::SignInInfo;
use app::backend::SiteAssets;
use leptos::config::LeptosOptions;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use crate::answers::AnswerWorker;
use crate::auth::{BearerCache, Credentials};
use crate::config::Site;
use crate::launch::{BatchWorker, Catalogues};
use crate::live::Hub;
use crate::mantyx::Mantyx;
use crate::metrics::Metrics;
use crate::mirror::{ApiKey, Mirror};
use crate::peers::Peers;
use crate::store::Store;
use crate::timelines::TimelineCache;
use crate::vault::Vault;

#[derive(Clone, Debug)]
pub struct AppState {
    pub store: Store,
    pub vault: Arc<Vault>,
    pub mantyx: Mantyx,
    pub credentials: Credentials,
    pub bearers: BearerCache,
    pub mirror: Mirror,
    pub live: Hub,
    pub peers: Peers,
    pub answers: AnswerWorker,
    pub batches: BatchWorker,
    pub catalogues: Catalogues,
    pub timelines: TimelineCache,
    pub public_url: Url,
    pub mantyx_workspace: Option<String>,
    /// The operator's key, for syncing without a signed-in user.
    pub api_key: Option<ApiKey>,
    pub site: Site,
    pub assets: SiteAssets,
    pub sign_in: SignInInfo,
    pub metrics: Metrics,
    pub metrics_token: Option<String>,
    pub leptos: LeptosOptions,
    /// Cancelled when the server stops. Ends streams and background tasks.
    pub shutdown: CancellationToken,
    /// Background tasks that must end before the databases are closed.
    pub tasks: TaskTracker,
}

impl axum::extract::FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}
