//! The built-in tools.

mod calculator;
mod documents;

use std::time::Duration;

use chrono::SecondsFormat;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::tool_output::{ToolOutput, file};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    Clock,
    Calculator,
    DocumentSearch,
    WebSearch,
    Recall,
    FlakyLookup,
    SlowReport,
}

impl Builtin {
    pub const ALL: [Self; 7] = [
        Self::Clock,
        Self::Calculator,
        Self::DocumentSearch,
        Self::WebSearch,
        Self::Recall,
        Self::FlakyLookup,
        Self::SlowReport,
    ];

    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|builtin| builtin.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Clock => "clock",
            Self::Calculator => "calculator",
            Self::DocumentSearch => "document_search",
            Self::WebSearch => "web_search",
            Self::Recall => "recall",
            Self::FlakyLookup => "flaky_lookup",
            Self::SlowReport => "slow_report",
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            Self::Clock => "The current date and time, in UTC.",
            Self::Calculator => "Evaluates an arithmetic expression with + - * / and parentheses.",
            Self::DocumentSearch => "Searches the workspace's documents.",
            Self::WebSearch => "Searches a small bundled collection; the sandbox does not reach the web.",
            Self::Recall => "Searches the workspace's memory.",
            Self::FlakyLookup => "Looks up a customer record. Every other attempt fails.",
            Self::SlowReport => "Builds a report, as text and as a file. Takes a few seconds.",
        }
    }

    pub fn parameters(self) -> Value {
        let one_text =
            |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
        match self {
            Self::Clock => json!({ "type": "object", "properties": {} }),
            Self::Calculator => one_text("expression"),
            Self::DocumentSearch | Self::WebSearch | Self::Recall => one_text("query"),
            Self::FlakyLookup => one_text("id"),
            Self::SlowReport => one_text("topic"),
        }
    }

    /// Returns how much later a virtual clock is after the tool has run.
    fn typical_duration(self) -> Duration {
        Duration::from_millis(match self {
            Self::Clock | Self::Calculator => 5,
            Self::Recall => 180,
            Self::DocumentSearch => 320,
            Self::FlakyLookup => 900,
            Self::WebSearch => 1_400,
            Self::SlowReport => 21_000,
        })
    }

    /// Runs the tool. `attempt` counts the calls to it in this run, from 1.
    pub async fn call(self, input: &Value, attempt: u64, clock: &Clock) -> ToolOutput {
        let text = |field: &str| input[field].as_str().unwrap_or("");
        clock.advance(self.typical_duration());
        match self {
            Self::Clock => ToolOutput::text(clock.now().to_rfc3339_opts(SecondsFormat::Secs, true)),
            Self::Calculator => calculator::evaluate(text("expression")).map(|number| number.to_string()).into(),
            Self::DocumentSearch | Self::WebSearch => {
                clock.pause(Duration::from_millis(40)).await;
                ToolOutput::text(documents::search(text("query")))
            }
            Self::Recall => ToolOutput::text(documents::recall(text("query"))),
            Self::FlakyLookup if attempt % 2 == 1 => {
                ToolOutput::failure("503: the record service did not answer. Try again.")
            }
            Self::FlakyLookup => {
                let record = json!({ "id": input["id"], "plan": "business", "seats": 12, "since": "2024-03-01" });
                ToolOutput::text(record.to_string())
            }
            Self::SlowReport => {
                clock.pause(Duration::from_secs(3)).await;
                report(text("topic"))
            }
        }
    }
}

fn report(topic: &str) -> ToolOutput {
    let rows: String = (1..=14).map(|figure| format!("{topic},figure {figure},{}\n", figure * 7 % 23)).collect();
    let text = format!("Report on {topic}: 3 sections, 14 figures.");
    ToolOutput { outcome: Ok(text), files: vec![file("report.csv", "text/csv", rows.len())] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_report_takes_its_time_and_brings_a_file() {
        let clock = Clock::starting_at(chrono::DateTime::UNIX_EPOCH);
        let output = Builtin::SlowReport.call(&json!({ "topic": "usage" }), 1, &clock).await;
        assert_eq!(clock.now().timestamp(), 24);
        assert_eq!(
            (&output.files[0]["filename"], &output.files[0]["mimeType"]),
            (&json!("report.csv"), &json!("text/csv"))
        );
    }

    #[tokio::test]
    async fn every_other_lookup_fails() {
        let clock = Clock::starting_at(chrono::DateTime::UNIX_EPOCH);
        for (attempt, ok) in [(1, false), (2, true), (3, false)] {
            let output = Builtin::FlakyLookup.call(&json!({ "id": "7" }), attempt, &clock).await;
            assert_eq!(output.outcome.is_ok(), ok);
        }
    }
}
