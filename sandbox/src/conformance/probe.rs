//! The client of the checks: requests, runs, logs.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use protocol::Event;
use protocol::sse::{Frame, Frames};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::Target;

const SCRIPT: &str = "sandbox/script";

pub struct Probe {
    http: Client,
    target: Target,
    pub has_script: bool,
    plain_run: OnceCell<PlainRun>,
}

/// A successful run, shared by several checks.
pub struct PlainRun {
    pub id: String,
    pub log: Vec<Event>,
}

#[derive(Debug)]
pub struct ProbeResponse {
    pub status: u16,
    pub headers: HeaderMap,
    /// `Null` if it is not JSON.
    pub body: Value,
}

impl ProbeResponse {
    async fn read(response: Response) -> Result<Self> {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = serde_json::from_slice(&response.bytes().await?).unwrap_or(Value::Null);
        Ok(Self { status, headers, body })
    }

    /// Returns the error code. Older servers have a sentence in `error` and the code in `code`.
    pub fn code(&self) -> &str {
        let text = |field: &str| self.body[field].as_str();
        text("code").or(text("error")).unwrap_or("")
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Fails if the status differs.
    pub fn expect(self, status: u16) -> Result<Self> {
        ensure!(self.status == status, "answered {} instead of {status}: {}", self.status, self.body);
        Ok(self)
    }

    pub fn expect_success(self) -> Result<Self> {
        ensure!((200..300).contains(&self.status), "answered {}: {}", self.status, self.body);
        Ok(self)
    }
}

impl Probe {
    pub async fn new(target: Target) -> Result<Self> {
        // Ignores that a provider may already be installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder()
            .connect_timeout(Duration::from_secs(10))
            .user_agent(concat!("mantyx-conformance/", env!("CARGO_PKG_VERSION")))
            .build()?;
        let mut probe = Self { http, target, has_script: false, plain_run: OnceCell::new() };
        let models = probe.get("/models").await.with_context(|| format!("cannot reach {}", probe.target.url))?;
        probe.has_script = list(&models.body["models"]).iter().any(|model| model["id"] == SCRIPT);
        Ok(probe)
    }

    pub fn key(&self) -> &str {
        &self.target.key
    }

    pub fn workspace(&self) -> &str {
        &self.target.workspace
    }

    /// Builds a request without a credential.
    pub fn anonymous(&self, method: Method, workspace: &str, path: &str) -> RequestBuilder {
        let base = self.target.url.trim_end_matches('/');
        self.http.request(method, format!("{base}/api/v1/workspaces/{workspace}{path}"))
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.anonymous(method, self.workspace(), path).bearer_auth(self.key())
    }

    pub async fn send(&self, request: RequestBuilder) -> Result<ProbeResponse> {
        ProbeResponse::read(request.send().await?).await
    }

    pub async fn get(&self, path: &str) -> Result<ProbeResponse> {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<ProbeResponse> {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    /// Starts a run with `fields` in its spec.
    pub async fn launch(&self, fields: Value) -> Result<String> {
        let created = self.post("/agent-runs", &spec(fields)).await?.expect_success()?;
        Ok(created.body["runId"].as_str().context("no runId")?.to_owned())
    }

    /// Starts a run of the script model.
    pub async fn launch_script(&self, prompt: &str, mut fields: Value) -> Result<String> {
        fields["modelId"] = SCRIPT.into();
        fields["prompt"] = prompt.into();
        self.launch(fields).await
    }

    /// Runs the script model and returns the log.
    pub async fn script(&self, prompt: &str, fields: Value) -> Result<Vec<Event>> {
        let id = self.launch_script(prompt, fields).await?;
        self.log(&id, 0).await
    }

    /// Returns a prompt with a short answer; that of the script model has several pieces.
    pub fn short_prompt(&self) -> &'static str {
        match self.has_script {
            true => "/say The quick brown fox jumps over the lazy dog, and nobody minds.",
            false => "Answer with one short sentence about rain.",
        }
    }

    pub async fn plain_run(&self) -> Result<&PlainRun> {
        let run = self.plain_run.get_or_try_init(|| async {
            let metadata = json!({ "conformance": "yes", "check": "plain-run" });
            let id = self.launch(json!({ "prompt": self.short_prompt(), "metadata": metadata })).await?;
            let log = self.log(&id, 0).await?;
            Ok::<_, anyhow::Error>(PlainRun { id, log })
        });
        run.await.context("no run to look at")
    }

    pub async fn snapshot(&self, run_id: &str) -> Result<Value> {
        Ok(self.get(&format!("/agent-runs/{run_id}")).await?.expect(200)?.body)
    }

    /// Waits for the end of the run and returns the log after a position.
    pub async fn log(&self, run_id: &str, after: u64) -> Result<Vec<Event>> {
        let mut reader = self.follow(run_id, after).await?;
        let mut events = Vec::new();
        while let Some(event) = reader.next().await? {
            events.push(event);
        }
        Ok(events)
    }

    pub async fn follow(&self, run_id: &str, after: u64) -> Result<Reader> {
        let query = if after > 0 { format!("?lastSeq={after}") } else { String::new() };
        Reader::open(self.request(Method::GET, &format!("/agent-runs/{run_id}/stream{query}"))).await
    }
}

/// Reads a stream event by event.
pub struct Reader {
    response: Response,
    frames: Frames,
    ready: std::vec::IntoIter<Frame>,
}

impl Reader {
    pub async fn open(request: RequestBuilder) -> Result<Self> {
        let response = request.send().await?;
        ensure!(response.status().as_u16() == 200, "the stream answered {}", response.status());
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or("");
        ensure!(kind.starts_with("text/event-stream"), "the stream has the content type “{kind}”");
        Ok(Self { response, frames: Frames::default(), ready: Vec::new().into_iter() })
    }

    /// Waits for a comment, which is a heartbeat. `None` if the stream ends before.
    pub async fn comment(&mut self) -> Result<Option<String>> {
        let mut text = String::new();
        loop {
            let comment = text.split_inclusive('\n').find(|line| line.starts_with(':') && line.ends_with('\n'));
            if let Some(comment) = comment {
                return Ok(Some(comment.trim_end().to_owned()));
            }
            let Some(chunk) = self.response.chunk().await? else { return Ok(None) };
            text += &String::from_utf8_lossy(&chunk);
        }
    }

    pub async fn next_frame(&mut self) -> Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.ready.next() {
                return Ok(Some(frame));
            }
            let Some(chunk) = self.response.chunk().await? else { return Ok(None) };
            self.ready = self.frames.push(&chunk)?.into_iter();
        }
    }

    pub async fn next(&mut self) -> Result<Option<Event>> {
        let Some(frame) = self.next_frame().await? else { return Ok(None) };
        let event = Event::parse(&frame.data).ok();
        Ok(Some(event.with_context(|| format!("not an event: {}", frame.data))?))
    }

    pub async fn wait_for(&mut self, kind: &str) -> Result<Event> {
        while let Some(event) = self.next().await? {
            if event.kind == kind {
                return Ok(event);
            }
        }
        bail!("the stream ended without {kind}")
    }
}

/// Returns a minimal spec with `fields` added.
pub fn spec(fields: Value) -> Value {
    let mut spec =
        json!({ "systemPrompt": "You help with a check of the protocol.", "metadata": { "conformance": "yes" } });
    if let (Some(spec), Value::Object(fields)) = (spec.as_object_mut(), fields) {
        spec.extend(fields);
    }
    spec
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

pub fn of_kind<'a>(events: &'a [Event], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event.kind == kind).map(|event| &event.data).collect()
}

pub fn last(events: &[Event]) -> Result<&Event> {
    events.last().context("the log is empty")
}
