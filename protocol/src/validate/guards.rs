//! Loop detection and budgets.

use serde_json::{Map, Value};

use super::report::{Report, is_longer, present};
use crate::spec::DEFAULT_LOOP_THRESHOLDS;

const MAX_TOOL_BUDGETS: usize = 32;
const MAX_TOOL_NAME_CHARS: usize = 120;
const MAX_LOCAL_TOOL_TIMEOUT_MS: u64 = 60 * 60 * 1000;

pub(super) fn check(spec: &Map<String, Value>, report: &mut Report) {
    if let Some(value) = present(spec, "loopDetection") {
        report.at("loopDetection", |report| check_loop_detection(value, report));
    }
    if let Some(value) = present(spec, "toolBudgets") {
        report.at("toolBudgets", |report| check_tool_budgets(value, report));
    }
    if let Some(value) = present(spec, "budgets") {
        report.at("budgets", |report| check_budgets(value, report));
    }
}

fn check_loop_detection(value: &Value, report: &mut Report) {
    if value == &Value::Bool(false) {
        return;
    }
    let Some(fields) = value.as_object() else {
        return report.add("type", "Switch loop detection off (false), or say when it steps in.");
    };
    let mut threshold = |name: &str, default, min| match present(fields, name) {
        None => Some(default),
        Some(_) => report.whole_number(fields, name, min, 100),
    };
    let nudge_at = threshold("consecutiveThreshold", DEFAULT_LOOP_THRESHOLDS.nudge_at, 2);
    let give_up_at = threshold("hardCutoffThreshold", DEFAULT_LOOP_THRESHOLDS.give_up_at, 3);
    if let (Some(nudge_at), Some(give_up_at)) = (nudge_at, give_up_at)
        && give_up_at <= nudge_at
    {
        let message =
            format!("Giving up must come later than the nudge: use more than {nudge_at} equal steps in a row.");
        report.add_at("hardCutoffThreshold", "order", message);
    }
}

fn check_tool_budgets(value: &Value, report: &mut Report) {
    let Some(budgets) = value.as_object() else {
        return report.add("type", "Tool budgets are names of tools with a limit each.");
    };
    if budgets.len() > MAX_TOOL_BUDGETS {
        report.add("too_many", format!("At most {MAX_TOOL_BUDGETS} tools may have a budget. Remove some."));
    }
    for (tool, budget) in budgets {
        report.at(tool.as_str(), |report| match budget.as_object() {
            _ if tool.is_empty() || is_longer(tool, MAX_TOOL_NAME_CHARS) => {
                let message = format!("The name of a tool has 1 to {MAX_TOOL_NAME_CHARS} characters here.");
                report.add("pattern", message);
            }
            Some(budget) if present(budget, "maxCalls").is_some() => {
                report.whole_number(budget, "maxCalls", 0, 1000);
            }
            _ => report.add_at("maxCalls", "required", "Say how often this tool may be called: 0 to 1000."),
        });
    }
}

fn check_budgets(value: &Value, report: &mut Report) {
    let Some(budgets) = value.as_object() else {
        return report.add("type", "Budgets are limits with a name each.");
    };
    report.whole_number(budgets, "maxToolTurns", 0, 100);
    report.whole_number(budgets, "localToolTimeoutMs", 1, MAX_LOCAL_TOOL_TIMEOUT_MS);
    report.text(budgets, "maxToolTurnsExceeded");
}
