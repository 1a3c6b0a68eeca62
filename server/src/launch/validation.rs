//! Finds everything that prevents a launch, before it is sent to MANTYX.

use app::AppError;
use app::launch::draft::{self, LaunchDraft};
use app::launch::{LaunchMode, local_tools};
use domain::{Answerer, Headers, McpEndpoint, ToolAnswerers};
use protocol::fields::SPEC_FIELDS;
use protocol::validate::{FieldError, validate};
use protocol::{ids, json, json_pointer};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::LaunchRequest;
use crate::{outbound, peers};

const MAX_SPEC_BYTES: usize = 8 * 1024 * 1024;
const MAX_ANSWERS_BYTES: usize = 512 * 1024;
const MAX_DELAY_MS: u64 = 10 * 60 * 1000;
const MAX_ERROR_BYTES: usize = 8 * 1024;
const KEY_CHARS: std::ops::RangeInclusive<usize> = 8..=100;

pub fn check_request(request: &LaunchRequest) -> Result<(), AppError> {
    let key_fits = KEY_CHARS.contains(&request.key.len()) && ids::is_path_id(&request.key);
    if !key_fits {
        let message = "The launch has no key of 8 to 100 letters and digits. Reload the page.";
        return Err(AppError::invalid("key", message));
    }
    if let LaunchMode::Message { session_id } = &request.mode
        && !ids::is_path_id(session_id)
    {
        return Err(AppError::not_found("session"));
    }
    let mut errors = validate(request.mode.body(), &request.spec);
    if request.spec.to_string().len() > MAX_SPEC_BYTES {
        errors.push(FieldError::new("", "too_long", "The whole spec may have at most 8 MB."));
    }
    errors.extend(answerer_errors(&request.spec, &request.answers, &request.mode));
    if errors.is_empty() { Ok(()) } else { Err(AppError::Fields { errors }) }
}

/// Returns everything that prevents the launch of a draft.
pub fn draft_errors(draft: &LaunchDraft) -> Vec<FieldError> {
    let mut errors = draft::validation::errors(draft, SPEC_FIELDS);
    errors.extend(answerer_errors(&draft.spec, &draft.answers, &draft.mode));
    errors.extend(draft.last_action.reported_errors.iter().cloned());
    errors
}

/// Returns the errors of a batch, whose input is not in the draft.
pub fn batch_errors(draft: &LaunchDraft) -> Vec<FieldError> {
    let one_shot = LaunchDraft { mode: LaunchMode::OneShot, session: None, ..draft.clone() };
    let mut errors = draft_errors(&one_shot);
    errors.retain(|error| error.path != "/prompt" && !error.path.starts_with("/messages"));
    errors
}

/// Returns the errors of answerers, at `/answers/{tool}`.
pub fn answerer_errors(spec: &Value, answers: &ToolAnswerers, mode: &LaunchMode) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if serde_json::to_vec(answers).is_ok_and(|json| json.len() > MAX_ANSWERS_BYTES) {
        errors.push(FieldError::new("/answers", "too_long", "All answers together may have at most 512 KB."));
    }
    // A message may have answerers for tools of its session.
    let tools = local_tools(spec);
    let knows_all_tools = !matches!(mode, LaunchMode::Message { .. });
    for (tool, answerer) in answers {
        let path = json_pointer::join("/answers", tool);
        if knows_all_tools && !tools.iter().any(|(name, _)| name == tool) {
            errors.push(FieldError::new(path, "unknown_tool", format!("There is no local tool {tool} to answer.")));
        } else if let Some(problem) = answerer_problem(answerer) {
            errors.push(FieldError::new(path, "answer", problem));
        }
    }
    errors
}

/// Returns the problem of an answerer as one sentence.
pub fn answerer_problem(answerer: &Answerer) -> Option<String> {
    if let Some(name) = answerer.headers().and_then(header_without_value) {
        return Some(format!("Enter the value of the header {name} again: it is not copied from a run or a template."));
    }
    if let Some(Err(error)) = answerer.headers().map(peers::check_headers) {
        return Some(error.to_string());
    }
    match answerer {
        Answerer::Hand => None,
        Answerer::Canned(reply) if reply.delay_ms > MAX_DELAY_MS => Some("Wait at most ten minutes.".to_owned()),
        Answerer::Canned(reply) if reply.failed && reply.text.trim().is_empty() => {
            Some("Describe what went wrong.".to_owned())
        }
        Answerer::Canned(reply) if reply.failed && reply.text.len() > MAX_ERROR_BYTES => {
            Some("An error may have at most 8 KB.".to_owned())
        }
        Answerer::Canned(_) | Answerer::Mcp { server: McpEndpoint::Stdio { .. }, .. } => None,
        Answerer::Mcp { server: McpEndpoint::Http { url, .. }, .. } => {
            outbound::parse_url(url).err().map(|error| error.to_string())
        }
        Answerer::A2a(peer) => match (&peer.card_url, &peer.card) {
            (Some(url), _) => outbound::parse_url(url).err().map(|error| error.to_string()),
            (None, Some(Value::Object(_))) => None,
            _ => Some("Give the address of the agent's card, or the card itself.".to_owned()),
        },
    }
}

/// Returns the name of a header that has no value.
pub fn header_without_value(headers: &Headers) -> Option<&str> {
    headers.iter().find(|(_, value)| value.is_empty()).map(|(name, _)| name.as_str())
}

/// Returns the same hash for equal launches, whatever the order of their fields.
pub fn fingerprint(request: &LaunchRequest) -> String {
    let mut whole = serde_json::to_value(request).unwrap_or_default();
    whole["key"] = Value::Null;
    hash(&whole)
}

pub fn hash(value: &Value) -> String {
    Sha256::digest(json::canonical(value).as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Splits a spec into that of the session and its first message, which has only the input.
pub fn split_for_session(spec: &Value) -> (Value, Value) {
    let (mut session, mut message) = (Map::new(), Map::new());
    for (field, value) in spec.as_object().into_iter().flatten() {
        let side = if matches!(field.as_str(), "prompt" | "messages") { &mut message } else { &mut session };
        side.insert(field.clone(), value.clone());
    }
    // Without a system prompt, a system message has that role. A session has no messages yet.
    if session.get("systemPrompt").is_none_or(Value::is_null)
        && session.get("agentId").is_none_or(Value::is_null)
        && let Some(text) = system_message(&message)
    {
        session.insert("systemPrompt".to_owned(), text);
    }
    (session.into(), message.into())
}

fn system_message(message: &Map<String, Value>) -> Option<Value> {
    let messages = message.get("messages")?.as_array()?;
    messages.iter().find(|message| message["role"] == "system").map(|message| message["content"].clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_gets_everything_but_the_input() {
        let spec = json!({ "prompt": "p", "systemPrompt": "s", "later": 1 });
        assert_eq!(split_for_session(&spec), (json!({ "systemPrompt": "s", "later": 1 }), json!({ "prompt": "p" })));
        let messages = json!([{ "role": "system", "content": "who" }, { "role": "user", "content": "q" }]);
        let (session, message) = split_for_session(&json!({ "messages": messages }));
        assert_eq!((session, message), (json!({ "systemPrompt": "who" }), json!({ "messages": messages })));
    }

    #[test]
    fn a_header_with_a_line_break_or_over_8_kb_is_an_error() {
        let problem = |value: &str| {
            let headers = Headers::from([("Authorization".to_owned(), value.to_owned())]);
            let server = McpEndpoint::Http { url: "https://m.test".to_owned(), headers };
            answerer_problem(&Answerer::Mcp { server, tool: None }).unwrap_or_default()
        };
        assert!(problem("Bearer a\r\nHost: b").contains("line break"));
        assert!(problem(&"x".repeat(8_193)).contains("8 KB"));
        assert_eq!(problem("Bearer a"), "");
    }

    #[test]
    fn the_fingerprint_ignores_the_key_and_the_order_of_fields() {
        let request = |spec: Value, key: &str| LaunchRequest {
            key: key.to_owned(),
            mode: LaunchMode::OneShot,
            spec,
            answers: Default::default(),
            origin_run_id: None,
        };
        let first = fingerprint(&request(json!({ "a": 1, "b": 2 }), "one"));
        assert_eq!(first, fingerprint(&request(json!({ "b": 2, "a": 1 }), "two")));
        assert_ne!(first, fingerprint(&request(json!({ "a": 1, "b": 3 }), "one")));
    }
}
