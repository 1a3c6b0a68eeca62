//! A fake OpenAI API: server-sent events over HTTP, split as a test needs.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::sync::watch;

pub struct OpenAiServer {
    pub url: String,
    state: Arc<Shared>,
}

struct Shared {
    replies: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<(HeaderMap, Value)>>,
    /// Number of responses that were dropped before their end.
    cut_off: watch::Sender<usize>,
}

pub struct Reply {
    status: u16,
    body: Vec<u8>,
    /// Bytes in each piece of the body.
    split: usize,
    /// The body never ends.
    open_end: bool,
}

impl Reply {
    /// A stream of these chunks and `[DONE]`.
    pub fn stream(chunks: &[Value]) -> Self {
        let frames: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
        Self::raw(200, format!("{frames}data: [DONE]\n\n"))
    }

    pub fn text(text: &str) -> Self {
        Self::stream(&[delta(json!({ "content": text })), finish("stop")])
    }

    pub fn raw(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, body: body.into(), split: usize::MAX, open_end: false }
    }

    pub fn error(status: u16, error: Value) -> Self {
        Self::raw(status, json!({ "error": error }).to_string())
    }

    pub fn split(self, bytes: usize) -> Self {
        Self { split: bytes, ..self }
    }

    pub fn without_end(self) -> Self {
        Self { open_end: true, ..self }
    }
}

pub fn delta(delta: Value) -> Value {
    json!({ "id": "c1", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

pub fn finish(reason: &str) -> Value {
    json!({ "id": "c1", "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

impl OpenAiServer {
    pub async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let state = Arc::new(Shared {
            replies: Mutex::new(replies.into_iter().collect()),
            requests: Mutex::default(),
            cut_off: watch::channel(0).0,
        });
        let router = Router::new()
            .route("/v1/chat/completions", post(complete))
            .route(
                "/v1/models",
                get(async || axum::Json(json!({ "data": [{ "id": "gpt-test" }, { "id": "o-test" }] }))),
            )
            .with_state(state.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, state }
    }

    /// Returns the request bodies so far.
    pub fn requests(&self) -> Vec<Value> {
        self.state.requests.lock().expect("no panic").iter().map(|(_, body)| body.clone()).collect()
    }

    pub fn authorization(&self, request: usize) -> String {
        let requests = self.state.requests.lock().expect("no panic");
        requests[request].0["authorization"].to_str().expect("a text").to_owned()
    }

    /// Waits until a client closes the connection within a response.
    pub async fn hung_up(&self) {
        let mut cut_off = self.state.cut_off.subscribe();
        let closed = tokio::time::timeout(Duration::from_secs(60), cut_off.wait_for(|count| *count > 0)).await;
        closed.expect("the client closes the connection").expect("the server lives");
    }
}

async fn complete(State(state): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let body = serde_json::from_slice(&body).expect("JSON");
    state.requests.lock().expect("no panic").push((headers, body));
    let reply = state.replies.lock().expect("no panic").pop_front();
    let reply = reply.unwrap_or_else(|| Reply::error(500, json!({ "message": "nothing more is scripted" })));
    let pieces: Vec<Result<Bytes, Infallible>> = reply
        .body
        .chunks(reply.split.min(reply.body.len().max(1)))
        .map(|piece| Ok(Bytes::copy_from_slice(piece)))
        .collect();
    let pieces = futures::stream::iter(pieces).then(async |piece| {
        // Sends each piece separately.
        tokio::task::yield_now().await;
        piece
    });
    let body = match reply.open_end {
        true => {
            let silence = futures::stream::once(async move {
                let _guard = CutOff(state);
                std::future::pending().await
            });
            Body::from_stream(pieces.chain(silence))
        }
        false => Body::from_stream(pieces),
    };
    Response::builder().status(StatusCode::from_u16(reply.status).expect("a status")).body(body).expect("a response")
}

/// Counts responses that are dropped before their end.
struct CutOff(Arc<Shared>);

impl Drop for CutOff {
    fn drop(&mut self) {
        self.0.cut_off.send_modify(|count| *count += 1);
    }
}
