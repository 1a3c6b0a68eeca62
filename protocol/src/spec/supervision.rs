//! `supervisor`: a second model that reviews the run at intervals and may redirect it.

use serde_json::Value;

/// The supervisor's settings, with the documented defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supervision<'a> {
    /// Model calls between two reviews.
    pub interval: u64,
    /// The model that reviews; the workspace's own if absent.
    pub model_id: Option<&'a str>,
    /// When a review interrupts the thinking; `None` if never.
    pub reasoning_trigger: Option<ReasoningTrigger>,
}

/// The amount of thinking that starts a review: characters or time, whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasoningTrigger {
    pub chars: u64,
    pub ms: u64,
}

const DEFAULT_INTERVAL: u64 = 5;
const DEFAULT_TRIGGER: ReasoningTrigger = ReasoningTrigger { chars: 3_000, ms: 30_000 };

/// Returns the supervisor's settings. Absent and `false` mean no supervisor.
pub fn supervision(spec: &Value) -> Option<Supervision<'_>> {
    let requested = &spec["supervisor"];
    if !requested.is_object() && requested != &Value::Bool(true) {
        return None;
    }
    let trigger = &requested["reasoningTrigger"];
    let number = |name: &str, default| trigger.get(name).and_then(Value::as_u64).unwrap_or(default);
    Some(Supervision {
        interval: requested.get("interval").and_then(Value::as_u64).unwrap_or(DEFAULT_INTERVAL),
        model_id: requested.get("modelId").and_then(Value::as_str),
        reasoning_trigger: (trigger != &Value::Bool(false)).then(|| ReasoningTrigger {
            chars: number("chars", DEFAULT_TRIGGER.chars),
            ms: number("ms", DEFAULT_TRIGGER.ms),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn there_is_no_supervisor_by_default() {
        for absent in [json!({}), json!({ "supervisor": null }), json!({ "supervisor": false })] {
            assert_eq!(supervision(&absent), None, "{absent}");
        }
        let defaults = Supervision { interval: 5, model_id: None, reasoning_trigger: Some(DEFAULT_TRIGGER) };
        assert_eq!(supervision(&json!({ "supervisor": true })), Some(defaults.clone()));
        assert_eq!(supervision(&json!({ "supervisor": {} })), Some(defaults));
    }

    #[test]
    fn settings_replace_single_defaults() {
        let spec = json!({ "supervisor": { "interval": 2, "modelId": "m", "reasoningTrigger": { "ms": 9 } } });
        let trigger = Some(ReasoningTrigger { chars: 3_000, ms: 9 });
        assert_eq!(
            supervision(&spec),
            Some(Supervision { interval: 2, model_id: Some("m"), reasoning_trigger: trigger })
        );
        let spec = json!({ "supervisor": { "reasoningTrigger": false } });
        assert_eq!(supervision(&spec).and_then(|supervision| supervision.reasoning_trigger), None);
    }
}
