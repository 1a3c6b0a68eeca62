//! The plan that the agent follows.

use serde_json::Value;

use super::report::Report;
use super::rules::one_of;
use crate::fields::Context;

pub(crate) fn check_plan(context: &Context<'_>, modes: &[&str], report: &mut Report) -> bool {
    match context.value {
        None | Some(Value::Bool(_)) => {}
        Some(Value::String(mode)) if modes.contains(&mode.as_str()) => {}
        Some(Value::String(_)) => report.add("choice", format!("Choose {}.", one_of(modes))),
        Some(Value::Object(_)) => return true,
        Some(_) => report.add("type", "Switch the plan on (true) or off (false), or give its settings."),
    }
    false
}

pub(crate) fn check_steps(context: &Context<'_>, report: &mut Report) -> bool {
    match context.value.map(Value::as_array) {
        None => {}
        Some(None) => report.add("type", "Steps are a list of texts."),
        Some(Some(steps)) => {
            for (i, step) in steps.iter().enumerate() {
                if step.as_str().is_none_or(|step| step.trim().is_empty()) {
                    report.add_at(i, "required", "Write what this step is, or remove it.");
                }
            }
        }
    }
    false
}
