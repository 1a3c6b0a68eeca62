//! `supervisor`: a second model that looks at the run now and then and may steer it.

use serde_json::Value;

/// How a run is supervised, with the documented defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supervision<'a> {
    /// Model calls between two reviews.
    pub interval: u64,
    /// The judge; the workspace's own where it is absent.
    pub model_id: Option<&'a str>,
    /// When a review interrupts a long thought; `None` where that is switched off.
    pub reasoning_trigger: Option<ReasoningTrigger>,
}

/// Whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasoningTrigger {
    pub chars: u64,
    pub ms: u64,
}

const DEFAULT_INTERVAL: u64 = 5;
const DEFAULT_TRIGGER: ReasoningTrigger = ReasoningTrigger { chars: 3_000, ms: 30_000 };

/// The supervision that a spec asks for. Absent and `false` mean none.
pub fn supervision(spec: &Value) -> Option<Supervision<'_>> {
    let asked = &spec["supervisor"];
    if !asked.is_object() && asked != &Value::Bool(true) {
        return None;
    }
    let trigger = &asked["reasoningTrigger"];
    let number = |name: &str, default| trigger.get(name).and_then(Value::as_u64).unwrap_or(default);
    Some(Supervision {
        interval: asked.get("interval").and_then(Value::as_u64).unwrap_or(DEFAULT_INTERVAL),
        model_id: asked.get("modelId").and_then(Value::as_str),
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
    fn nobody_supervises_unless_asked_to() {
        for absent in [json!({}), json!({ "supervisor": null }), json!({ "supervisor": false })] {
            assert_eq!(supervision(&absent), None, "{absent}");
        }
        let defaults = Supervision { interval: 5, model_id: None, reasoning_trigger: Some(DEFAULT_TRIGGER) };
        assert_eq!(supervision(&json!({ "supervisor": true })), Some(defaults.clone()));
        assert_eq!(supervision(&json!({ "supervisor": {} })), Some(defaults));
    }

    #[test]
    fn settings_are_laid_over_the_defaults() {
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
