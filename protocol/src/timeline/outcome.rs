//! The outcome of a run, from its terminal event.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::{Event, Payload};
use crate::messages::Tokens;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub seq: u64,
    pub ending: Ending,
    /// The final text, or the partial output of a failed run.
    pub text: String,
    pub error: Option<String>,
    pub error_class: Option<String>,
    pub finish_reason: Option<String>,
    pub reason: Option<String>,
    pub tokens: Option<Tokens>,
    pub turns: Option<u64>,
    pub model: Option<String>,
    /// The same request may succeed the next time, if the server says so.
    pub retryable: Option<bool>,
    /// The response of the model's provider, if the provider failed.
    pub api_status: Option<u64>,
    pub api_code: Option<String>,
    /// The server's report about the output schema, if one was requested.
    pub schema: Option<SchemaReport>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaReport {
    pub enforced: bool,
    /// `native_schema`, `synthetic_tool` or `none`.
    pub mechanism: Option<String>,
    /// At least one call to the model was made without the schema.
    pub fell_back: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Succeeded,
    Failed,
    Cancelled,
}

/// Parses a terminal event. The first protocol puts failures into `result` with an `error_…` subtype.
pub(super) fn parse(event: &Event, payload: &Payload<'_>) -> Option<Outcome> {
    let field = |name: &str| event.field(name).unwrap_or(&Value::Null);
    let mut outcome = Outcome {
        seq: event.seq,
        ending: Ending::Succeeded,
        text: String::new(),
        error: None,
        error_class: None,
        finish_reason: None,
        reason: None,
        tokens: serde_json::from_value(field("tokens").clone()).ok(),
        turns: field("turns").as_u64(),
        model: model_name(field("model")),
        retryable: field("retryable").as_bool(),
        api_status: field("apiStatus").as_u64(),
        api_code: field("apiCode").as_str().map(Into::into),
        schema: schema_report(field("structuredOutput")),
    };
    match payload {
        Payload::Result { subtype, ok, text, error, .. } => {
            outcome.text = (*text).to_owned();
            let failed_subtype = subtype.and_then(|subtype| subtype.strip_prefix("error"));
            if failed_subtype.is_some() || *ok == Some(false) {
                outcome.ending = Ending::Failed;
                outcome.error = Some(error.unwrap_or("The run failed.").to_owned());
                let class = failed_subtype.map(|rest| rest.trim_start_matches('_')).filter(|class| !class.is_empty());
                let class = match class {
                    Some("local_tool_timeout") => "local_timeout",
                    other => other.unwrap_or("unknown"),
                };
                outcome.error_class = Some(class.to_owned());
            }
        }
        Payload::Error { message, error_class, finish_reason, partial_text } => {
            outcome.ending = Ending::Failed;
            outcome.error = Some((*message).to_owned());
            outcome.error_class = Some((*error_class).to_owned());
            outcome.finish_reason = finish_reason.map(Into::into);
            outcome.text = partial_text.unwrap_or("").to_owned();
        }
        Payload::Cancelled { reason } => {
            outcome.ending = Ending::Cancelled;
            outcome.reason = reason.map(Into::into);
        }
        _ => return None,
    }
    Some(outcome)
}

fn schema_report(report: &Value) -> Option<SchemaReport> {
    (report["schemaRequested"] == true).then(|| SchemaReport {
        enforced: report["schemaEnforced"] == true,
        mechanism: report["enforcementMechanism"].as_str().map(Into::into),
        fell_back: report["unconstrainedFallbackOccurred"] == true,
    })
}

/// Returns the name of a model: the vendor's, or the one of the model list.
pub(super) fn model_name(model: &Value) -> Option<String> {
    let named = |field: &str| model[field].as_str().filter(|name| !name.is_empty());
    model.as_str().or(named("vendorModelId")).or(named("id")).map(Into::into)
}
