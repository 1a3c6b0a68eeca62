//! Starts and stops the server, with the embedded sandbox if no MANTYX is configured.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use app::api::sign_in::SignInInfo;
use futures::future::BoxFuture;
use leptos::config::LeptosOptions;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use crate::answers;
use crate::audit::LateEntries;
use crate::auth::{BearerCache, Credentials, SealedSessionStore, end_sessions};
use crate::clock::now_ms;
use crate::config::{Config, MantyxConfig, create_data_dir};
use crate::demonstration::show_a_reopened_failure;
use crate::erase::resume_erasures;
use crate::import::{ImportWriter, finish_abandoned};
use crate::launch::{Catalogues, batch};
use crate::lease_worker::LeaseWorker;
use crate::listener;
use crate::live::{Hub, Streams};
use crate::mantyx::{Bearer, Mantyx};
use crate::metrics::Metrics;
use crate::mirror::{ApiKey, Mirror, reindex_old_runs, start_syncers};
use crate::peers::WorkspacePeers;
use crate::redaction::PatternCache;
use crate::retain::enforce_retention;
use crate::router::router;
use crate::secret_key::open_vault;
use crate::state::AppState;
use crate::store::{Store, database_does_not_answer, warn_if_others_may_read};
use crate::timelines::TimelineCache;
use crate::waiting::Boards;
use crate::web::health::Readiness;
use crate::web::problem;
use crate::web::rate_limit::RateLimit;
use crate::web::response_slots::ResponseSlots;

/// How long the start waits for a database that does not answer.
const DATABASE_PATIENCE: Duration = Duration::from_secs(60);
const DATABASE_RETRY: Duration = Duration::from_millis(500);
const CLEAN_UP_EVERY: Duration = Duration::from_secs(600);
/// An import without new events for this long counts as abandoned.
const IMPORT_TIMEOUT: Duration = Duration::from_secs(600);

/// A running server.
pub struct Running {
    pub url: Url,
    pub addr: SocketAddr,
    pub sandbox: Option<sandbox::Sandbox>,
    store: Store,
    shutdown: CancellationToken,
    tasks: TaskTracker,
    server: JoinHandle<()>,
}

/// Starts the server. The future is boxed so that it is compiled with this library, not again in each binary and test.
pub fn start(config: Config) -> BoxFuture<'static, anyhow::Result<Running>> {
    Box::pin(start_server(config))
}

async fn start_server(config: Config) -> anyhow::Result<Running> {
    let shutdown = CancellationToken::new();
    #[cfg(debug_assertions)]
    let dev_site = crate::web::dev_site::DevSite::from_env(&shutdown);
    #[cfg(debug_assertions)]
    let config = Config { site: dev_site.as_ref().map_or(config.site, |site| site.site()), ..config };
    create_data_dir(&config.data_dir)?;
    let sessions = open_database(&config).await?;
    let (store, vault) = (sessions.store.clone(), sessions.vault.clone());
    let listener = TcpListener::bind(config.addr)
        .await
        .with_context(|| format!("cannot listen on {}; choose another address with RUNLENS_ADDR", config.addr))?;
    let addr = listener.local_addr()?;
    let public_url = match config.public_url {
        Some(url) => url,
        None => Url::parse(&format!("http://{addr}"))?,
    };
    let redirect_uri = public_url.join("/auth/callback")?;
    let is_demonstration = matches!(config.mantyx, MantyxConfig::Sandbox { demo: true, .. });
    let (mantyx, sandbox) = connect_mantyx(config.mantyx, &config.data_dir, redirect_uri).await?;
    let limits = config.limits;
    let mut allowed = config.outbound_allow;
    if let Some(sandbox) = &sandbox {
        allowed.allow_address(sandbox.addr());
    }
    let state = AppState {
        credentials: Credentials::new(store.clone(), vault.clone(), mantyx.clone(), limits.recheck_after),
        bearers: BearerCache::default(),
        mirror: Mirror::default(),
        live: Hub::default(),
        streams: Streams::default(),
        waiting: Boards::default(),
        peers: WorkspacePeers::new(allowed, config.mcp_commands),
        imports: ImportWriter::start(store.clone()),
        timelines: TimelineCache::default(),
        redaction: PatternCache::default(),
        response_slots: ResponseSlots::default(),
        late_audit_entries: LateEntries::default(),
        sign_in: SignInInfo { mantyx_host: mantyx.host(), sandbox: sandbox.is_some() },
        site: config.site,
        assets: config.site.assets(),
        leptos: LeptosOptions::builder().output_name("runlens").build(),
        public_url: public_url.clone(),
        mantyx_workspace: config.mantyx_workspace.clone(),
        workspaces: config.workspaces,
        admins: config.admins,
        trusted_proxies: config.trusted_proxies,
        limits,
        retention: config.retention.clone(),
        audit_days: config.audit_days,
        anonymous_writes: RateLimit::new(limits.anonymous_writes_per_minute),
        // Each is a start and a callback.
        sign_ins: RateLimit::new(2 * limits.sign_ins_per_minute),
        api_key: (config.mantyx_api_key.zip(config.mantyx_workspace)).map(|(key, slug)| ApiKey {
            bearer: Bearer::new(key),
            slug,
            workspace_id: Arc::default(),
        }),
        metrics: Metrics::default(),
        readiness: Readiness::default(),
        metrics_token: config.metrics_token,
        mantyx,
        store: store.clone(),
        vault,
        answers: LeaseWorker::default(),
        batches: LeaseWorker::default(),
        catalogues: Catalogues::default(),
        shutdown: shutdown.clone(),
        tasks: TaskTracker::new(),
    };
    app::wire::set_build_id(state.assets.build_id());
    if store.has_one_server() {
        finish_imports(&store, now_ms()).await;
    }
    let tasks = state.tasks.clone();
    tasks.spawn(answers::work(state.clone()));
    tasks.spawn(batch::work(state.clone()));
    tasks.spawn(state.credentials.clone().revoke_tokens(shutdown.clone()));
    tasks.spawn(state.late_audit_entries.clone().run(store.clone(), shutdown.clone()));
    if let Some(css) = &state.assets.css {
        problem::STYLESHEET.get_or_init(|| css.clone());
    }
    tokio::spawn(clean_up(state.clone(), i64::from(config.audit_days) * 86_400_000));
    tokio::spawn(enforce_retention(store.clone(), config.retention, shutdown.clone()));
    tokio::spawn(reindex_old_runs(state.clone()));
    if is_demonstration {
        tokio::spawn(show_a_reopened_failure(state.clone()));
    }
    start_syncers(&state);
    let proxies = state.trusted_proxies.clone();
    let router = router(state, sessions);
    #[cfg(debug_assertions)]
    let router = match dev_site {
        Some(site) => site.serve_before(router),
        None => router,
    };
    let server = tokio::spawn(listener::serve(listener, router, limits, proxies, shutdown.clone()));
    Ok(Running { url: public_url, addr, sandbox, store, shutdown, tasks, server })
}

impl Running {
    /// Stops accepting requests, waits a moment for running ones, and closes the databases.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.shutdown.cancel();
        let stopped = tokio::time::timeout(Duration::from_secs(10), self.server).await;
        self.tasks.close();
        if tokio::time::timeout(Duration::from_secs(5), self.tasks.wait()).await.is_err() {
            tracing::warn!("background tasks did not end within 5 s");
        }
        if let Some(sandbox) = self.sandbox {
            sandbox.shutdown().await;
        }
        self.store.close().await;
        match stopped {
            Ok(served) => Ok(served.context("the server task failed")?),
            Err(_) => anyhow::bail!("some requests did not end within 10 s"),
        }
    }
}

/// Opens the database and what is encrypted in it. Waits while the database does not answer, for example because it restarts.
async fn open_database(config: &Config) -> anyhow::Result<SealedSessionStore> {
    let start = Instant::now();
    loop {
        match try_open_database(config).await {
            Err(error) if database_does_not_answer(&error) && start.elapsed() < DATABASE_PATIENCE => {
                tracing::warn!(error = format!("{error:#}"), "the database does not answer; trying again");
                tokio::time::sleep(DATABASE_RETRY).await;
            }
            opened => return opened,
        }
    }
}

async fn try_open_database(config: &Config) -> anyhow::Result<SealedSessionStore> {
    let store = Store::open(&config.database_url).await?;
    let vault = Arc::new(open_vault(&store, config.secret_key.as_deref(), &config.data_dir).await?);
    let sessions = SealedSessionStore { store, vault, max_anonymous_bytes: config.limits.anonymous_bytes };
    sessions.hash_old_ids().await.context("the stored sessions could not be brought up to date")?;
    Ok(sessions)
}

async fn connect_mantyx(
    config: MantyxConfig,
    data_dir: &std::path::Path,
    redirect_uri: Url,
) -> anyhow::Result<(Mantyx, Option<sandbox::Sandbox>)> {
    match config {
        MantyxConfig::Remote { url, client_id, client_secret } => {
            Ok((Mantyx::new(url, client_id, client_secret, redirect_uri)?, None))
        }
        MantyxConfig::Sandbox { addr, demo } => {
            let database = data_dir.join("sandbox.db");
            warn_if_others_may_read(&database);
            let mut settings = sandbox::Config::new(addr, database);
            settings.redirect_uris = vec![redirect_uri.to_string()];
            settings.demo = demo;
            let sandbox = sandbox::start(settings).await.context("the sandbox (RUNLENS_SANDBOX_ADDR) did not start")?;
            let (id, secret) = (sandbox::CLIENT_ID.to_owned(), sandbox::CLIENT_SECRET.to_owned());
            let mantyx = Mantyx::new(Url::parse(&sandbox.url())?, id, secret, redirect_uri)?;
            Ok((mantyx, Some(sandbox)))
        }
    }
}

/// A background task that ends sessions, finishes abandoned imports and erasures, deletes old entries of the audit log and
/// drops logs from memory.
async fn clean_up(state: AppState, keep_audit_ms: i64) {
    let mut ticks = tokio::time::interval(CLEAN_UP_EVERY);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = state.shutdown.cancelled() => return,
        }
        state.timelines.drop_unused();
        if let Err(error) = end_sessions(&state, now_ms()).await {
            tracing::warn!(%error, "cannot end sessions");
        }
        finish_imports(&state.store, now_ms() - IMPORT_TIMEOUT.as_millis() as i64).await;
        if let Err(error) = state.store.delete_audit_entries_before(now_ms() - keep_audit_ms).await {
            tracing::warn!(%error, "cannot delete old entries of the audit log");
        }
        match resume_erasures(&state.store, &state.vault).await {
            Ok(erased) => erased.iter().for_each(|(workspace, run_id)| state.timelines.forget(*workspace, run_id)),
            Err(error) => tracing::warn!(%error, "cannot continue an interrupted erasure"),
        }
        if let Err(error) = state.store.purge_erased().await {
            tracing::warn!(%error, "cannot remove the rest of what was erased");
        }
    }
}

/// Finishes imports without new events since a time. At the start, these are imports that ended with their process.
async fn finish_imports(store: &Store, idle_since_ms: i64) {
    match finish_abandoned(store, idle_since_ms).await {
        Ok(0) => {}
        Ok(runs) => tracing::info!(runs, "finished abandoned imports"),
        Err(error) => tracing::warn!(%error, "cannot finish abandoned imports"),
    }
}
