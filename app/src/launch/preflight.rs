//! Whether each tool of a spec is ready, light by light.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCheck {
    /// Where the tool stands in the spec: `/tools/2`.
    pub path: String,
    pub kind: String,
    pub name: String,
    pub lights: Vec<Light>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Light {
    pub what: Question,
    pub state: LightState,
    /// One plain sentence.
    pub message: String,
    /// What to do about it, where something can be done.
    pub fix: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Is it written as MANTYX wants it?
    Shape,
    /// Does its server answer?
    Reachable,
    /// Does its server have the tool?
    Listed,
    /// Does somebody answer its calls?
    Answered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LightState {
    Good,
    /// Cannot be told from here.
    Unknown,
    /// May be wrong; a launch is not held up.
    Warning,
    /// Is wrong.
    Bad,
}

impl ToolCheck {
    pub fn worst(&self) -> LightState {
        self.lights.iter().map(|light| light.state).max().unwrap_or(LightState::Good)
    }
}

impl Light {
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}
