//! Calls that wait for an answer from outside, as the JSON API lists them.

use serde::Serialize;
use serde_json::Value;

/// The nearest deadline first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingCalls {
    pub calls: Vec<WaitingCall>,
    /// Runs that wait and whose calls are not listed, because there are too many or their log cannot be read.
    pub runs_not_listed: u64,
    /// Why the list may be out of date.
    pub stale: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingCall {
    pub run_id: String,
    pub run_name: String,
    pub tool_use_id: String,
    pub tool: String,
    pub args: Value,
    /// At least this long: a call that was in the log when the log was first read may be older.
    pub waiting_ms: u64,
    /// When the call times out, at the latest. `None` if the run's spec is unknown.
    pub deadline_at_ms: Option<i64>,
    /// Who is to answer.
    pub responder: String,
    /// People who are writing an answer now.
    pub writers: Vec<String>,
}
