//! Parsing of an agent's reply in both protocol versions: a message, or a task in some state.

use serde_json::Value;

use crate::RemoteError;
use crate::output::{OutputFile, OutputPart, ToolOutput};

#[derive(Debug, PartialEq)]
pub(super) enum Progress {
    Done(ToolOutput),
    Working { task_id: String },
}

pub(super) fn read(result: &Value) -> Result<Progress, RemoteError> {
    // Version 1.0 wraps what version 0.3 sends directly.
    let message = result.get("message").unwrap_or(result);
    if message["parts"].is_array() {
        return Ok(Progress::Done(ToolOutput { failed: false, parts: parts(message) }));
    }
    let task = result.get("task").unwrap_or(result);
    let status_parts = parts(&task["status"]["message"]);
    let mut output: Vec<OutputPart> = task["artifacts"].as_array().into_iter().flatten().flat_map(parts).collect();
    let state = task["status"]["state"].as_str().unwrap_or_default().trim_start_matches("TASK_STATE_");
    match state.to_ascii_lowercase().replace('_', "-").as_str() {
        "completed" => {
            if output.is_empty() {
                output = status_parts;
            }
            Ok(Progress::Done(ToolOutput { failed: false, parts: output }))
        }
        "input-required" => {
            let question = Some(text(status_parts)).filter(|text| !text.is_empty());
            let question = question.unwrap_or_else(|| "(nothing)".to_owned());
            Ok(Progress::Done(ToolOutput::text(format!("The agent asks back: {question}"))))
        }
        state @ ("failed" | "rejected" | "canceled" | "auth-required") => {
            output.extend(status_parts);
            let message = match text(output) {
                reason if reason.is_empty() => format!("The agent ended the task as “{state}”."),
                reason => format!("The agent ended the task as “{state}”: {reason}"),
            };
            Ok(Progress::Done(ToolOutput::failure(message)))
        }
        "submitted" | "working" => {
            let id = task["id"].as_str().ok_or_else(|| RemoteError::unusable("The agent's task has no id."))?;
            Ok(Progress::Working { task_id: id.to_owned() })
        }
        _ => Err(RemoteError::unusable("The agent's reply is neither a message nor a task.")),
    }
}

fn text(parts: Vec<OutputPart>) -> String {
    let (Ok(text) | Err(text)) = (ToolOutput { failed: false, parts }).into_text_and_files().0;
    text
}

/// Reads the parts of a message or an artifact; data parts become JSON text.
fn parts(holder: &Value) -> Vec<OutputPart> {
    let parts = holder["parts"].as_array().into_iter().flatten();
    parts.filter_map(part).collect()
}

fn part(part: &Value) -> Option<OutputPart> {
    if let Some(text) = part["text"].as_str() {
        return Some(OutputPart::Text(text.to_owned()));
    }
    if let Some(data) = part.get("data").filter(|data| !data.is_null()) {
        return Some(OutputPart::Text(data.to_string()));
    }
    // Version 0.3 has a `file` object; version 1.0 puts the same into the part.
    let file = part.get("file").or(part.get("raw").or(part.get("url")).map(|_| part))?;
    let field = |old: &str, new: &str| file[old].as_str().or(file[new].as_str());
    let name = field("name", "filename").unwrap_or("file");
    let mime_type = field("mimeType", "mediaType").unwrap_or("");
    let mut found = OutputFile::new("file", name, mime_type, field("bytes", "raw").unwrap_or(""));
    found.url = field("uri", "url").map(str::to_owned);
    Some(OutputPart::File(found))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reply_is_read_in_the_words_of_both_versions() {
        let done = |result: Value| read(&result).expect("readable");
        let ok = |text: &str| Progress::Done(ToolOutput::text(text));
        assert_eq!(done(json!({ "kind": "message", "parts": [{ "kind": "text", "text": "hi" }] })), ok("hi"));
        let task = |state: &str| {
            json!({ "id": "t", "status": { "state": state, "message": { "parts": [{ "text": "why" }] } },
            "artifacts": [{ "parts": [{ "text": "made" }] }] })
        };
        assert_eq!(done(task("completed")), ok("made"));
        assert_eq!(done(json!({ "task": task("TASK_STATE_COMPLETED") })), ok("made"));
        assert_eq!(done(json!({ "task": task("TASK_STATE_WORKING") })), Progress::Working { task_id: "t".to_owned() });
        let status_only = json!({ "status": { "state": "completed", "message": { "parts": [{ "text": "Yes" }] } } });
        assert_eq!(done(status_only), ok("Yes"));
        assert_eq!(done(task("input-required")), ok("The agent asks back: why"));
        let failed = |text: &str| Progress::Done(ToolOutput::failure(text));
        assert_eq!(done(task("failed")), failed("The agent ended the task as “failed”: made\nwhy"));
        assert_eq!(
            done(json!({ "status": { "state": "rejected" } })),
            failed("The agent ended the task as “rejected”.")
        );
        assert!(read(&json!({})).is_err());
    }

    #[test]
    fn parts_become_text_and_files() {
        let file = json!({ "file": { "name": "bill.pdf", "mimeType": "application/pdf", "bytes": "aGk=" } });
        let raw = json!({ "raw": "aGk=", "filename": "bill.pdf", "mediaType": "application/pdf" });
        let expected = OutputFile::new("file", "bill.pdf", "application/pdf", "aGk=");
        for part in [file, raw] {
            let message = json!({ "message": { "parts": [{ "text": "hi" }, { "data": { "a": 1 } }, part] } });
            let Ok(Progress::Done(output)) = read(&message) else { panic!("{message}") };
            let (text, files) = output.into_text_and_files();
            assert_eq!((text.as_deref(), files), (Ok("hi\n{\"a\":1}"), vec![expected.clone()]));
        }
    }
}
