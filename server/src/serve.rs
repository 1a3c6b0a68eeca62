//! Starts and stops the server, with the embedded sandbox if no MANTYX is configured.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use app::api::sign_in::SignInInfo;
use futures::future::BoxFuture;
use leptos::config::LeptosOptions;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use crate::answers::AnswerWorker;
use crate::auth::{BearerCache, Credentials, SealedSessionStore};
use crate::clock::now_ms;
use crate::config::{Config, MantyxConfig, create_data_dir};
use crate::import::finish_abandoned;
use crate::launch::{BatchWorker, Catalogues};
use crate::live::Hub;
use crate::mantyx::{Bearer, Mantyx};
use crate::metrics::Metrics;
use crate::mirror::{ApiKey, Mirror, reindex_old_runs, start_syncers};
use crate::outbound::Outbound;
use crate::peers::Peers;
use crate::router::router;
use crate::state::AppState;
use crate::store::{Retention, Store};
use crate::timelines::TimelineCache;
use crate::vault::Vault;
#[cfg(debug_assertions)]
use crate::web::dev_site::DevSite;
use crate::web::problem;

const CLEAN_UP_EVERY: Duration = Duration::from_secs(600);
/// An import without new events for this long counts as abandoned.
const IMPORT_TIMEOUT: Duration = Duration::from_secs(600);
const ENFORCE_RETENTION_EVERY: Duration = Duration::from_secs(600);

/// A running server.
pub struct Running {
    pub url: Url,
    pub addr: SocketAddr,
    pub sandbox: Option<sandbox::Sandbox>,
    store: Store,
    shutdown: CancellationToken,
    tasks: TaskTracker,
    server: JoinHandle<std::io::Result<()>>,
}

/// Starts the server. The future is boxed so that it is compiled with this library, not again in each binary and test.
pub fn start(config: Config) -> BoxFuture<'static, anyhow::Result<Running>> {
    Box::pin(start_server(config))
}

async fn start_server(config: Config) -> anyhow::Result<Running> {
    let shutdown = CancellationToken::new();
    #[cfg(debug_assertions)]
    let dev_site = DevSite::from_env(&shutdown);
    #[cfg(debug_assertions)]
    let config = Config { site: dev_site.as_ref().map_or(config.site, |site| site.site()), ..config };
    create_data_dir(&config.data_dir)?;
    let vault = Arc::new(Vault::open(config.secret_key.as_deref(), &config.data_dir)?);
    let store = Store::open(&config.database_url).await?;
    let listener = TcpListener::bind(config.addr)
        .await
        .with_context(|| format!("cannot listen on {}; choose another address with RUNLENS_ADDR", config.addr))?;
    let addr = listener.local_addr()?;
    let public_url = match config.public_url {
        Some(url) => url,
        None => Url::parse(&format!("http://{addr}"))?,
    };
    let redirect_uri = public_url.join("/auth/callback")?;
    let (mantyx, sandbox) = connect_mantyx(config.mantyx, &config.data_dir, redirect_uri).await?;
    let mut allowed = config.outbound_allow;
    if let Some(sandbox) = &sandbox {
        allowed.allow_address(sandbox.addr());
    }
    let state = AppState {
        credentials: Credentials::new(store.clone(), vault.clone(), mantyx.clone()),
        bearers: BearerCache::default(),
        mirror: Mirror::default(),
        live: Hub::default(),
        peers: Peers::new(Outbound::new(allowed), config.mcp_commands),
        timelines: TimelineCache::default(),
        sign_in: SignInInfo { mantyx_host: mantyx.host(), sandbox: sandbox.is_some() },
        site: config.site,
        assets: config.site.assets(),
        leptos: LeptosOptions::builder().output_name("runlens").build(),
        public_url: public_url.clone(),
        mantyx_workspace: config.mantyx_workspace.clone(),
        api_key: (config.mantyx_api_key.zip(config.mantyx_workspace))
            .map(|(key, slug)| ApiKey { bearer: Bearer::new(key), slug }),
        metrics: Metrics::default(),
        metrics_token: config.metrics_token,
        mantyx,
        store: store.clone(),
        vault: vault.clone(),
        answers: AnswerWorker::default(),
        batches: BatchWorker::default(),
        catalogues: Catalogues::default(),
        shutdown: shutdown.clone(),
        tasks: TaskTracker::new(),
    };
    app::wire::set_build_id(state.assets.build_id());
    let tasks = state.tasks.clone();
    tasks.spawn(state.answers.clone().run(state.clone()));
    tasks.spawn(state.batches.clone().run(state.clone()));
    if let Some(css) = &state.assets.css {
        problem::STYLESHEET.get_or_init(|| css.clone());
    }
    tokio::spawn(clean_up(store.clone(), shutdown.clone()));
    tokio::spawn(enforce_retention(store.clone(), config.retention, shutdown.clone()));
    tokio::spawn(reindex_old_runs(state.clone()));
    start_syncers(&state).await?;
    let router = router(state, SealedSessionStore { store: store.clone(), vault });
    #[cfg(debug_assertions)]
    let router = match dev_site {
        Some(site) => site.serve_before(router),
        None => router,
    };
    let server = tokio::spawn({
        let shutdown = shutdown.clone();
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        async move { axum::serve(listener, service).with_graceful_shutdown(shutdown.cancelled_owned()).await }
    });
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
            Ok(served) => Ok(served.context("the server task failed")??),
            Err(_) => anyhow::bail!("some requests did not end within 10 s"),
        }
    }
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
            let mut settings = sandbox::Config::new(addr, data_dir.join("sandbox.db"));
            settings.redirect_uris = vec![redirect_uri.to_string()];
            settings.demo = demo;
            let sandbox = sandbox::start(settings).await.context("the sandbox (RUNLENS_SANDBOX_ADDR) did not start")?;
            let (id, secret) = (sandbox::CLIENT_ID.to_owned(), sandbox::CLIENT_SECRET.to_owned());
            let mantyx = Mantyx::new(Url::parse(&sandbox.url())?, id, secret, redirect_uri)?;
            Ok((mantyx, Some(sandbox)))
        }
    }
}

/// A background task that removes old runs, as the operator configured.
async fn enforce_retention(store: Store, retention: Retention, shutdown: CancellationToken) {
    if retention == Retention::default() {
        return;
    }
    let mut ticks = tokio::time::interval(ENFORCE_RETENTION_EVERY);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = shutdown.cancelled() => return,
        }
        match store.enforce(retention, now_ms()).await {
            Ok(0) => {}
            Ok(runs) => tracing::info!(runs, "removed old runs"),
            Err(error) => tracing::warn!(%error, "cannot remove old runs"),
        }
    }
}

/// A background task that deletes expired sessions and finishes abandoned imports.
async fn clean_up(store: Store, shutdown: CancellationToken) {
    let mut ticks = tokio::time::interval(CLEAN_UP_EVERY);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = shutdown.cancelled() => return,
        }
        if let Err(error) = store.delete_expired_web_sessions(now_ms()).await {
            tracing::warn!(%error, "cannot delete expired sessions");
        }
        match finish_abandoned(&store, now_ms() - IMPORT_TIMEOUT.as_millis() as i64).await {
            Ok(0) => {}
            Ok(runs) => tracing::info!(runs, "finished abandoned imports"),
            Err(error) => tracing::warn!(%error, "cannot finish abandoned imports"),
        }
    }
}
