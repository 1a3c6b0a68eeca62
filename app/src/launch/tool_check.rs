//! The results of checking each tool of a spec before a launch.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCheck {
    /// The tool's JSON Pointer, such as `/tools/2`.
    pub path: String,
    pub kind: String,
    pub name: String,
    pub checks: Vec<Check>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
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
    Passed,
    /// This server can't find out.
    Unknown,
    /// Doesn't stop a launch.
    Warning,
    Failed,
}

impl CheckKind {
    pub fn label(self) -> &'static str {
        match self {
            Self::Shape => "Shape",
            Self::Reachable => "Reachable",
            Self::Listed => "Listed",
            Self::Answered => "Answered",
        }
    }

    pub fn passed(self, message: impl Into<String>) -> Check {
        Check { kind: self, state: CheckState::Passed, message: message.into(), fix: None }
    }

    pub fn unknown(self, message: impl Into<String>) -> Check {
        Check { state: CheckState::Unknown, ..self.passed(message) }
    }

    pub fn warning(self, message: impl Into<String>, fix: &str) -> Check {
        Check { state: CheckState::Warning, fix: Some(fix.to_owned()), ..self.passed(message) }
    }

    pub fn failed(self, message: impl Into<String>, fix: &str) -> Check {
        Check { state: CheckState::Failed, fix: Some(fix.to_owned()), ..self.passed(message) }
    }
}
