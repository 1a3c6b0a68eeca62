//! What stops a run that goes on for too long: loop detection and budgets.

use serde_json::{Map, Value};

use super::faults::{Faults, is_longer, present};
use crate::spec::DEFAULT_LOOP_THRESHOLDS;

const MAX_TOOL_BUDGETS: usize = 32;
const MAX_TOOL_NAME_CHARS: usize = 120;
const MAX_LOCAL_TOOL_TIMEOUT_MS: u64 = 60 * 60 * 1000;

pub(super) fn check(spec: &Map<String, Value>, faults: &mut Faults) {
    if let Some(value) = present(spec, "loopDetection") {
        faults.at("loopDetection", |faults| check_loop_detection(value, faults));
    }
    if let Some(value) = present(spec, "toolBudgets") {
        faults.at("toolBudgets", |faults| check_tool_budgets(value, faults));
    }
    if let Some(value) = present(spec, "budgets") {
        faults.at("budgets", |faults| check_budgets(value, faults));
    }
}

fn check_loop_detection(value: &Value, faults: &mut Faults) {
    if value == &Value::Bool(false) {
        return;
    }
    let Some(fields) = value.as_object() else {
        return faults.add("type", "Switch loop detection off (false), or say when it steps in.");
    };
    let mut threshold = |name: &str, default, min| match present(fields, name) {
        None => Some(default),
        Some(_) => faults.whole_number(fields, name, min, 100),
    };
    let nudge_at = threshold("consecutiveThreshold", DEFAULT_LOOP_THRESHOLDS.nudge_at, 2);
    let give_up_at = threshold("hardCutoffThreshold", DEFAULT_LOOP_THRESHOLDS.give_up_at, 3);
    if let (Some(nudge_at), Some(give_up_at)) = (nudge_at, give_up_at)
        && give_up_at <= nudge_at
    {
        let message =
            format!("Giving up must come later than the nudge: use more than {nudge_at} equal steps in a row.");
        faults.add_at("hardCutoffThreshold", "order", message);
    }
}

fn check_tool_budgets(value: &Value, faults: &mut Faults) {
    let Some(budgets) = value.as_object() else {
        return faults.add("type", "Tool budgets are names of tools with a limit each.");
    };
    if budgets.len() > MAX_TOOL_BUDGETS {
        faults.add("too_many", format!("At most {MAX_TOOL_BUDGETS} tools may have a budget. Remove some."));
    }
    for (tool, budget) in budgets {
        faults.at(tool.as_str(), |faults| match budget.as_object() {
            _ if tool.is_empty() || is_longer(tool, MAX_TOOL_NAME_CHARS) => {
                let message = format!("The name of a tool has 1 to {MAX_TOOL_NAME_CHARS} characters here.");
                faults.add("pattern", message);
            }
            Some(budget) if present(budget, "maxCalls").is_some() => {
                faults.whole_number(budget, "maxCalls", 0, 1000);
            }
            _ => faults.add_at("maxCalls", "required", "Say how often this tool may be called: 0 to 1000."),
        });
    }
}

fn check_budgets(value: &Value, faults: &mut Faults) {
    let Some(budgets) = value.as_object() else {
        return faults.add("type", "Budgets are limits with a name each.");
    };
    faults.whole_number(budgets, "maxToolTurns", 0, 100);
    faults.whole_number(budgets, "localToolTimeoutMs", 1, MAX_LOCAL_TOOL_TIMEOUT_MS);
    faults.text(budgets, "maxToolTurnsExceeded");
}
