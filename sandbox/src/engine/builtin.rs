//! The tools that the sandbox runs itself.

mod calculator;
mod documents;

use std::time::Duration;

use chrono::SecondsFormat;
use serde_json::{Value, json};

use crate::clock::Clock;

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

const ALL: [(&str, Builtin); 7] = [
    ("clock", Builtin::Clock),
    ("calculator", Builtin::Calculator),
    ("document_search", Builtin::DocumentSearch),
    ("web_search", Builtin::WebSearch),
    ("recall", Builtin::Recall),
    ("flaky_lookup", Builtin::FlakyLookup),
    ("slow_report", Builtin::SlowReport),
];

impl Builtin {
    pub fn by_name(name: &str) -> Option<Self> {
        ALL.iter().find(|(known, _)| *known == name).map(|(_, builtin)| *builtin)
    }

    pub fn names() -> Vec<&'static str> {
        ALL.iter().map(|(name, _)| *name).collect()
    }

    pub fn description(self) -> &'static str {
        match self {
            Self::Clock => "The current date and time, in UTC.",
            Self::Calculator => "Evaluates an arithmetic expression with + - * / and parentheses.",
            Self::DocumentSearch => "Searches the workspace's documents.",
            Self::WebSearch => "Searches a small bundled collection; the sandbox does not reach the web.",
            Self::Recall => "Searches the workspace's memory.",
            Self::FlakyLookup => "Looks up a customer record. Every other attempt fails.",
            Self::SlowReport => "Builds a report. Takes a few seconds.",
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

    /// Runs the tool. `attempt` counts the calls to it in this run, from 1.
    pub async fn call(self, input: &Value, attempt: u64, clock: &Clock) -> Result<String, String> {
        let text = |field: &str| input[field].as_str().unwrap_or("");
        match self {
            Self::Clock => Ok(clock.now().to_rfc3339_opts(SecondsFormat::Secs, true)),
            Self::Calculator => calculator::evaluate(text("expression")).map(|number| number.to_string()),
            Self::DocumentSearch | Self::WebSearch => {
                clock.pause(Duration::from_millis(40)).await;
                Ok(documents::search(text("query")))
            }
            Self::Recall => Ok(documents::recall(text("query"))),
            Self::FlakyLookup if attempt % 2 == 1 => {
                Err("503: the record service did not answer. Try again.".to_owned())
            }
            Self::FlakyLookup => {
                let record = json!({ "id": input["id"], "plan": "business", "seats": 12, "since": "2024-03-01" });
                Ok(record.to_string())
            }
            Self::SlowReport => {
                clock.pause(Duration::from_secs(3)).await;
                Ok(format!("Report on {}: 3 sections, 14 figures.", text("topic")))
            }
        }
    }
}
