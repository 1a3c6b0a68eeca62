//! Figures of many runs: how they ended, how long they took, and what they cost.

use serde::{Deserialize, Serialize};

/// The figures of the runs that match a query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Insights {
    /// The time range. `None` where the query has no limit.
    pub since_at_ms: Option<i64>,
    pub before_at_ms: Option<i64>,
    #[serde(flatten)]
    pub figures: RunFigures,
    /// The figures of the time range of the same length before this one.
    pub previous: Option<RunFigures>,
    pub over_time: FiguresOverTime,
    pub by: Breakdown,
    pub errors: Vec<ErrorFigures>,
    pub tools: Vec<ToolFigures>,
    /// The number of newest matching runs that figures come from. `None` if they come from all.
    pub counted_newest: Option<u64>,
    /// The same for `by`, `errors` and `tools`.
    pub details_counted_newest: Option<u64>,
    /// Runs of an earlier version that are not counted yet.
    pub runs_missing: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunFigures {
    pub runs: u64,
    pub outcomes: Outcomes,
    /// The number of runs with each signal.
    pub signals: Signals,
    /// The same as shares of all runs, from 0 to 1.
    pub rates: Rates,
    pub duration_ms: Percentiles,
    pub tokens: u64,
    pub cost_micros: u64,
    pub tokens_per_run: Percentiles,
    pub cost_micros_per_run: Percentiles,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcomes {
    pub succeeded: u64,
    pub failed: u64,
    pub cancelled: u64,
    pub running: u64,
    pub pending: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signals {
    pub failed: u64,
    pub truncated: u64,
    pub looping: u64,
    pub budget: u64,
    /// Ended with a tool call that was not answered.
    pub unanswered: u64,
    pub tool_failed: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rates {
    pub failed: f64,
    pub truncated: f64,
    pub looping: f64,
    pub budget: f64,
    pub unanswered: f64,
    pub tool_failed: f64,
}

/// `None` where no run has the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Percentiles {
    pub p50: Option<u64>,
    pub p95: Option<u64>,
    pub sum: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FiguresOverTime {
    pub bucket_ms: i64,
    /// The whole time: the query's time range, widened to whole buckets.
    pub start_ms: i64,
    pub end_ms: i64,
    /// Oldest first; empty ones are left out.
    pub buckets: Vec<FiguresBucket>,
    /// The query's time range. The first and the last bucket only count runs within it.
    pub from_ms: Option<i64>,
    pub before_ms: Option<i64>,
    pub counted_newest: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FiguresBucket {
    pub start_ms: i64,
    #[serde(flatten)]
    pub figures: RunFigures,
}

/// Figures by the values of a key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakdown {
    /// `model`, `agent`, `name` or `metadata.KEY`.
    pub key: String,
    /// The keys to choose from.
    pub keys: Vec<String>,
    /// The values of most runs.
    pub values: Vec<ValueFigures>,
    /// Runs with other values, or with none.
    pub others: Option<RunFigures>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ValueFigures {
    pub value: String,
    #[serde(flatten)]
    pub figures: RunFigures,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorFigures {
    pub error_class: String,
    pub runs: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFigures {
    pub name: String,
    /// Runs that called it.
    pub runs: u64,
    /// Without calls that a guard skipped.
    pub calls: u64,
    pub failed: u64,
    /// Runs in which the loop guard reported it.
    pub loops: u64,
    /// Of calls whose times are known.
    pub p50_ms: Option<u64>,
    pub p95_ms: Option<u64>,
    /// The share of the time of all matching runs, from 0 to 1.
    pub time_share: f64,
}

impl Rates {
    pub fn of(signals: &Signals, runs: u64) -> Self {
        let rate = |count: u64| if runs == 0 { 0.0 } else { count as f64 / runs as f64 };
        Self {
            failed: rate(signals.failed),
            truncated: rate(signals.truncated),
            looping: rate(signals.looping),
            budget: rate(signals.budget),
            unanswered: rate(signals.unanswered),
            tool_failed: rate(signals.tool_failed),
        }
    }
}
