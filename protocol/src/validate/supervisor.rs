//! The supervisor: a second model that reviews the run.

use serde_json::{Map, Value};

use super::report::{Report, present};

pub(super) fn check(spec: &Map<String, Value>, report: &mut Report) {
    let Some(value) = present(spec, "supervisor") else { return };
    report.at("supervisor", |report| match value {
        Value::Bool(_) => {}
        Value::Object(fields) => {
            report.whole_number(fields, "interval", 1, 100);
            report.text(fields, "modelId");
            check_trigger(fields, report);
        }
        _ => report.add("type", "Switch the supervisor on (true) or off (false), or give its settings."),
    });
}

fn check_trigger(supervisor: &Map<String, Value>, report: &mut Report) {
    let Some(value) = present(supervisor, "reasoningTrigger") else { return };
    report.at("reasoningTrigger", |report| match value {
        Value::Bool(false) => {}
        Value::Object(fields) => {
            report.whole_number(fields, "chars", 1, 50_000);
            report.whole_number(fields, "ms", 1, 600_000);
        }
        _ => report.add("type", "Switch reviews of long thoughts off (false), or say after how long they come."),
    });
}
