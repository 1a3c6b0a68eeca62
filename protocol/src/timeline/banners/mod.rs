//! What a reader must know first. One small file for each kind; each is a function from the timeline to its banners.

mod budget_exceeded;
mod ended_early;
mod log_faults;
mod looping;
mod model_fallback;
mod schema;
mod supervised;
mod tool_input;
mod truncated;
mod waiting;

use serde::{Deserialize, Serialize};

use super::Timeline;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Banner {
    pub kind: BannerKind,
    pub severity: Severity,
    /// The event that the banner rests on.
    pub seq: u64,
    pub title: String,
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BannerKind {
    Truncated,
    LoopNudged,
    LoopGaveUp,
    BudgetExceeded,
    SupervisorRedirect,
    SupervisorFinalize,
    WaitingLocalTool,
    LocalToolTimeout,
    ToolInputInvalid,
    Refused,
    ContextWindow,
    ModelFallback,
    SchemaNotEnforced,
    Failed,
    Cancelled,
    LogGap,
    LogIncomplete,
}

impl BannerKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::LoopNudged => "loop_nudged",
            Self::LoopGaveUp => "loop_gave_up",
            Self::BudgetExceeded => "budget_exceeded",
            Self::SupervisorRedirect => "supervisor_redirect",
            Self::SupervisorFinalize => "supervisor_finalize",
            Self::WaitingLocalTool => "waiting_local_tool",
            Self::LocalToolTimeout => "local_tool_timeout",
            Self::ToolInputInvalid => "tool_input_invalid",
            Self::Refused => "refused",
            Self::ContextWindow => "context_window",
            Self::ModelFallback => "model_fallback",
            Self::SchemaNotEnforced => "schema_not_enforced",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::LogGap => "log_gap",
            Self::LogIncomplete => "log_incomplete",
        }
    }
}

/// In falling order of urgency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Error,
    Warning,
    Info,
}

type Rule = fn(&Timeline) -> Vec<Banner>;

const RULES: [Rule; 10] = [
    truncated::check,
    ended_early::check,
    looping::check,
    budget_exceeded::check,
    supervised::check,
    tool_input::check,
    schema::check,
    model_fallback::check,
    waiting::check,
    log_faults::check,
];

pub(super) fn all(timeline: &Timeline) -> Vec<Banner> {
    let mut banners: Vec<Banner> = RULES.iter().flat_map(|rule| rule(timeline)).collect();
    banners.sort_by_key(|banner| (banner.severity, banner.seq));
    banners
}

/// «1 call», «2 calls».
fn count(n: u64, singular: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {singular}{s}")
}
