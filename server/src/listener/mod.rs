//! Accepts connections, within limits: how many there are, how long a request may take to arrive, and how long a client may
//! take to read its response.

mod client_slots;
mod write_timeout;

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::limits::Limits;
use crate::web::client_address::TrustedProxies;
use client_slots::ClientSlots;
use write_timeout::WriteTimeout;

/// The pause after a connection could not be accepted, usually because too many files are open.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Serves until `shutdown`, and then waits for requests in progress.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    proxies: TrustedProxies,
    shutdown: CancellationToken,
) {
    let clients = ClientSlots::new(limits.max_connections_per_client, proxies);
    let slots = Arc::new(Semaphore::new(limits.max_connections));
    let connections = TaskTracker::new();
    let all_taken = Arc::new(Notify::new());
    loop {
        let next = async {
            if slots.available_permits() == 0 {
                // Connections without a request in progress make room for a new one.
                all_taken.notify_waiters();
            }
            let slot = slots.clone().acquire_owned().await;
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            next = next => next,
            () = shutdown.cancelled() => break,
        };
        match accepted {
            Ok((stream, address)) => {
                let Some(of_client) = clients.take(address.ip()) else {
                    tracing::debug!(client = %address.ip(), "closed a connection: its client has too many");
                    continue;
                };
                let (router, all_taken, shutdown) = (router.clone(), all_taken.clone(), shutdown.clone());
                connections.spawn(async move {
                    serve_connection(stream, address, router, limits, &all_taken, shutdown).await;
                    drop((slot, of_client));
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_RETRY).await;
            }
        }
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn serve_connection(
    stream: TcpStream,
    address: SocketAddr,
    router: Router,
    limits: Limits,
    all_taken: &Notify,
    shutdown: CancellationToken,
) {
    let has_request = Arc::new(AtomicBool::new(false));
    let service = service_fn({
        let has_request = has_request.clone();
        move |mut request: Request<Incoming>| {
            has_request.store(true, Ordering::Relaxed);
            request.extensions_mut().insert(ConnectInfo(address));
            TowerToHyperService::new(router.clone()).call(request)
        }
    });
    let io = TokioIo::new(WriteTimeout::new(stream, limits.write_timeout));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.idle_timeout);
    let mut connection = pin!(builder.serve_connection(io, service));
    let mut first_request = pin!(tokio::time::sleep(limits.header_timeout));
    let (mut waits_for_first, mut is_stopping) = (true, false);
    loop {
        tokio::select! {
            served = connection.as_mut() => {
                if let Err(error) = served {
                    tracing::debug!(%error, "connection ended");
                }
                return;
            }
            () = first_request.as_mut(), if waits_for_first => {
                if !has_request.load(Ordering::Relaxed) {
                    return;
                }
                waits_for_first = false;
            }
            () = shutdown.cancelled(), if !is_stopping => is_stopping = true,
            // A new connection whose first request is on its way stays.
            () = all_taken.notified(), if !is_stopping => is_stopping = has_request.load(Ordering::Relaxed),
        }
        if is_stopping {
            // It ends now, or after the response to a request in progress.
            connection.as_mut().graceful_shutdown();
        }
    }
}
