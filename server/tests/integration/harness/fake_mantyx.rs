//! A fake MANTYX that misbehaves on purpose: it drops connections, limits rates, fails, shuffles its pages and starts runs
//! meanwhile. Its cursors are offsets, so pages shift whenever a run arrives.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures::StreamExt;
use runlens::config::{Config, MantyxConfig};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::fake_sessions;

/// The behaviour for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Well,
    /// Closes the connection in the middle of a response.
    HangUp,
    Fail,
    AskToWait,
    /// Never responds.
    Hang,
}

#[derive(Clone)]
pub struct FakeMantyx {
    pub addr: SocketAddr,
    pub world: Arc<Mutex<World>>,
}

pub struct World {
    /// Creation times by run number, the newest last.
    pub runs: Vec<i64>,
    pub moods: Vec<Mood>,
    pub requests: usize,
    /// The number of list requests that also start a run.
    pub arriving: usize,
    pub can_list: bool,
    /// The status of list requests when it cannot list.
    pub no_list: StatusCode,
    pub lists: usize,
    pub streams: HashMap<String, usize>,
    /// The seconds of `Retry-After`.
    pub wait_s: u64,
    /// Numbers of runs whose snapshot and log always fail.
    pub broken: Vec<usize>,
    /// Numbers of runs that never end.
    pub running: Vec<usize>,
    /// Numbers of runs that end right after their first snapshot was read.
    pub ending: Vec<usize>,
    /// Numbers of runs with an unknown status.
    pub odd: Vec<usize>,
    /// How many streams still come with a first event that is cut off.
    pub damaged_streams: usize,
    /// Snapshot requests by run.
    pub snapshots: HashMap<String, usize>,
    /// The number of sessions.
    pub sessions: usize,
    /// Messages of each session.
    pub messages: usize,
    pub session_mood: Mood,
    /// Accepts no credential.
    pub refuse_all: bool,
    /// The number of credentials that were refused.
    pub refused: usize,
}

impl FakeMantyx {
    pub async fn start(runs: usize, moods: &[Mood]) -> Self {
        let now = chrono::Utc::now().timestamp_millis();
        let world = World {
            runs: (0..runs).map(|i| now - (runs - i) as i64 * 1_000).collect(),
            moods: moods.to_vec(),
            requests: 0,
            arriving: 0,
            can_list: true,
            no_list: StatusCode::METHOD_NOT_ALLOWED,
            lists: 0,
            streams: HashMap::new(),
            wait_s: 1,
            broken: Vec::new(),
            running: Vec::new(),
            ending: Vec::new(),
            odd: Vec::new(),
            damaged_streams: 0,
            snapshots: HashMap::new(),
            sessions: 0,
            messages: 0,
            session_mood: Mood::Well,
            refuse_all: false,
            refused: 0,
        };
        let world = Arc::new(Mutex::new(world));
        let runs = "/api/v1/workspaces/{slug}/agent-runs";
        let router = Router::new()
            .route("/api/v1/workspaces/{slug}/models", get(models))
            .route(runs, get(list))
            .route(&format!("{runs}/{{id}}"), get(snapshot))
            .route(&format!("{runs}/{{id}}/stream"), get(stream))
            .merge(fake_sessions::routes())
            .with_state(world.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { addr, world }
    }

    /// Makes a server use this MANTYX.
    pub fn configure(&self, config: &mut Config) {
        config.mantyx = MantyxConfig::Remote {
            url: format!("http://{}", self.addr).parse().unwrap(),
            client_id: "mantyx_oa_x".to_owned(),
            client_secret: "mantyx_oas_x".to_owned(),
        };
        config.mantyx_workspace = Some("acme".to_owned());
    }

    pub fn look<T>(&self, look: impl FnOnce(&mut World) -> T) -> T {
        look(&mut self.world.lock().unwrap())
    }
}

pub(super) type Shared = State<Arc<Mutex<World>>>;

impl World {
    /// Returns the behaviour for the next request, in rotation.
    fn mood(&mut self) -> Mood {
        self.requests += 1;
        if self.moods.is_empty() { Mood::Well } else { self.moods[self.requests % self.moods.len()] }
    }

    fn row(&self, number: usize) -> Value {
        let at = chrono::DateTime::from_timestamp_millis(self.runs[number]).unwrap();
        let status = match () {
            () if self.running.contains(&number) || self.ending.contains(&number) => "running",
            () if self.odd.contains(&number) => "levitating",
            () => "succeeded",
        };
        let mut row = json!({
            "id": id(number), "status": status, "specName": "fake", "modelId": "m", "inputPreview": "a prompt",
            "metadata": { "number": number.to_string() }, "createdAt": at.to_rfc3339(), "completedAt": at.to_rfc3339(),
            "turns": 1, "tokens": { "inputTokens": 1, "outputTokens": 1 },
        });
        if status == "running" {
            row["completedAt"] = Value::Null;
        }
        row
    }
}

fn id(number: usize) -> String {
    format!("run_{number:06}")
}

async fn models(State(world): Shared) -> Response {
    let mut world = world.lock().unwrap();
    if world.refuse_all {
        world.refused += 1;
        return StatusCode::UNAUTHORIZED.into_response();
    }
    axum::Json(json!({ "models": [] })).into_response()
}

async fn list(State(world): Shared, Query(query): Query<HashMap<String, String>>) -> Response {
    let mood = {
        let mut world = world.lock().unwrap();
        if !world.can_list {
            return world.no_list.into_response();
        }
        world.lists += 1;
        world.mood()
    };
    if mood == Mood::Hang {
        std::future::pending::<()>().await;
    }
    let mut world = world.lock().unwrap();
    if let Some(trouble) = trouble(mood, world.wait_s) {
        return trouble;
    }
    if world.arriving > 0 {
        world.arriving -= 1;
        world.runs.push(chrono::Utc::now().timestamp_millis());
    }
    let limit: usize = query["limit"].parse().unwrap();
    let offset: usize = query.get("cursor").map_or(0, |cursor| cursor.parse().unwrap());
    let newest_first: Vec<usize> = (0..world.runs.len()).rev().skip(offset).take(limit).collect();
    let more = offset + newest_first.len() < world.runs.len();
    let mut rows: Vec<Value> = newest_first.into_iter().map(|number| world.row(number)).collect();
    // Not sorted, although MANTYX promises it.
    let middle = rows.len() / 2;
    rows.rotate_left(middle);
    let next = more.then(|| (offset + rows.len()).to_string());
    let total = query.contains_key("includeTotal").then_some(world.runs.len());
    axum::Json(json!({ "runs": rows, "nextCursor": next, "limit": limit, "total": total })).into_response()
}

async fn snapshot(State(world): Shared, Path((_, id)): Path<(String, String)>) -> Response {
    // The server asks for this run only to learn whether the credential may read runs.
    if id == "scope-check" {
        return StatusCode::NOT_FOUND.into_response();
    }
    let mut world = world.lock().unwrap();
    *world.snapshots.entry(id.clone()).or_default() += 1;
    let mood = world.mood();
    if let Some(trouble) = trouble(mood, world.wait_s) {
        return trouble;
    }
    let number: usize = id.trim_start_matches("run_").parse().unwrap_or(usize::MAX);
    if number >= world.runs.len() {
        return StatusCode::NOT_FOUND.into_response();
    }
    if world.broken.contains(&number) {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let mut body = world.row(number);
    world.ending.retain(|ending| *ending != number);
    body["agentSpec"] = json!({ "prompt": format!("prompt of {id}") });
    axum::Json(body).into_response()
}

async fn stream(State(world): Shared, Path((_, id)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let mut world = world.lock().unwrap();
    assert!(headers.contains_key("authorization"));
    *world.streams.entry(id.clone()).or_default() += 1;
    let mood = world.mood();
    if let Some(trouble) = trouble(mood, world.wait_s) {
        return trouble;
    }
    let number: usize = id.trim_start_matches("run_").parse().unwrap_or(usize::MAX);
    let in_progress = world.running.contains(&number);
    let frames = [
        json!({ "seq": 1, "type": "assistant_message", "data": { "text": format!("answer of {id}"), "turn": 0 } }),
        json!({ "seq": 2, "type": "result", "data": { "subtype": "success", "text": format!("answer of {id}") } }),
    ];
    let is_damaged = world.damaged_streams > 0;
    world.damaged_streams = world.damaged_streams.saturating_sub(1);
    let frame = |frame: &Value| match frame.to_string() {
        json if is_damaged && frame["seq"] == 1 => format!("id: 1\ndata: {}\n\n", &json[..20]),
        json => format!("id: {}\ndata: {json}\n\n", frame["seq"]),
    };
    let body = match in_progress {
        // A run in progress has no result yet, and its stream stays open.
        true => {
            let first = futures::stream::iter([Ok::<_, std::io::Error>(frame(&frames[0]))]);
            axum::body::Body::from_stream(first.chain(futures::stream::pending()))
        }
        false => frames.iter().map(frame).collect::<String>().into(),
    };
    ([("content-type", "text/event-stream")], body).into_response()
}

pub(super) fn trouble(mood: Mood, wait_s: u64) -> Option<Response> {
    match mood {
        Mood::Well | Mood::Hang => None,
        Mood::Fail => Some(StatusCode::INTERNAL_SERVER_ERROR.into_response()),
        Mood::AskToWait => {
            let wait = [("retry-after", wait_s.to_string())];
            Some(
                (StatusCode::TOO_MANY_REQUESTS, wait, axum::Json(json!({ "error": "rate_limit_exceeded" })))
                    .into_response(),
            )
        }
        Mood::HangUp => {
            let broken = futures::stream::iter([Ok("{\"runs\": ["), Err(std::io::Error::other("gone"))]);
            Some(axum::body::Body::from_stream(broken).into_response())
        }
    }
}
