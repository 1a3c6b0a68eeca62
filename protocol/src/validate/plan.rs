//! The plan that the agent follows.

use serde_json::{Map, Value};

use super::report::{Report, present};

const WORDS: [&str; 3] = ["off", "auto", "required"];

pub(super) fn check(spec: &Map<String, Value>, report: &mut Report) {
    let Some(value) = present(spec, "plan") else { return };
    report.at("plan", |report| match value {
        Value::Bool(_) => {}
        Value::String(word) if WORDS.contains(&word.as_str()) => {}
        Value::String(_) => report.add("choice", "Choose off, auto or required."),
        Value::Object(fields) => check_settings(fields, report),
        _ => report.add("type", "Switch the plan on (true) or off (false), or give its settings."),
    });
}

fn check_settings(fields: &Map<String, Value>, report: &mut Report) {
    if let Some(mode) = present(fields, "mode")
        && !mode.as_str().is_some_and(|mode| WORDS.contains(&mode))
    {
        report.add_at("mode", "choice", "Choose off, auto or required.");
    }
    report.text(fields, "brief");
    report.flag(fields, "planOnly");
    let Some(steps) = present(fields, "steps") else { return };
    report.at("steps", |report| match steps.as_array() {
        None => report.add("type", "Steps are a list of texts."),
        Some(steps) => {
            for (i, step) in steps.iter().enumerate() {
                if step.as_str().is_none_or(|step| step.trim().is_empty()) {
                    report.add_at(i, "required", "Write what this step is, or remove it.");
                }
            }
        }
    });
}
