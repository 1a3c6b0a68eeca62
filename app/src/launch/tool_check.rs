//! The results of checking each tool of a spec before a launch.

use serde::{Deserialize, Serialize};

use crate::model::launch::Tone;

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
    /// `Info` if this server can't find out. A warning doesn't stop a launch.
    pub state: Tone,
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
        Check { kind: self, state: Tone::Success, message: message.into(), fix: None }
    }

    pub fn unknown(self, message: impl Into<String>) -> Check {
        Check { state: Tone::Info, ..self.passed(message) }
    }

    pub fn warning(self, message: impl Into<String>, fix: &str) -> Check {
        Check { state: Tone::Warning, fix: Some(fix.to_owned()), ..self.passed(message) }
    }

    pub fn failed(self, message: impl Into<String>, fix: &str) -> Check {
        Check { state: Tone::Error, fix: Some(fix.to_owned()), ..self.passed(message) }
    }
}
