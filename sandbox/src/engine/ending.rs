//! The end of a run: its last event and its final record.

use protocol::RunStatus;
use serde_json::{Value, json};

use super::run_loop::{Ending, Run};
use crate::live::StopReason;
use crate::provider::ProviderError;
use crate::store::{Finish, NewMessage};

/// The last event and the final state of a run, before usage is added.
struct Outcome {
    kind: &'static str,
    data: Value,
    status: RunStatus,
    text: Option<String>,
    failure_reason: Option<Value>,
}

impl Run {
    pub(super) async fn end(mut self, ending: Ending) {
        let answered = matches!(ending, Ending::Answered { .. });
        let mut outcome = self.outcome(ending);
        let model = self.model.wire(&self.spec);
        let tokens = json!(self.tokens);
        if outcome.kind != "cancelled" {
            outcome.data["tokens"] = tokens.clone();
            outcome.data["turns"] = self.turns.into();
            outcome.data["model"] = model.clone();
        }
        let mut session_turn = Vec::new();
        if answered && outcome.status == RunStatus::Succeeded {
            session_turn = std::mem::take(&mut self.session_messages);
            let content = outcome.text.clone().unwrap_or_default();
            session_turn.push(NewMessage { role: "assistant".to_owned(), content, attachments: None });
        }
        let finish = Finish {
            status: outcome.status,
            final_text: outcome.text,
            error: outcome.data["error"].as_str().map(Into::into),
            failure_reason: outcome.failure_reason,
            tokens,
            turns: self.turns,
            model,
            tool_call_count: self.tool_calls,
            completed_at: self.clock.now().timestamp_millis(),
            session_turn,
            retained: std::mem::take(&mut self.retained),
            active_model_id: self.switched.then(|| self.model.id.clone()),
        };
        self.log.end(outcome.kind, outcome.data, finish).await;
    }

    fn outcome(&self, ending: Ending) -> Outcome {
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
            // The documents disagree: one passes the timeout to the model as a tool error, another ends the run with the
            // subtype `error_local_tool_timeout`. Ending it fits the rest: both answer late results with 409
            // `run_terminal`, and the newest list of error classes has `local_timeout`.
            Ending::LocalToolTimedOut { tools, timeout_ms } => {
                let message = format!("Timed out waiting for local tool result: {tools} had {timeout_ms} ms.");
                self.failed(Failure::new("local_timeout", &message))
            }
            Ending::Stopped(StopReason::ShuttingDown) => {
                self.failed(Failure::new("server", "The server was shut down while this run was in flight."))
            }
            Ending::Planned { plan, text } => Outcome {
                kind: "result",
                data: json!({
                    "subtype": "success", "text": text, "structuredOutput": self.schema.not_reached(),
                    "plan": plan.unwrap_or_else(|| json!({ "steps": [] })),
                }),
                status: RunStatus::Succeeded,
                text: Some(text),
                failure_reason: None,
            },
            Ending::Stopped(StopReason::Cancelled(reason)) => Outcome {
                kind: "cancelled",
                data: json!({ "reason": reason }),
                status: RunStatus::Cancelled,
                text: None,
                failure_reason: None,
            },
            Ending::OutOfToolTurns { max, text } => {
                let message = format!("The run used up its {max} tool turns without an answer.");
                Outcome {
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

    fn answered(&self, text: String) -> Outcome {
        let report = self.schema.report(&self.spec, &text);
        if let Some(fault) = report.strict_fault {
            let failure = Failure::new("structured_output_not_enforced", &fault).after("end_turn", text);
            let mut failed = self.failed(failure);
            failed.data["structuredOutput"] = report.wire;
            return failed;
        }
        Outcome {
            kind: "result",
            data: json!({ "subtype": "success", "text": text, "structuredOutput": report.wire }),
            status: RunStatus::Succeeded,
            text: Some(text),
            failure_reason: None,
        }
    }

    fn failed(&self, failure: Failure<'_>) -> Outcome {
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
        Outcome {
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
    /// Text of the last turn.
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
