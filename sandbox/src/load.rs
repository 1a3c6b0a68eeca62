//! Many runs at once, each with several readers, and the proof that every reader saw every event once.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use protocol::sse::Frames;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

/// What is asked of a sandbox.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub runs: usize,
    pub deltas: usize,
    pub readers: usize,
}

/// What came of it.
#[derive(Debug)]
pub struct Figures {
    /// Written by all runs together
    pub events: u64,
    /// Seen by all readers together
    pub deliveries: u64,
    pub elapsed: Duration,
}

/// The script model writes a text without spaces in pieces of this many characters.
const DELTA_CHARS: usize = 16;

/// Starts all runs at once and follows each to its end. An error when a reader missed an event or saw one twice.
pub async fn run(url: &str, key: &str, workspace: &str, load: Load) -> Result<Figures> {
    // Another part of the process may have chosen one before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = Client::builder().build()?;
    let runs_url = format!("{url}/api/v1/workspaces/{workspace}/agent-runs");
    let prompt = format!("/say {}", "x".repeat(load.deltas * DELTA_CHARS));
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": prompt });
    let start = Instant::now();
    let runs = (0..load.runs).map(|_| {
        let work = one(http.clone(), runs_url.clone(), key.to_owned(), spec.clone(), load);
        async { tokio::spawn(work).await? }
    });
    let seen: Vec<u64> = try_join_all(runs).await?;
    let events = seen.iter().sum();
    Ok(Figures { events, deliveries: events * load.readers as u64, elapsed: start.elapsed() })
}

/// One run and its readers; how many events it had.
async fn one(http: Client, runs_url: String, key: String, spec: Value, load: Load) -> Result<u64> {
    let created = http.post(&runs_url).bearer_auth(&key).json(&spec).send().await?.error_for_status()?;
    let created: Value = serde_json::from_slice(&created.bytes().await?)?;
    let id = created["runId"].as_str().context("no runId")?;
    let stream = format!("{runs_url}/{id}/stream");
    let seen = try_join_all((0..load.readers).map(|_| read(http.get(&stream).bearer_auth(&key)))).await?;
    // The deltas, the message and the result.
    let expected = load.deltas as u64 + 2;
    ensure!(seen.iter().all(|seen| *seen == expected), "{id}: the readers saw {seen:?} events, not {expected}");
    Ok(expected)
}

/// Reads a stream to its end and counts its events, which must come one after another from 1 on.
async fn read(request: RequestBuilder) -> Result<u64> {
    let mut response = request.send().await?.error_for_status()?;
    let mut frames = Frames::default();
    let (mut seen, mut last) = (0, String::new());
    while let Some(chunk) = response.chunk().await? {
        for frame in frames.push(&chunk)? {
            seen += 1;
            let id: Option<u64> = frame.id.as_deref().and_then(|id| id.parse().ok());
            ensure!(id == Some(seen), "event {id:?} came where {seen} should");
            last = frame.event.unwrap_or_default();
        }
    }
    ensure!(last == "result", "the stream ended with {last:?}");
    Ok(seen)
}
