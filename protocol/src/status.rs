//! The status of a run.

use serde::{Deserialize, Serialize};

/// The status of a run. Servers spell some of these in more than one way; all are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    #[serde(alias = "queued")]
    Pending,
    #[serde(alias = "in_progress")]
    Running,
    #[serde(alias = "success", alias = "completed")]
    Succeeded,
    #[serde(alias = "error")]
    Failed,
    #[serde(alias = "canceled")]
    Cancelled,
}

impl RunStatus {
    pub const ALL: [Self; 5] = [Self::Pending, Self::Running, Self::Succeeded, Self::Failed, Self::Cancelled];

    /// Returns the name that MANTYX uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "pending" | "queued" => Self::Pending,
            "running" | "in_progress" => Self::Running,
            "succeeded" | "success" | "completed" => Self::Succeeded,
            "failed" | "error" => Self::Failed,
            "cancelled" | "canceled" => Self::Cancelled,
            _ => return None,
        })
    }

    /// Returns whether the run has ended: its log gets no more events.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}
