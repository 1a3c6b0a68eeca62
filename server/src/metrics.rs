//! `/metrics` for Prometheus: request latencies, sync lag, store sizes, live streams.
//!
//! Only with the operator's bearer token. The address of a caller says nothing: behind a proxy on this machine, everyone
//! comes from this machine.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::State;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::LockExt;
use sha2::{Digest, Sha256};

use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;

const BUCKETS_MS: [u64; 11] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];

#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Mutex<BTreeMap<(String, u16), Latencies>>>);

#[derive(Debug, Default)]
struct Latencies {
    buckets: [u64; BUCKETS_MS.len()],
    count: u64,
    sum: Duration,
}

impl Metrics {
    /// Counts a request by its route, not by its path, to keep the number of labels small.
    pub fn record(&self, route: &str, status: u16, took: Duration) {
        let mut all = self.0.locked();
        let latencies = all.entry((route.to_owned(), status)).or_default();
        for (bucket, bound) in latencies.buckets.iter_mut().zip(BUCKETS_MS) {
            *bucket += u64::from(took <= Duration::from_millis(bound));
        }
        latencies.count += 1;
        latencies.sum += took;
    }

    fn write(&self, out: &mut String) {
        head(out, "runlens_http_request_duration_seconds", "histogram", "Time to answer, by route and status.");
        let all = self.0.locked();
        for ((route, status), latencies) in &*all {
            let labels = format!("route=\"{}\",status=\"{status}\"", escape(route));
            let name = "runlens_http_request_duration_seconds";
            for (bucket, bound) in latencies.buckets.iter().zip(BUCKETS_MS) {
                let _ = writeln!(out, "{name}_bucket{{{labels},le=\"{}\"}} {bucket}", bound as f64 / 1_000.0);
            }
            let _ = writeln!(out, "{name}_bucket{{{labels},le=\"+Inf\"}} {}", latencies.count);
            let _ = writeln!(out, "{name}_sum{{{labels}}} {}", latencies.sum.as_secs_f64());
            let _ = writeln!(out, "{name}_count{{{labels}}} {}", latencies.count);
        }
    }
}

pub async fn metrics(State(state): State<AppState>, headers: HeaderMap) -> Result<Response, Error> {
    let Some(token) = state.metrics_token.as_deref() else {
        return Ok(
            (StatusCode::NOT_FOUND, "Metrics are off. Set RUNLENS_METRICS_TOKEN to turn them on.\n").into_response()
        );
    };
    if !has_token(token, &headers) {
        let advice = "Send the value of RUNLENS_METRICS_TOKEN as bearer token.\n";
        return Ok((StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], advice).into_response());
    }
    let mut out = String::new();
    state.metrics.write(&mut out);
    write_store(&state, &mut out).await?;
    let (streams, runs) = state.live.count_watchers();
    head(&mut out, "runlens_live_streams", "gauge", "Browsers that follow a run.");
    let _ = writeln!(out, "runlens_live_streams {streams}");
    head(&mut out, "runlens_live_runs", "gauge", "Runs that are followed at MANTYX.");
    let _ = writeln!(out, "runlens_live_runs {runs}");
    head(&mut out, "runlens_log_folds_total", "counter", "Logs folded from their first event to show them.");
    let _ = writeln!(out, "runlens_log_folds_total {}", state.timelines.folds());
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], out).into_response())
}

async fn write_store(state: &AppState, out: &mut String) -> Result<(), Error> {
    head(out, "runlens_store_bytes", "gauge", "Size of the database.");
    let _ = writeln!(out, "runlens_store_bytes {}", state.store.database_bytes().await?);
    let workspaces = state.store.workspace_sizes().await?;
    head(out, "runlens_store_runs", "gauge", "Runs stored, by workspace.");
    for workspace in &workspaces {
        let _ = writeln!(out, "runlens_store_runs{{workspace=\"{}\"}} {}", escape(&workspace.slug), workspace.runs);
    }
    head(out, "runlens_sync_lag_seconds", "gauge", "Since MANTYX's newest runs were last read, by workspace.");
    for workspace in workspaces.iter().filter(|workspace| workspace.synced_at_ms > 0) {
        let lag = (now_ms() - workspace.synced_at_ms).max(0) as f64 / 1_000.0;
        let _ = writeln!(out, "runlens_sync_lag_seconds{{workspace=\"{}\"}} {lag}", escape(&workspace.slug));
    }
    Ok(())
}

fn has_token(token: &str, headers: &HeaderMap) -> bool {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    // Compares hashes, so that the time of the comparison reveals nothing about the token.
    given.is_some_and(|given| Sha256::digest(given) == Sha256::digest(token))
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn escape(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_counted_by_route_in_cumulative_buckets() {
        let metrics = Metrics::default();
        metrics.record("/runs/{id}", 200, Duration::from_millis(7));
        let mut out = String::new();
        metrics.write(&mut out);
        assert!(out.contains("_bucket{route=\"/runs/{id}\",status=\"200\",le=\"0.005\"} 0\n"), "{out}");
        assert!(out.contains("le=\"0.01\"} 1\n") && out.contains("le=\"+Inf\"} 1\n"));
    }
}
