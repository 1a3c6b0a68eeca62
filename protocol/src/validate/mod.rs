//! Validates a spec before it is sent to MANTYX: finds the fields to correct, and says how.
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
//! | `schema` | is a JSON Schema with a mistake, or with the wrong root |
//! | `url`, `base64`, `mime`, `header` | is not what it should hold |
//!
//! A field that is `null` counts as absent. Lengths are counted as the server counts them, in UTF-16 units: an emoji is
//! two. At most a hundred errors are returned, and time grows with the size of the body.

mod attachments;
mod guards;
mod headers;
mod input;
mod output_schema;
mod plan;
mod report;
mod settings;
mod supervisor;
mod tools;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use report::Report;

pub use attachments::MAX_INLINE_BYTES;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    pub path: String,
    pub code: String,
    pub message: String,
}

/// Returns the errors in the body of `POST /agent-runs`.
pub fn validate(spec: &Value) -> Vec<FieldError> {
    check_object(spec, "A run spec is a JSON object.", |spec, report| {
        input::check(spec, report);
        input::check_identity(spec, report);
        check_settings(spec, report);
    })
}

/// Returns the errors in the body of `POST /agent-sessions`: a spec without a prompt.
pub fn validate_session(spec: &Value) -> Vec<FieldError> {
    check_object(spec, "A session spec is a JSON object.", |spec, report| {
        input::check_absent(spec, report);
        input::check_identity(spec, report);
        check_settings(spec, report);
    })
}

/// Returns the errors in the body of `POST /agent-sessions/{id}/messages`. Identity comes from the session.
pub fn validate_message(body: &Value) -> Vec<FieldError> {
    check_object(body, "A message is a JSON object.", |body, report| {
        input::check(body, report);
        check_settings(body, report);
    })
}

fn check_object(
    body: &Value,
    not_an_object: &str,
    check: impl FnOnce(&Map<String, Value>, &mut Report),
) -> Vec<FieldError> {
    let mut report = Report::default();
    match body.as_object() {
        Some(fields) => check(fields, &mut report),
        None => report.add("type", not_an_object),
    }
    report.errors
}

/// Checks the fields that runs, sessions and messages share.
fn check_settings(spec: &Map<String, Value>, report: &mut Report) {
    settings::check(spec, report);
    tools::check(spec, report);
    guards::check(spec, report);
    output_schema::check(spec, report);
    supervisor::check(spec, report);
    plan::check(spec, report);
}

#[cfg(test)]
mod tests;
