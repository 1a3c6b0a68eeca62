//! How often a second model looks at the run.

use serde_json::{Map, Value};

use super::faults::{Faults, present};

pub(super) fn check(spec: &Map<String, Value>, faults: &mut Faults) {
    let Some(value) = present(spec, "supervisor") else { return };
    faults.at("supervisor", |faults| match value {
        Value::Bool(_) => {}
        Value::Object(fields) => {
            faults.whole_number(fields, "interval", 1, 100);
            faults.text(fields, "modelId");
            check_trigger(fields, faults);
        }
        _ => faults.add("type", "Switch the supervisor on (true) or off (false), or give its settings."),
    });
}

fn check_trigger(supervisor: &Map<String, Value>, faults: &mut Faults) {
    let Some(value) = present(supervisor, "reasoningTrigger") else { return };
    faults.at("reasoningTrigger", |faults| match value {
        Value::Bool(false) => {}
        Value::Object(fields) => {
            faults.whole_number(fields, "chars", 1, 50_000);
            faults.whole_number(fields, "ms", 1, 600_000);
        }
        _ => faults.add("type", "Switch reviews of long thoughts off (false), or say after how long they come."),
    });
}
