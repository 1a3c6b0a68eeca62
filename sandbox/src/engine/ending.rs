//! The last event of a run, and what its snapshot says from then on.

use protocol::RunStatus;
use serde_json::{Value, json};

use super::run_loop::{Ending, Run};
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
            retained: std::mem::take(&mut self.retained),
            active_model_id: self.switched.then(|| self.model.id.clone()),
        };
        self.log.end(last_word.kind, last_word.data, finish).await;
    }

    fn last_word(&self, ending: Ending) -> LastWord {
        match ending {
            Ending::Answered { text } => self.answered(text),
            Ending::Truncated { text } => {
                let message = "Model output was truncated (stop_reason=max_tokens).";
                self.failed(Failure::new("truncation", message).after("max_tokens", text))
            }
            Ending::Refused { text } => {
                let message = "The model declined to answer.";
                self.failed(Failure::new("refusal", message).after("refusal", text))
            }
            Ending::ProviderFailed { error: ProviderError { class, message, api_status, api_code }, text } => {
                let mut failed = self.failed(Failure { text, ..Failure::new(&class, &message) });
                if let Some(status) = api_status {
                    failed.data["apiStatus"] = status.into();
                }
                if let Some(code) = api_code {
                    failed.data["apiCode"] = code.into();
                }
                failed
            }
            Ending::SchemaNotSupported { why } => self.failed(Failure::new("structured_output_not_supported", why)),
            // One document lets the model read the timeout as a tool's error and go on, another ends the run with the
            // subtype `error_local_tool_timeout`. Both leave late results with 409 `run_terminal`, which only fits a
            // run that is over; and the newest list of error classes has `local_timeout`.
            Ending::LocalToolTimedOut { tools, timeout_ms } => {
                let message = format!("Timed out waiting for local tool result: {tools} had {timeout_ms} ms.");
                self.failed(Failure::new("local_timeout", &message))
            }
            Ending::Stopped(StopReason::ShuttingDown) => {
                self.failed(Failure::new("server", "The server was shut down while this run was in flight."))
            }
            Ending::Planned { plan, text } => LastWord {
                kind: "result",
                data: json!({
                    "subtype": "success", "text": text, "structuredOutput": self.schema.not_reached(),
                    "plan": plan.unwrap_or_else(|| json!({ "steps": [] })),
                }),
                status: RunStatus::Succeeded,
                text: Some(text),
                failure_reason: None,
            },
            Ending::Stopped(StopReason::Cancelled(reason)) => LastWord {
                kind: "cancelled",
                data: json!({ "reason": reason }),
                status: RunStatus::Cancelled,
                text: None,
                failure_reason: None,
            },
            Ending::OutOfToolTurns { max, text } => {
                let message = format!("The run used up its {max} tool turns without an answer.");
                LastWord {
                    kind: "result",
                    data: json!({
                        "subtype": "error_max_tool_turns", "ok": false, "error": message, "text": text,
                        "structuredOutput": self.schema.not_reached(),
                    }),
                    status: RunStatus::Failed,
                    text: Some(text).filter(|text| !text.is_empty()),
                    failure_reason: Some(json!({ "errorClass": "max_tool_turns", "finishReason": "tool_use" })),
                }
            }
        }
    }

    fn answered(&self, text: String) -> LastWord {
        let report = self.schema.report(&self.spec, &text);
        if let Some(fault) = report.strict_fault {
            let failure = Failure::new("structured_output_not_enforced", &fault).after("end_turn", text);
            let mut failed = self.failed(failure);
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
        data["structuredOutput"] = self.schema.not_reached();
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

impl<'a> Failure<'a> {
    fn new(class: &'a str, message: &'a str) -> Self {
        Self { class, message, finish_reason: None, text: String::new() }
    }

    fn after(self, finish_reason: &'static str, text: String) -> Self {
        Self { finish_reason: Some(finish_reason), text, ..self }
    }
}
