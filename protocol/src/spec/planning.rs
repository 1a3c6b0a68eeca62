//! `plan`: the checklist that the agent keeps.

use serde_json::Value;

use crate::json::items;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanMode {
    /// The agent decides if a checklist is useful.
    Auto,
    /// The agent writes a checklist before it starts.
    Required,
}

impl PlanMode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Required => "required",
        }
    }
}

/// The settings of `plan`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planning<'a> {
    pub mode: PlanMode,
    pub brief: Option<&'a str>,
    /// The caller's checklist; empty if the agent should write one.
    pub steps: Vec<&'a str>,
    /// The run ends once the plan is written.
    pub plan_only: bool,
}

/// Returns the plan settings of a spec, or `None` if it asks for no plan.
pub fn planning(spec: &Value) -> Option<Planning<'_>> {
    let requested = &spec["plan"];
    let plan_only = requested.get("planOnly").and_then(Value::as_bool).unwrap_or(false);
    let mode = match requested {
        Value::Bool(true) => PlanMode::Auto,
        Value::String(word) => mode(word)?,
        Value::Object(fields) => match fields.get("mode").and_then(Value::as_str) {
            // A request for only the plan needs a plan.
            Some("off") if plan_only => PlanMode::Auto,
            Some(word) => mode(word)?,
            None => PlanMode::Auto,
        },
        _ => return None,
    };
    Some(Planning {
        mode,
        brief: requested.get("brief").and_then(Value::as_str),
        steps: items(requested.get("steps")).iter().filter_map(Value::as_str).collect(),
        plan_only,
    })
}

fn mode(word: &str) -> Option<PlanMode> {
    match word {
        "auto" => Some(PlanMode::Auto),
        "required" => Some(PlanMode::Required),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_plan_is_requested_with_a_boolean_a_word_or_settings() {
        let mode = |plan: Value| planning(&json!({ "plan": plan })).map(|plan| plan.mode);
        assert_eq!(mode(json!(null)), None);
        assert_eq!(mode(json!(false)), None);
        assert_eq!(mode(json!("off")), None);
        assert_eq!(mode(json!({ "mode": "off" })), None);
        assert_eq!(mode(json!({ "mode": "off", "planOnly": true })), Some(PlanMode::Auto));
        assert_eq!(mode(json!(true)), Some(PlanMode::Auto));
        assert_eq!(mode(json!("auto")), Some(PlanMode::Auto));
        assert_eq!(mode(json!({})), Some(PlanMode::Auto));
        assert_eq!(mode(json!("required")), Some(PlanMode::Required));
    }

    #[test]
    fn a_caller_may_provide_the_checklist() {
        let spec = json!({ "plan": { "brief": "Move", "steps": ["Pack", "Drive"], "planOnly": true } });
        let plan = planning(&spec).expect("a plan");
        assert_eq!((plan.brief, plan.steps, plan.plan_only), (Some("Move"), vec!["Pack", "Drive"], true));
    }
}
