//! What handlers share.

use app::api::sign_in::SignInInfo;
use app::backend::SiteAssets;
use leptos::config::LeptosOptions;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::auth::{BearerCache, Credentials};
use crate::live::Hub;
use crate::mantyx::Mantyx;
use crate::metrics::Metrics;
use crate::mirror::{ApiKey, Mirror};
use crate::store::Store;
use crate::timelines::Timelines;

#[derive(Clone, Debug)]
pub struct AppState {
    pub store: Store,
    pub mantyx: Mantyx,
    pub credentials: Credentials,
    pub bearers: BearerCache,
    pub mirror: Mirror,
    pub live: Hub,
    pub timelines: Timelines,
    pub public_url: Url,
    pub mantyx_workspace: Option<String>,
    /// The operator's own, for syncing without a signed-in user.
    pub api_key: Option<ApiKey>,
    pub assets: SiteAssets,
    pub sign_in: SignInInfo,
    pub metrics: Metrics,
    pub metrics_token: Option<String>,
    pub leptos: LeptosOptions,
    /// Ends streams that would otherwise keep the server from stopping.
    pub shutdown: CancellationToken,
}

impl axum::extract::FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}
