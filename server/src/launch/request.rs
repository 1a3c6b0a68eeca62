//! One launch: the request and its result.

use app::launch::LaunchMode;
use domain::ToolAnswerers;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Serialized for the launch's fingerprint, so its fields keep their names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LaunchRequest {
    /// Created with the form. The same key is the same launch, however often it is sent.
    pub key: String,
    pub mode: LaunchMode,
    pub spec: Value,
    pub answers: ToolAnswerers,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchedRun {
    pub run_id: String,
    pub session_id: Option<String>,
}

/// A spec and its answerers, as templates and batches store them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchContent {
    pub spec: Value,
    #[serde(default)]
    pub answers: ToolAnswerers,
}
