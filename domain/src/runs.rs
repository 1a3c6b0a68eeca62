//! A run as lists show it.

use protocol::messages::{Metadata, Tokens};
use protocol::{RunStatus, Timeline};
use serde::{Deserialize, Serialize};

/// One run as a list shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    pub id: String,
    pub session_id: Option<String>,
    pub status: RunStatus,
    pub name: Option<String>,
    pub agent_id: Option<String>,
    pub model: Option<String>,
    pub input_preview: Option<String>,
    pub output_preview: Option<String>,
    pub error: Option<String>,
    pub tokens: Option<Tokens>,
    pub turns: Option<u64>,
    pub tool_calls: Option<u64>,
    pub duration_ms: Option<u64>,
    /// Millionths of a US dollar, at the price that the catalogue named when the run was stored.
    #[serde(default)]
    pub cost_micros: Option<u64>,
    #[serde(default)]
    pub error_class: Option<String>,
    pub created_at_ms: i64,
    pub metadata: Metadata,
    pub marks: Marks,
    #[serde(default)]
    pub origin: Origin,
}

/// Where a stored run comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From MANTYX.
    #[default]
    Mirrored,
    /// From a file.
    Imported,
    /// Made up by `runlens seed`.
    Seeded,
}

/// What stands out in a run's log, known once the log was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    pub truncated: bool,
    pub looping: bool,
    pub over_budget: bool,
    /// Somebody owes a local tool's answer.
    #[serde(default)]
    pub waiting: bool,
    /// The run has ended, and a tool call was never answered.
    #[serde(default)]
    pub orphan_call: bool,
}

/// The error of an imported run whose log has no end.
pub const IMPORT_WITHOUT_END: &str = "The imported log stops before the run's end.";

impl RunSummary {
    /// The name to show: the spec's, the agent's, or that it has none.
    pub fn title(&self) -> String {
        let nameless = match self.origin {
            Origin::Imported => "imported log",
            _ => "ephemeral",
        };
        self.name.clone().or_else(|| self.agent_id.clone()).unwrap_or_else(|| nameless.to_owned())
    }

    /// It counts as failed only because the file that it is from stops before the end.
    pub fn end_is_unknown(&self) -> bool {
        self.origin == Origin::Imported && self.error.as_deref() == Some(IMPORT_WITHOUT_END)
    }
}

impl Marks {
    pub fn of(timeline: &Timeline) -> Self {
        use protocol::timeline::BannerKind;
        let kinds: Vec<BannerKind> = timeline.banners().iter().map(|banner| banner.kind).collect();
        let has = |kind| kinds.contains(&kind);
        Self {
            truncated: has(BannerKind::Truncated),
            looping: has(BannerKind::LoopNudged) || has(BannerKind::LoopGaveUp),
            over_budget: has(BannerKind::BudgetExceeded),
            waiting: timeline.outcome.is_none() && timeline.waiting_calls().next().is_some(),
            orphan_call: timeline.outcome.is_some() && timeline.calls().any(|call| call.answer.is_none()),
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::Event;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_that_stops_at_the_output_limit_is_marked_though_the_run_succeeded() {
        let marks = |finish_reason: &str| {
            let message = json!({ "text": "It began in", "finishReason": finish_reason });
            let result = json!({ "subtype": "success", "text": "It began in" });
            Marks::of(&Timeline::from_events(&[
                Event::new(1, "assistant_message", message),
                Event::new(2, "result", result),
            ]))
        };
        assert!(marks("max_tokens").truncated);
        assert!(!marks("end_turn").truncated);
    }
}
