//! The test harness: starts a sandbox, and calls its API as a client.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use protocol::sse::Frames;
use protocol::{Event, Timeline};
use reqwest::{Client, Method, RequestBuilder, Response};
use sandbox::{Config, Sandbox};
use serde_json::{Value, json};
use tempfile::TempDir;

pub const KEY: &str = "mantyx_sandbox_demo";
pub const OTHER_KEY: &str = "mantyx_sandbox_other";
pub const REDIRECT: &str = "http://127.0.0.1:3000/auth/callback";
pub const VERIFIER: &str = "a-verifier-that-is-long-enough-for-rfc-7636-and-more";

/// A sandbox in this process. Derefs to its client.
pub struct Harness {
    pub sandbox: Sandbox,
    pub folder: Arc<TempDir>,
    api: Api,
}

/// A client of the workspace `demo`.
#[derive(Clone)]
pub struct Api {
    pub http: Client,
    pub url: String,
}

impl Deref for Harness {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.api
    }
}

/// A response with its whole body.
#[derive(Debug)]
pub struct TestResponse {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl TestResponse {
    pub async fn read(response: Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, text: response.text().await.expect("a body") }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("")
    }
}

impl Harness {
    pub async fn start() -> Self {
        Self::start_in(Arc::new(tempfile::tempdir().expect("a folder")), false).await
    }

    pub async fn start_in(folder: Arc<TempDir>, demo: bool) -> Self {
        Self::start_with(folder, |config| config.demo = demo).await
    }

    /// Starts with a changed configuration.
    pub async fn start_with(folder: Arc<TempDir>, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::new("127.0.0.1:0".parse().expect("an address"), folder.path().join("data/sandbox.db"));
        config.demo = false;
        change(&mut config);
        let sandbox = sandbox::start_at_pace(config, Duration::ZERO).await.expect("the sandbox starts");
        let api = Api::new(sandbox.url());
        Self { sandbox, folder, api }
    }

    pub async fn restart(self) -> Self {
        let folder = self.folder.clone();
        self.sandbox.shutdown().await;
        Self::start_in(folder, false).await
    }
}

impl Api {
    pub fn new(url: String) -> Self {
        // Ignores that another test may have installed a provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(60))
            .build()
            .expect("a client");
        Self { http, url }
    }

    /// Builds a request to `/api/v1/workspaces/demo{path}` with the workspace's key.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.request_as(KEY, "demo", method, path)
    }

    pub fn request_as(&self, credential: &str, slug: &str, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}/api/v1/workspaces/{slug}{path}", self.url);
        self.http.request(method, url).bearer_auth(credential)
    }

    pub async fn send(&self, request: RequestBuilder) -> TestResponse {
        TestResponse::read(request.send().await.expect("an answer")).await
    }

    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> TestResponse {
        self.send(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn oauth_get(&self, path_and_query: &str) -> TestResponse {
        self.send(self.http.get(format!("{}/api/oauth/{path_and_query}", self.url))).await
    }

    pub async fn oauth_form(&self, path: &str, fields: &[(&str, &str)]) -> TestResponse {
        self.send(self.http.post(format!("{}/api/oauth/{path}", self.url)).form(fields)).await
    }

    /// Starts a run with `extra` fields in its spec.
    pub async fn launch(&self, prompt: &str, extra: Value) -> String {
        let mut spec = json!({ "systemPrompt": "You help.", "prompt": prompt });
        for (key, value) in extra.as_object().expect("an object") {
            spec[key] = value.clone();
        }
        let answer = self.post("/agent-runs", spec).await;
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.json()["runId"].as_str().expect("a run id").to_owned()
    }

    /// Waits for the end of the run and returns the log.
    pub async fn log(&self, run_id: &str) -> Vec<Event> {
        let mut follower = self.follow(run_id, 0).await;
        let mut events = Vec::new();
        while let Some(event) = follower.next().await {
            events.push(event);
        }
        assert_gapless(&events);
        let integrity = Timeline::from_events(&events).integrity;
        assert_eq!((integrity.unknown, integrity.malformed, integrity.orphan_results), (0, 0, 0), "{events:?}");
        events
    }

    pub async fn run(&self, prompt: &str, extra: Value) -> Vec<Event> {
        let id = self.launch(prompt, extra).await;
        self.log(&id).await
    }

    pub async fn follow(&self, run_id: &str, last_seq: u64) -> Follower {
        self.try_follow(run_id, last_seq).await.expect("a stream")
    }

    /// Like [`Self::follow`], for a server that may be down.
    pub async fn try_follow(&self, run_id: &str, last_seq: u64) -> Option<Follower> {
        let path = format!("/agent-runs/{run_id}/stream?lastSeq={last_seq}");
        // Bounds every loop that reads the stream.
        let request = self.request(Method::GET, &path).timeout(Duration::from_secs(600));
        let response = request.send().await.ok()?;
        assert_eq!(response.status(), 200);
        Some(Follower { response, frames: Frames::default(), ready: Vec::new().into_iter() })
    }

    pub async fn snapshot(&self, run_id: &str) -> Value {
        self.get(&format!("/agent-runs/{run_id}")).await.json()
    }
}

/// A reader of an event stream.
pub struct Follower {
    response: Response,
    frames: Frames,
    ready: std::vec::IntoIter<protocol::sse::Frame>,
}

impl Follower {
    pub async fn next(&mut self) -> Option<Event> {
        self.try_next().await.expect("a connection that holds")
    }

    /// Like [`Self::next`], for a server that may die.
    pub async fn try_next(&mut self) -> reqwest::Result<Option<Event>> {
        loop {
            if let Some(frame) = self.ready.next() {
                let event = Event::parse(&frame.data).expect("an event");
                assert_eq!(frame.id, Some(event.seq.to_string()));
                assert_eq!(frame.event.as_deref(), Some(event.kind.as_str()));
                return Ok(Some(event));
            }
            let Some(chunk) = self.response.chunk().await? else { return Ok(None) };
            self.ready = self.frames.push(&chunk).expect("short frames").into_iter();
        }
    }

    pub async fn wait_for(&mut self, kind: &str) -> Event {
        while let Some(event) = self.next().await {
            if event.kind == kind {
                return event;
            }
        }
        panic!("the stream ended without {kind}");
    }
}

pub fn kinds(events: &[Event]) -> Vec<&str> {
    let mut kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    kinds.dedup();
    kinds
}

pub fn of_kind<'a>(events: &'a [Event], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event.kind == kind).map(|event| &event.data).collect()
}

pub fn last(events: &[Event]) -> &Event {
    events.last().expect("a log is never empty")
}

/// Asserts positions 1, 2, 3 …, and one terminal event, at the end.
pub fn assert_gapless(events: &[Event]) {
    let seqs: Vec<u64> = events.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=events.len() as u64).collect::<Vec<_>>());
    let terminal: Vec<u64> = events.iter().filter(|event| event.is_terminal()).map(|event| event.seq).collect();
    assert_eq!(terminal, [events.len() as u64]);
}

pub fn builtin(name: &str) -> Value {
    json!({ "kind": "mantyx", "id": format!("tool_{name}") })
}

pub fn local(name: &str) -> Value {
    json!({ "kind": "local", "name": name })
}
