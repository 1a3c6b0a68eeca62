//! `plan`: whether the agent keeps a checklist, and whose.

use serde_json::Value;

use crate::document::items;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanMode {
    /// The agent decides whether a checklist is useful.
    Auto,
    /// The agent must have one before it does anything of substance.
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

/// What `plan` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planning<'a> {
    pub mode: PlanMode,
    pub brief: Option<&'a str>,
    /// The caller's own checklist; empty where the agent is to make one.
    pub steps: Vec<&'a str>,
    /// The run ends with the plan, before the agent does anything.
    pub plan_only: bool,
}

/// The plan that a spec asks for; `None` where there is to be none.
pub fn planning(spec: &Value) -> Option<Planning<'_>> {
    let asked = &spec["plan"];
    let plan_only = asked.get("planOnly").and_then(Value::as_bool).unwrap_or(false);
    let mode = match asked {
        Value::Bool(true) => PlanMode::Auto,
        Value::String(word) => mode(word)?,
        Value::Object(fields) => match fields.get("mode").and_then(Value::as_str) {
            // Whoever asks for nothing but the plan wants one.
            Some("off") if plan_only => PlanMode::Auto,
            Some(word) => mode(word)?,
            None => PlanMode::Auto,
        },
        _ => return None,
    };
    Some(Planning {
        mode,
        brief: asked.get("brief").and_then(Value::as_str),
        steps: items(asked.get("steps")).iter().filter_map(Value::as_str).collect(),
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
    fn a_plan_is_asked_for_with_a_boolean_a_word_or_settings() {
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
    fn a_caller_may_bring_the_checklist() {
        let spec = json!({ "plan": { "brief": "Move", "steps": ["Pack", "Drive"], "planOnly": true } });
        let plan = planning(&spec).expect("a plan");
        assert_eq!((plan.brief, plan.steps, plan.plan_only), (Some("Move"), vec!["Pack", "Drive"], true));
    }
}
