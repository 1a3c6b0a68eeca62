//! The last event of a run, and what its snapshot says from then on.

use protocol::RunStatus;
use serde_json::{Value, json};

use super::run_loop::{Ending, Run};
use super::structured_output;
use crate::live::StopReason;
use crate::provider::ProviderError;
use crate::store::{Finish, NewMessage};

/// What an ending means, before usage is added.
struct LastWord {
    kind: &'static str,
    data: Value,
    status: RunStatus,
    text: Option<String>,
    failure_reason: Option<Value>,
}

impl Run {
    pub(super) async fn end(mut self, ending: Ending) {
        let answered = matches!(ending, Ending::Answered { .. });
        let mut last_word = self.last_word(ending);
        let model = self.model.wire(&self.spec);
        let tokens = json!(self.tokens);
        if last_word.kind != "cancelled" {
            last_word.data["tokens"] = tokens.clone();
            last_word.data["turns"] = self.turns.into();
            last_word.data["model"] = model.clone();
        }
        let mut session_turn = Vec::new();
        if answered && last_word.status == RunStatus::Succeeded {
            session_turn = std::mem::take(&mut self.said);
            let content = last_word.text.clone().unwrap_or_default();
            session_turn.push(NewMessage { role: "assistant".to_owned(), content, attachments: None });
        }
        let finish = Finish {
            status: last_word.status,
            final_text: last_word.text,
            error: last_word.data["error"].as_str().map(Into::into),
            failure_reason: last_word.failure_reason,
            tokens,
            turns: self.turns,
            model,
            tool_call_count: self.tool_calls,
            completed_at: self.clock.now().timestamp_millis(),
            session_turn,
        };
        self.log.end(last_word.kind, last_word.data, finish).await;
    }

    fn last_word(&self, ending: Ending) -> LastWord {
        match ending {
            Ending::Answered { text } => self.answered(text),
            Ending::Truncated { text } => {
                let message = "Model output was truncated (stop_reason=max_tokens).";
                self.failed(Failure { class: "truncation", message, finish_reason: Some("max_tokens"), text })
            }
            Ending::Refused { text } => {
                let message = "The model declined to answer.";
                self.failed(Failure { class: "refusal", message, finish_reason: Some("refusal"), text })
            }
            Ending::ProviderFailed { error: ProviderError { class, message }, text } => {
                self.failed(Failure { class: &class, message: &message, finish_reason: None, text })
            }
            Ending::LocalToolTimedOut { tools, timeout_ms } => {
                let message = format!("Timed out waiting for local tool result: {tools} had {timeout_ms} ms.");
                let text = String::new();
                self.failed(Failure { class: "local_timeout", message: &message, finish_reason: None, text })
            }
            Ending::Stopped(StopReason::ShuttingDown) => {
                let message = "The server was shut down while this run was in flight.";
                self.failed(Failure { class: "server", message, finish_reason: None, text: String::new() })
            }
            Ending::Stopped(StopReason::Cancelled(reason)) => LastWord {
                kind: "cancelled",
                data: json!({ "reason": reason }),
                status: RunStatus::Cancelled,
                text: None,
                failure_reason: None,
            },
            Ending::OutOfToolTurns { max, text } => {
                let message = format!("The run used up its {max} tool turns without an answer.");
                let structured_output = structured_output::not_reached(&self.spec);
                LastWord {
                    kind: "result",
                    data: json!({
                        "subtype": "error_max_tool_turns", "ok": false, "error": message, "text": text,
                        "structuredOutput": structured_output,
                    }),
                    status: RunStatus::Failed,
                    text: Some(text).filter(|text| !text.is_empty()),
                    failure_reason: Some(json!({ "errorClass": "max_tool_turns", "finishReason": "tool_use" })),
                }
            }
        }
    }

    fn answered(&self, text: String) -> LastWord {
        let report = structured_output::report(&self.spec, &text);
        if let Some(fault) = report.strict_fault {
            let class = "structured_output_not_enforced";
            let mut failed = self.failed(Failure { class, message: &fault, finish_reason: Some("end_turn"), text });
            failed.data["structuredOutput"] = report.wire;
            return failed;
        }
        LastWord {
            kind: "result",
            data: json!({ "subtype": "success", "text": text, "structuredOutput": report.wire }),
            status: RunStatus::Succeeded,
            text: Some(text),
            failure_reason: None,
        }
    }

    fn failed(&self, failure: Failure<'_>) -> LastWord {
        let Failure { class, message, finish_reason, text } = failure;
        let retryable =
            matches!(class, "rate_limit" | "overloaded" | "server" | "timeout" | "upstream_deadline" | "local_timeout");
        let mut data = json!({ "error": message, "code": class, "errorClass": class });
        if let Some(reason) = finish_reason {
            data["finishReason"] = reason.into();
        }
        if !text.is_empty() || class == "truncation" {
            data["partialText"] = text.as_str().into();
        }
        data["retryable"] = retryable.into();
        data["structuredOutput"] = structured_output::not_reached(&self.spec);
        LastWord {
            kind: "error",
            data,
            status: RunStatus::Failed,
            text: Some(text).filter(|text| !text.is_empty() || class == "truncation"),
            failure_reason: Some(json!({ "errorClass": class, "finishReason": finish_reason })),
        }
    }
}

struct Failure<'a> {
    class: &'a str,
    message: &'a str,
    finish_reason: Option<&'static str>,
    /// What the model had written in its last turn.
    text: String,
}
