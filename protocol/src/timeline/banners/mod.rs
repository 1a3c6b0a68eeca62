//! Banners: the messages at the top of a run's page. Each has the event that it is about, its numbers as [`Facts`], and one
//! [`NextStep`].
//!
//! One small file for each rule, with one function: `check(timeline, spec) -> Vec<Banner>`. To add a banner:
//!
//! 1. Add a kind to [`BannerKind`] and its name to [`BannerKind::as_str`]; add a variant to [`Facts`] if it has numbers.
//! 2. Write `check` in a new file of this folder, and list it in `RULES`.
//! 3. Give it an icon: the compiler points to the match on [`BannerKind`] of the run page.
//! 4. Add a sample log to `protocol/tests/logs` and review its snapshot, see `protocol/tests/golden.rs`.
//!
//! [`verdict`](super::verdict()) takes its last sentence from the next step of the most severe banner.

mod budget_exceeded;
mod ended;
mod log_problems;
mod looping;
mod model_fallback;
mod schema;
mod supervisor;
mod tool_input;
mod truncated;
mod waiting;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Timeline;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Banner {
    pub kind: BannerKind,
    pub severity: Severity,
    /// The event that the banner is about.
    pub seq: u64,
    pub title: String,
    pub detail: String,
    pub facts: Facts,
    pub next_step: NextStep,
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

/// Most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Error,
    Warning,
    Info,
}

/// The numbers and names of a banner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Facts {
    /// An object in JSON, as the others are.
    None {},
    /// `json_requested`: the server reports that an output schema was requested.
    Truncated {
        output_tokens: Option<u64>,
        kept_chars: u64,
        thinking_chars: u64,
        json_requested: bool,
    },
    /// The reports of the server's guard. `longest` is the largest number of equal batches in a row.
    Loop {
        tools: Vec<String>,
        longest: u64,
        reports: u64,
    },
    Budget {
        tool: String,
        max_calls: u64,
        intercepted: u64,
    },
    Supervisor {
        reviews: u64,
        reason: String,
        redirect: Option<String>,
        llm_calls: Option<u64>,
        mid_turn: bool,
    },
    /// Local calls without an answer.
    Local {
        tools: Vec<String>,
        calls: u64,
        timeout_ms: Option<u64>,
    },
    ToolInput {
        tool: String,
        calls: u64,
    },
    Fallback {
        primary: Option<String>,
        fallback: Option<String>,
        error_class: String,
        switches: u64,
    },
    Failure {
        error_class: String,
        retryable: Option<bool>,
        api_status: Option<u64>,
        limit: Option<u64>,
    },
    Cancelled {
        reason: Option<String>,
        unanswered: u64,
    },
    Schema {
        mechanism: Option<String>,
        fell_back: bool,
    },
    /// `first` is the first range of missing seqs, both ends included.
    Gap {
        missing: u64,
        ranges: u64,
        first: (u64, u64),
    },
    AfterEnd {
        events: u64,
    },
    NoEnd {
        last_seq: u64,
        status: String,
    },
}

/// The recommended action, as a sentence and, if it changes a field of the spec, as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NextStep {
    pub text: String,
    pub change: Option<SpecChange>,
    /// The action is to relaunch the run unchanged.
    #[serde(default)]
    pub again: bool,
}

/// A change to the spec for the next launch. `to` is `None` if a person must choose the value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpecChange {
    /// A JSON Pointer into the spec.
    pub field: String,
    pub from: Option<Value>,
    pub to: Option<Value>,
}

impl NextStep {
    fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), change: None, again: false }
    }

    fn relaunch(text: impl Into<String>) -> Self {
        Self { again: true, ..Self::text(text) }
    }

    fn change(text: impl Into<String>, field: &str, from: Option<Value>, to: Option<Value>) -> Self {
        Self { change: Some(SpecChange { field: field.to_owned(), from, to }), ..Self::text(text) }
    }
}

type Rule = fn(&Timeline, Option<&Value>) -> Vec<Banner>;

const RULES: [Rule; 10] = [
    truncated::check,
    ended::check,
    looping::check,
    budget_exceeded::check,
    supervisor::check,
    tool_input::check,
    schema::check,
    model_fallback::check,
    waiting::check,
    log_problems::check,
];

/// Runs all rules. Most severe banners first, then in the order of the log.
pub(super) fn all(timeline: &Timeline, spec: Option<&Value>) -> Vec<Banner> {
    let mut banners: Vec<Banner> = RULES.iter().flat_map(|rule| rule(timeline, spec)).collect();
    banners.sort_by_key(|banner| (banner.severity, banner.seq));
    banners
}

/// Returns a field of the spec, if both exist.
fn spec_field(spec: Option<&Value>, field: &str) -> Option<Value> {
    spec?.get(field).filter(|value| !value.is_null()).cloned()
}
