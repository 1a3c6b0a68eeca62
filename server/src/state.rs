//! The state that all handlers share.

use std::sync::Arc;

use app::api::sign_in::SignInInfo;
use app::backend::SiteAssets;
use leptos::config::LeptosOptions;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;
use url::Url;

use crate::audit::LateEntries;
use crate::auth::{Admins, BearerCache, Credentials, Workspaces};
use crate::config::Site;
use crate::import::ImportWriter;
use crate::launch::Catalogues;
use crate::lease_worker::LeaseWorker;
use crate::limits::Limits;
use crate::live::{Hub, Streams};
use crate::mantyx::Mantyx;
use crate::metrics::Metrics;
use crate::mirror::{ApiKey, Mirror};
use crate::peers::WorkspacePeers;
use crate::redaction::PatternCache;
use crate::store::{Retention, Store};
use crate::timelines::TimelineCache;
use crate::vault::Vault;
use crate::waiting::Boards;
use crate::web::client_address::TrustedProxies;
use crate::web::health::Readiness;
use crate::web::rate_limit::RateLimit;
use crate::web::response_slots::ResponseSlots;

#[derive(Clone, Debug)]
pub struct AppState {
    pub store: Store,
    pub vault: Arc<Vault>,
    pub mantyx: Mantyx,
    pub credentials: Credentials,
    pub bearers: BearerCache,
    pub mirror: Mirror,
    pub live: Hub,
    pub streams: Streams,
    /// The calls that wait for an answer.
    pub waiting: Boards,
    pub peers: WorkspacePeers,
    pub imports: ImportWriter,
    /// Answers the calls of launched runs.
    pub answers: LeaseWorker,
    /// Launches the runs of batches.
    pub batches: LeaseWorker,
    pub catalogues: Catalogues,
    pub timelines: TimelineCache,
    /// Compiled redaction patterns.
    pub redaction: PatternCache,
    pub response_slots: ResponseSlots,
    pub late_audit_entries: LateEntries,
    pub public_url: Url,
    pub mantyx_workspace: Option<String>,
    /// The workspaces that may use this server.
    pub workspaces: Workspaces,
    /// The people who may change what a workspace shares.
    pub admins: Admins,
    pub trusted_proxies: TrustedProxies,
    pub limits: Limits,
    pub retention: Retention,
    /// Days for which entries of the audit log are kept.
    pub audit_days: u32,
    pub anonymous_writes: RateLimit,
    pub sign_ins: RateLimit,
    /// The operator's key, for syncing without a signed-in user.
    pub api_key: Option<ApiKey>,
    pub site: Site,
    pub assets: SiteAssets,
    pub sign_in: SignInInfo,
    pub metrics: Metrics,
    pub readiness: Readiness,
    pub metrics_token: Option<String>,
    pub leptos: LeptosOptions,
    /// Cancelled when the server stops. Ends streams and background tasks.
    pub shutdown: CancellationToken,
    /// Background tasks that must end before the databases are closed.
    pub tasks: TaskTracker,
}

impl AppState {
    /// Returns true when browsers reach the dashboard over https.
    pub fn is_https(&self) -> bool {
        self.public_url.scheme() == "https"
    }

    /// Runs work that must finish, also if the client disconnects and its request is dropped.
    pub async fn finish<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        match self.tasks.spawn(work.in_current_span()).await {
            Ok(done) => done,
            // Nothing aborts the task, so it panicked.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

impl axum::extract::FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}
