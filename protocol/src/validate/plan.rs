//! Whether the agent keeps a checklist.

use serde_json::{Map, Value};

use super::faults::{Faults, present};

const WORDS: [&str; 3] = ["off", "auto", "required"];

pub(super) fn check(spec: &Map<String, Value>, faults: &mut Faults) {
    let Some(value) = present(spec, "plan") else { return };
    faults.at("plan", |faults| match value {
        Value::Bool(_) => {}
        Value::String(word) if WORDS.contains(&word.as_str()) => {}
        Value::String(_) => faults.add("choice", "Choose off, auto or required."),
        Value::Object(fields) => check_settings(fields, faults),
        _ => faults.add("type", "Switch the plan on (true) or off (false), or give its settings."),
    });
}

fn check_settings(fields: &Map<String, Value>, faults: &mut Faults) {
    if let Some(mode) = present(fields, "mode")
        && !mode.as_str().is_some_and(|mode| WORDS.contains(&mode))
    {
        faults.add_at("mode", "choice", "Choose off, auto or required.");
    }
    faults.text(fields, "brief");
    faults.flag(fields, "planOnly");
    let Some(steps) = present(fields, "steps") else { return };
    faults.at("steps", |faults| match steps.as_array() {
        None => faults.add("type", "Steps are a list of texts."),
        Some(steps) => {
            for (i, step) in steps.iter().enumerate() {
                if step.as_str().is_none_or(|step| step.trim().is_empty()) {
                    faults.add_at(i, "required", "Write what this step is, or remove it.");
                }
            }
        }
    });
}
