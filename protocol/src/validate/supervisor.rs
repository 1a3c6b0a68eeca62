//! The supervisor: a second model that reviews the run.

use serde_json::Value;

use super::report::Report;
use crate::fields::Context;

pub(crate) fn check_supervisor(context: &Context<'_>, report: &mut Report) -> bool {
    match context.value {
        None | Some(Value::Bool(_) | Value::Object(_)) => {}
        Some(_) => report.add("type", "Switch the supervisor on (true) or off (false), or give its settings."),
    }
    true
}

pub(crate) fn check_trigger(context: &Context<'_>, report: &mut Report) -> bool {
    match context.value {
        None | Some(Value::Bool(false) | Value::Object(_)) => {}
        Some(_) => report.add("type", "Switch reviews of long thoughts off (false), or say after how long they come."),
    }
    true
}
