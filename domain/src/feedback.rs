//! Feedback: a thumb up or down, with an explanation.

use serde::{Deserialize, Serialize};

/// Which way a judgement of a run goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Thumb {
    #[default]
    Up,
    Down,
}

/// What somebody here thinks of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    pub thumb: Thumb,
    pub explanation: String,
    pub given_by: String,
    pub given_at_ms: i64,
    /// MANTYX has it too. Where the sign-in may not send it, it stays here.
    pub sent: bool,
}

impl Thumb {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Up => "UP",
            Self::Down => "DOWN",
        }
    }
}
