//! A proxy in front of MANTYX that fails some posts of tool results or launches, or delays all answers to posts. Everything
//! else passes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{HOST, RETRY_AFTER, TRANSFER_ENCODING};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use runlens::config::{Config, MantyxConfig};
use serde_json::json;
use tokio::sync::Notify;

/// The failure of a post.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// Rejected with this status and code, without reaching MANTYX.
    Refused(u16, &'static str),
    /// Accepted by MANTYX, and the response is lost.
    AnswerLost,
    /// Accepted by MANTYX, and the response waits for [`Unsteady::release`].
    AnswerHeld,
}

#[derive(Clone)]
pub struct Unsteady {
    ahead: Arc<Mutex<VecDeque<Trouble>>>,
    posted: Arc<Mutex<usize>>,
    release: Arc<Notify>,
    /// The end of the paths whose posts fail.
    place: &'static str,
    /// The time that an answer to any post takes longer.
    delay: Duration,
    target: String,
    http: reqwest::Client,
}

impl Unsteady {
    /// Inserts the proxy between a server that is not started yet and its MANTYX.
    pub fn before(config: &mut Config, troubles: &[Trouble]) -> Self {
        Self::before_posts(config, "/tool-results", troubles)
    }

    pub fn before_launches(config: &mut Config, troubles: &[Trouble]) -> Self {
        Self::before_posts(config, "/agent-runs", troubles)
    }

    /// A MANTYX whose answers to posts take a while.
    pub fn slow(config: &mut Config, delay: Duration) -> Self {
        Self::insert(config, "", &[], delay)
    }

    fn before_posts(config: &mut Config, place: &'static str, troubles: &[Trouble]) -> Self {
        Self::insert(config, place, troubles, Duration::ZERO)
    }

    fn insert(config: &mut Config, place: &'static str, troubles: &[Trouble], delay: Duration) -> Self {
        let MantyxConfig::Remote { url, .. } = &mut config.mantyx else { panic!("the sandbox has to stand apart") };
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let here = format!("http://{}", listener.local_addr().unwrap());
        let target = std::mem::replace(url, here.parse().unwrap()).to_string();
        let way = Self {
            ahead: Arc::new(Mutex::new(troubles.iter().copied().collect())),
            posted: Arc::default(),
            release: Arc::default(),
            place,
            delay,
            target: target.trim_end_matches('/').to_owned(),
            http: super::http_client(),
        };
        let router = Router::new().fallback(pass).with_state(way.clone());
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        way
    }

    /// Returns the number of posts.
    pub fn posted(&self) -> usize {
        *self.posted.lock().unwrap()
    }

    /// Lets one held response pass.
    pub fn release(&self) {
        self.release.notify_one();
    }

    async fn forward(&self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let place = parts.uri.path_and_query().map_or("/", |place| place.as_str());
        let mut headers = parts.headers;
        headers.remove(HOST);
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let sent = self.http.request(parts.method, format!("{}{place}", self.target)).headers(headers).body(body);
        let answer = sent.send().await.unwrap();
        let (status, mut headers) = (answer.status(), answer.headers().clone());
        headers.remove(TRANSFER_ENCODING);
        (status, headers, Body::from_stream(answer.bytes_stream())).into_response()
    }
}

async fn pass(State(way): State<Unsteady>, request: Request) -> Response {
    let is_meant = request.method() == Method::POST && request.uri().path().ends_with(way.place);
    if !is_meant {
        return way.forward(request).await;
    }
    *way.posted.lock().unwrap() += 1;
    let trouble = way.ahead.lock().unwrap().pop_front();
    match trouble {
        None => {
            let answer = way.forward(request).await;
            tokio::time::sleep(way.delay).await;
            answer
        }
        Some(Trouble::AnswerLost) => {
            way.forward(request).await;
            StatusCode::BAD_GATEWAY.into_response()
        }
        Some(Trouble::AnswerHeld) => {
            let answer = way.forward(request).await;
            way.release.notified().await;
            answer
        }
        Some(Trouble::Refused(status, code)) => {
            let body = axum::Json(json!({ "error": code, "message": "Not now." }));
            (StatusCode::from_u16(status).unwrap(), [(RETRY_AFTER, "0")], body).into_response()
        }
    }
}
