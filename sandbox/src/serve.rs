//! Start and shutdown of a sandbox.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, map_response};
use axum::response::Response;
use axum::serve::ListenerExt;
use chrono::Utc;
use http::header::X_CONTENT_TYPE_OPTIONS;
use http::{HeaderValue, StatusCode};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;

use crate::api::errors::ApiError;
use crate::app::App;
use crate::config::{Config, delta_delay_from_environment};
use crate::engine::Engine;
use crate::journal::Journal;
use crate::live::LiveRuns;
use crate::models::Catalogue;
use crate::provider::openai::OpenAi;
use crate::rate_limits::RateLimiter;
use crate::store::Store;
use crate::{api, demo, oauth, outbound};

/// Time for open responses on shutdown.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(3);

/// A running sandbox. If dropped without [`Sandbox::shutdown`], it stops as in a crash.
pub struct Sandbox {
    addr: SocketAddr,
    app: Option<Arc<App>>,
    demo_done: watch::Receiver<bool>,
    server: JoinHandle<()>,
    writer: JoinHandle<()>,
    /// Set when every run has logged its last event.
    last_entry: CancellationToken,
    abandon: CancellationToken,
}

/// Binds, and serves in the background. The demonstration may still be running when this returns.
pub async fn start(mut config: Config) -> anyhow::Result<Sandbox> {
    if config.openai.is_none() {
        config.openai = OpenAi::from_environment()?;
    }
    start_at_pace(config, delta_delay_from_environment()).await
}

/// Like [`start`], but with the given delay before each text delta, and without reading the environment.
pub async fn start_at_pace(config: Config, delta_delay: Duration) -> anyhow::Result<Sandbox> {
    let Config {
        addr,
        database,
        redirect_uris,
        demo,
        allow_remote,
        heartbeat,
        rate_limits,
        access_token_lifetime,
        clock,
        openai,
    } = config;
    anyhow::ensure!(
        allow_remote || addr.ip().is_loopback(),
        "the sandbox refuses to listen on {addr}: its keys are public. Use a loopback address, or allow remote access"
    );
    let listener = TcpListener::bind(addr).await.with_context(|| format!("the sandbox cannot listen on {addr}"))?;
    let addr = listener.local_addr().context("the listener has no address")?;
    let store = Store::open(&database).await?;
    let message = "The server stopped while this run was in flight.";
    let interrupted = store.fail_interrupted(message, Utc::now().timestamp_millis()).await?;
    if interrupted > 0 {
        tracing::warn!(runs = interrupted, "ended runs that were in flight when the sandbox last stopped");
    }
    let demonstrate = demo && store.is_empty().await?;

    let (live, abandon, last_entry) = (LiveRuns::default(), CancellationToken::new(), CancellationToken::new());
    let (journal, writer) = Journal::open(store.clone(), live.clone(), last_entry.clone());
    let http = outbound::client()?;
    let engine = Engine::new(store.clone(), journal, live, http.clone(), abandon.clone());
    let (models, rate_limiter) = (Catalogue::new(openai, http), RateLimiter::new(rate_limits));
    let closing = CancellationToken::new();
    let app = Arc::new(App {
        store,
        engine,
        models,
        redirect_uris,
        closing,
        delta_delay,
        heartbeat,
        rate_limiter,
        clock,
        access_token_lifetime,
    });

    let (done, demo_done) = watch::channel(!demonstrate);
    if demonstrate {
        let (app, abandon) = (app.clone(), abandon.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = abandon.cancelled() => {}
                () = app.closing.clone().cancelled_owned() => {}
                () = demo::run(app) => {}
            }
            done.send_replace(true);
        });
    }
    let closing = app.closing.clone();
    let router = router(app.clone());
    let server = tokio::spawn(async move {
        // Deltas are small, and must not wait for more data.
        let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
        if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(closing.cancelled_owned()).await {
            tracing::error!(%error, "the sandbox's server failed");
        }
    });
    tracing::info!(%addr, database = %database.display(), "sandbox listening");
    Ok(Sandbox { addr, app: Some(app), demo_done, server, writer, last_entry, abandon })
}

impl Sandbox {
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Resolves when every run of the demonstration has ended, or at once without a demonstration.
    pub async fn demo_done(&self) {
        // Cannot fail: the sender is dropped only after it sends `true`.
        let _ = self.demo_done.clone().wait_for(|done| *done).await;
    }

    /// Ends runs and streams, stores all events, and closes the database.
    pub async fn shutdown(mut self) {
        let Some(app) = self.app.take() else { return };
        app.engine.shut_down().await;
        self.last_entry.cancel();
        let _ = (&mut self.writer).await;
        app.closing.cancel();
        self.demo_done().await;
        // A client that does not read must not delay the shutdown.
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, &mut self.server).await;
        self.server.abort();
        app.store.close().await;
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Some(app) = self.app.take() {
            app.closing.cancel();
        }
        self.abandon.cancel();
        self.server.abort();
        self.writer.abort();
    }
}

fn router(app: Arc<App>) -> Router {
    Router::new()
        .merge(oauth::router())
        .merge(api::router())
        .merge(demo::mcp_server::router())
        .merge(demo::a2a_peer::router())
        .fallback(async || ApiError::not_found("Route"))
        .layer(axum::middleware::from_fn(log_request))
        .layer(map_response(async |mut response: Response| {
            response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            response
        }))
        .layer(CatchPanicLayer::new())
        .with_state(app)
}

/// Logs each request, without its query and headers, which may contain secrets.
async fn log_request(request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = next.run(request).await;
    let status = response.status();
    if status >= StatusCode::INTERNAL_SERVER_ERROR {
        tracing::error!(%method, path, status = status.as_u16(), "request");
    } else {
        tracing::debug!(%method, path, status = status.as_u16(), "request");
    }
    response
}
