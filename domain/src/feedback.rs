//! Feedback: a thumb up or down, with an explanation.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Thumb {
    #[default]
    Up,
    Down,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    pub thumb: Thumb,
    pub explanation: String,
    pub given_by: String,
    pub given_at_ms: i64,
    /// It was also sent to MANTYX, which requires the `feedback:write` scope.
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
