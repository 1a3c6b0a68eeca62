//! The results of checking each tool of a spec before a launch.
//!
//! They are part of stored drafts: the aliases read drafts from before the fields were renamed.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCheck {
    /// The tool's JSON Pointer, such as `/tools/2`.
    pub path: String,
    pub kind: String,
    pub name: String,
    #[serde(alias = "lights")]
    pub checks: Vec<Check>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    #[serde(alias = "what")]
    pub kind: CheckKind,
    pub state: CheckState,
    pub message: String,
    pub fix: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// The tool's fields are valid.
    Shape,
    /// Its server responds.
    Reachable,
    /// Its server has the tool.
    Listed,
    /// Its calls get an answer.
    Answered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    #[serde(alias = "good")]
    Passed,
    /// This server can't find out.
    Unknown,
    /// Doesn't stop a launch.
    Warning,
    #[serde(alias = "bad")]
    Failed,
}

impl Check {
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}
