//! Whether something may be sent to MANTYX, and if not, which field to mend and how.
//!
//! Paths are JSON Pointers into the body (`/tools/2/name`), so that a form can show the message at its field. Messages are
//! for people who do not code, and say what to do. Codes are for programs:
//!
//! | code | the field |
//! | --- | --- |
//! | `required`, `not_allowed`, `conflict` | is missing; does not belong here; excludes another one that is there |
//! | `type`, `choice`, `pattern`, `range` | is of the wrong kind; is none of the words, names or numbers allowed |
//! | `too_long`, `too_many`, `too_few` | has too many characters, bytes or entries; too few entries |
//! | `duplicate`, `order`, `last_role` | does not go with another one |
//! | `schema` | is a JSON Schema that makes no sense, or has the wrong root |
//! | `url`, `base64`, `mime`, `header` | is not what it should hold |
//!
//! A field that is `null` counts as absent. Lengths are counted as the server counts them, in UTF-16 units: an emoji is
//! two. At most a hundred faults are told, and time grows with the size of the body, whatever is in it.

mod attachments;
mod faults;
mod guards;
mod headers;
mod input;
mod output_schema;
mod plan;
mod posts;
mod settings;
mod supervisor;
mod tools;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use faults::Faults;

pub use attachments::MAX_INLINE_BYTES;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    pub path: String,
    pub code: String,
    pub message: String,
}

/// Everything that is wrong with the body of `POST /agent-runs`.
pub fn validate(spec: &Value) -> Vec<FieldError> {
    in_object(spec, "A run spec is a JSON object.", |spec, faults| {
        input::check(spec, faults);
        input::check_identity(spec, faults);
        check_settings(spec, faults);
    })
}

/// Everything that is wrong with the body of `POST /agent-sessions`: a spec without a prompt.
pub fn validate_session(spec: &Value) -> Vec<FieldError> {
    in_object(spec, "A session spec is a JSON object.", |spec, faults| {
        input::check_absent(spec, faults);
        input::check_identity(spec, faults);
        check_settings(spec, faults);
    })
}

/// Everything that is wrong with the body of `POST /agent-sessions/{id}/messages`. Identity comes from the session.
pub fn validate_message(body: &Value) -> Vec<FieldError> {
    in_object(body, "A message is a JSON object.", |body, faults| {
        input::check(body, faults);
        check_settings(body, faults);
    })
}

/// Everything that is wrong with the body of `POST /agent-runs/{id}/tool-results`.
pub fn validate_tool_result(body: &Value) -> Vec<FieldError> {
    in_object(body, "A tool result is a JSON object.", posts::check_tool_result)
}

/// Everything that is wrong with the body of `POST /agent-runs/{id}/feedback`.
pub fn validate_feedback(body: &Value) -> Vec<FieldError> {
    in_object(body, "Feedback is a JSON object.", posts::check_feedback)
}

fn in_object(body: &Value, otherwise: &str, check: impl FnOnce(&Map<String, Value>, &mut Faults)) -> Vec<FieldError> {
    let mut faults = Faults::default();
    match body.as_object() {
        Some(fields) => check(fields, &mut faults),
        None => faults.add("type", otherwise),
    }
    faults.found
}

/// What runs, sessions and messages have in common.
fn check_settings(spec: &Map<String, Value>, faults: &mut Faults) {
    settings::check(spec, faults);
    tools::check(spec, faults);
    guards::check(spec, faults);
    output_schema::check(spec, faults);
    supervisor::check(spec, faults);
    plan::check(spec, faults);
}

#[cfg(test)]
mod tests;
