//! A load test: many concurrent runs with several readers each, which must see every event once.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use protocol::sse::Frames;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub runs: usize,
    pub deltas: usize,
    pub readers: usize,
}

/// The result of a load test.
#[derive(Debug)]
pub struct LoadReport {
    /// Events of all runs
    pub events: u64,
    /// Events received by all readers
    pub deliveries: u64,
    pub elapsed: Duration,
}

/// Size of the deltas in which the script model streams a text without spaces.
const DELTA_CHARS: usize = 16;

/// Starts all runs at once and follows each to its end. Fails if a reader misses an event or gets one twice.
pub async fn run(url: &str, key: &str, workspace: &str, load: Load) -> Result<LoadReport> {
    // Ignores that a provider may already be installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = Client::builder().build()?;
    let runs_url = format!("{url}/api/v1/workspaces/{workspace}/agent-runs");
    let prompt = format!("/say {}", "x".repeat(load.deltas * DELTA_CHARS));
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": prompt });
    let start = Instant::now();
    let runs = (0..load.runs).map(|_| {
        let work = run_one(http.clone(), runs_url.clone(), key.to_owned(), spec.clone(), load);
        async { tokio::spawn(work).await? }
    });
    let seen: Vec<u64> = try_join_all(runs).await?;
    let events = seen.iter().sum();
    Ok(LoadReport { events, deliveries: events * load.readers as u64, elapsed: start.elapsed() })
}

/// Executes one run with its readers and returns the number of events.
async fn run_one(http: Client, runs_url: String, key: String, spec: Value, load: Load) -> Result<u64> {
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

/// Reads a stream to its end and returns the number of events, whose ids must count up from 1.
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
