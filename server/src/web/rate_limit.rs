//! Limits how many state-changing requests a client without a sign-in may send.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use app::AppError;
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::LockExt;
use tower_sessions::Session;

use super::client_address::{ClientAddress, network_of};
use super::form_notice::{accepts_html, form_page};
use super::problem::Problem;
use crate::auth::Caller;
use crate::error::Error;
use crate::state::AppState;

const WINDOW: Duration = Duration::from_secs(60);
/// Clients that are counted at a time. While there are more, those that are not counted have to wait.
const MAX_CLIENTS: usize = 10_000;

#[derive(Clone, Debug)]
pub struct RateLimit {
    per_window: u32,
    clients: Arc<Mutex<HashMap<Client, Window>>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Client {
    Address(IpAddr),
    Session(String),
}

#[derive(Clone, Copy, Debug)]
struct Window {
    began: Instant,
    requests: u32,
}

impl RateLimit {
    pub fn new(per_minute: u32) -> Self {
        Self { per_window: per_minute, clients: Arc::default() }
    }

    /// Counts a credential that MANTYX refused.
    pub fn count_refused_credential(&self, request: &Request) {
        if let Some(client) = address_of(request) {
            let _ = self.count(client, Instant::now());
        }
    }

    /// Fails with the time to wait if the client's address has sent too many requests.
    pub fn check(&self, request: &Request) -> Result<(), Duration> {
        let (clients, now) = (self.clients.locked(), Instant::now());
        let window = address_of(request).and_then(|client| clients.get(&client).copied());
        match window.map(|window| (window.requests, now.duration_since(window.began))) {
            Some((requests, age)) if requests >= self.per_window && age < WINDOW => Err(WINDOW - age),
            _ => Ok(()),
        }
    }

    /// Counts a request. Fails with the time to wait if the client has sent too many.
    fn count(&self, client: Client, now: Instant) -> Result<(), Duration> {
        let mut clients = self.clients.locked();
        if clients.len() >= MAX_CLIENTS {
            clients.retain(|_, window| now.duration_since(window.began) < WINDOW);
            if clients.len() >= MAX_CLIENTS && !clients.contains_key(&client) {
                return Err(WINDOW);
            }
        }
        let window = clients.entry(client).or_insert(Window { began: now, requests: 0 });
        if now.duration_since(window.began) >= WINDOW {
            *window = Window { began: now, requests: 0 };
        }
        if window.requests >= self.per_window {
            return Err(WINDOW - now.duration_since(window.began));
        }
        window.requests += 1;
        Ok(())
    }
}

/// Middleware that answers 429 to clients without a sign-in that send too many requests that change something, or that sign
/// in too often.
pub async fn limit_anonymous_writes(
    State(state): State<AppState>,
    session: Session,
    request: Request,
    next: Next,
) -> Response {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let limit = match request.uri().path() {
        _ if request.extensions().get::<Caller>().is_some() => return next.run(request).await,
        "/auth/start" | "/auth/callback" => &state.sign_ins,
        _ if is_read => return next.run(request).await,
        _ => &state.anonymous_writes,
    };
    let session = session.id().map(|id| Client::Session(id.to_string()));
    let now = Instant::now();
    for client in [address_of(&request), session].into_iter().flatten() {
        if let Err(wait) = limit.count(client, now) {
            return too_many_requests(request.headers(), wait);
        }
    }
    next.run(request).await
}

/// A page for browsers, which show the response of a plain form, and JSON for others.
pub fn too_many_requests(headers: &HeaderMap, wait: Duration) -> Response {
    let retry_after_s = wait.as_secs() + 1;
    let error = AppError::TooManyRequests { retry_after_s };
    if accepts_html(headers) {
        let page = Problem::form(&error, &form_page(headers), &[]);
        return ([(RETRY_AFTER, retry_after_s.to_string())], page).into_response();
    }
    Error::from(error).into_response()
}

fn address_of(request: &Request) -> Option<Client> {
    let address = request.extensions().get::<ClientAddress>();
    address.map(|ClientAddress(address)| Client::Address(network_of(*address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_waits_for_the_next_window_and_others_do_not() {
        let limit = RateLimit::new(2);
        let client = |last| Client::Address(IpAddr::from([10, 0, 0, last]));
        let now = Instant::now();
        assert_eq!((limit.count(client(1), now), limit.count(client(1), now)), (Ok(()), Ok(())));
        let later = now + Duration::from_secs(20);
        assert_eq!(limit.count(client(1), later), Err(Duration::from_secs(40)));
        assert_eq!(limit.count(client(2), later), Ok(()));
        assert_eq!(limit.count(client(1), now + WINDOW), Ok(()));
    }
}
