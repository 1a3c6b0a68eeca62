//! What is posted to a run under way: the results of tools, and feedback.

use serde_json::{Map, Value};

use super::attachments::check_result_files;
use super::faults::{Faults, is_longer, present};

const MAX_RESULT_BYTES: usize = 2 * 1024 * 1024;
const MAX_ERROR_BYTES: usize = 8 * 1024;
const MAX_EXPLANATION_CHARS: usize = 8_000;

pub(super) fn check_tool_result(body: &Map<String, Value>, faults: &mut Faults) {
    faults.required_text(body, "toolUseId");
    match (present(body, "result"), present(body, "error")) {
        (None, None) => faults.add_at("result", "required", "Give the tool's result, or the error it ended with."),
        (Some(_), Some(_)) => faults.add_at("error", "conflict", "Give either a result or an error, not both."),
        (Some(_), None) => {
            let result = faults.text(body, "result");
            if result.is_some_and(|result| result.len() > MAX_RESULT_BYTES) {
                let message = "A result may have at most 2 MB. Shorten it, or put it somewhere and give the address.";
                faults.add_at("result", "too_long", message);
            }
            if let Some(files) = present(body, "files") {
                faults.at("files", |faults| check_result_files(files, faults));
            }
        }
        (None, Some(_)) => {
            let error = faults.text(body, "error");
            if error.is_some_and(|error| error.len() > MAX_ERROR_BYTES) {
                faults.add_at("error", "too_long", "An error may have at most 8 KB. Shorten it.");
            }
        }
    }
}

pub(super) fn check_feedback(body: &Map<String, Value>, faults: &mut Faults) {
    if !matches!(body.get("verdict").and_then(Value::as_str), Some("UP" | "DOWN")) {
        faults.add_at("verdict", "choice", "Choose UP or DOWN.");
    }
    let explanation = faults.text(body, "explanation");
    if explanation.is_some_and(|explanation| is_longer(explanation, MAX_EXPLANATION_CHARS)) {
        faults.add_at("explanation", "too_long", "An explanation may have at most 8,000 characters. Shorten it.");
    }
    faults.text(body, "contentSnapshot");
}
