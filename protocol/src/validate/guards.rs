//! Loop detection, tool budgets and the plan.

use serde_json::{Map, Value};

use super::report::{Report, is_longer, present};
use super::rules::one_of;
use crate::fields::Context;
use crate::spec::DEFAULT_LOOP_THRESHOLDS;

pub(crate) const PLAN_MODES: [&str; 3] = ["off", "auto", "required"];
const MAX_TOOL_NAME_CHARS: usize = 120;

/// Checks the order of the thresholds; the table has their limits.
pub(crate) fn check_loop_detection(context: &Context<'_>, report: &mut Report) -> bool {
    let fields = match context.value {
        None | Some(Value::Bool(false)) => return false,
        Some(Value::Object(fields)) => fields,
        Some(_) => return report.refuse("type", "Switch loop detection off (false), or say when it steps in."),
    };
    let threshold = |name: &str, default| match present(fields, name) {
        None => Some(default),
        Some(value) => value.as_u64(),
    };
    let nudge_at = threshold("consecutiveThreshold", DEFAULT_LOOP_THRESHOLDS.nudge_at);
    let give_up_at = threshold("hardCutoffThreshold", DEFAULT_LOOP_THRESHOLDS.give_up_at);
    if let (Some(nudge_at @ 2..=100), Some(give_up_at @ 3..=100)) = (nudge_at, give_up_at)
        && give_up_at <= nudge_at
    {
        let message =
            format!("Giving up must come later than the nudge: use more than {nudge_at} identical steps in a row.");
        report.add_at("hardCutoffThreshold", "order", message);
    }
    true
}

pub(crate) fn check_tool_budget(context: &Context<'_>, report: &mut Report) -> bool {
    if context.name.is_empty() || is_longer(context.name, MAX_TOOL_NAME_CHARS) {
        let message = format!("The name of a tool has 1 to {MAX_TOOL_NAME_CHARS} characters here.");
        return report.refuse("pattern", message);
    }
    let has_limit = |entry: &Map<String, Value>| present(entry, "maxCalls").is_some();
    if !context.value.and_then(Value::as_object).is_some_and(has_limit) {
        report.add_at("maxCalls", "required", "Enter how often this tool may be called: 0 to 1000.");
        return false;
    }
    true
}

pub(crate) fn check_plan(context: &Context<'_>, report: &mut Report) -> bool {
    match context.value {
        None | Some(Value::Bool(_) | Value::Object(_)) => {}
        Some(Value::String(mode)) if PLAN_MODES.contains(&mode.as_str()) => {}
        Some(Value::String(_)) => report.add("choice", format!("Choose {}.", one_of(&PLAN_MODES))),
        Some(_) => report.add("type", "Switch the plan on (true) or off (false), or give its settings."),
    }
    true
}
