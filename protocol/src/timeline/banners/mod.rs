//! What a reader must know first. One small file for each kind; each is a function from the timeline to its banners.
//!
//! Every banner names the event that it rests on, has its numbers as [`Facts`], and ends in one [`NextStep`].

mod budget_exceeded;
mod ended;
mod log_faults;
mod looping;
mod model_fallback;
mod schema;
mod supervised;
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
    /// The event that the banner rests on.
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

/// In falling order of urgency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Error,
    Warning,
    Info,
}

/// The numbers and names of a banner, for pages that show more than its sentences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Facts {
    None,
    /// `json_requested`: the fragment is of JSON, as far as the server says.
    Truncated {
        output_tokens: Option<u64>,
        kept_chars: u64,
        thinking_chars: u64,
        json_requested: bool,
    },
    /// The server's own reports. `longest` is the longest streak among them, in batches.
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
    /// Calls that nobody outside has answered, or had answered when the run ended.
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

/// The one thing to do about it, in words and, where a spec's field is to be changed, as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NextStep {
    pub text: String,
    pub change: Option<SpecChange>,
    /// Launching the run again as it was is what the text says.
    #[serde(default)]
    pub again: bool,
}

/// A change to the spec for the next launch. `to` is left out where only a person can tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpecChange {
    /// A JSON pointer into the spec.
    pub field: String,
    pub from: Option<Value>,
    pub to: Option<Value>,
}

impl NextStep {
    fn say(text: impl Into<String>) -> Self {
        Self { text: text.into(), change: None, again: false }
    }

    fn again(text: impl Into<String>) -> Self {
        Self { again: true, ..Self::say(text) }
    }

    fn change(text: impl Into<String>, field: &str, from: Option<Value>, to: Option<Value>) -> Self {
        Self { change: Some(SpecChange { field: field.to_owned(), from, to }), ..Self::say(text) }
    }
}

type Rule = fn(&Timeline, Option<&Value>) -> Vec<Banner>;

const RULES: [Rule; 10] = [
    truncated::check,
    ended::check,
    looping::check,
    budget_exceeded::check,
    supervised::check,
    tool_input::check,
    schema::check,
    model_fallback::check,
    waiting::check,
    log_faults::check,
];

pub(super) fn all(timeline: &Timeline, spec: Option<&Value>) -> Vec<Banner> {
    let mut banners: Vec<Banner> = RULES.iter().flat_map(|rule| rule(timeline, spec)).collect();
    banners.sort_by_key(|banner| (banner.severity, banner.seq));
    banners
}

/// What the spec says in a field, where both are known.
fn asked_for(spec: Option<&Value>, field: &str) -> Option<Value> {
    spec?.get(field).filter(|value| !value.is_null()).cloned()
}
