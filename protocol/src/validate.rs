//! Whether a run spec may be sent, and if not, which field to mend and how.
//!
//! Paths are JSON Pointers into the spec (`/tools/2/name`), so that a form can show the message at its field.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ids;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    pub path: String,
    pub code: String,
    pub message: String,
}

/// Everything that is wrong with the body of `POST /agent-runs`.
pub fn validate(spec: &Value) -> Vec<FieldError> {
    let mut check = Check::default();
    match spec.as_object() {
        Some(spec) => {
            check.input(spec);
            check.identity(spec);
            check.settings(spec);
        }
        None => check.fault("", "type", "A run spec is a JSON object."),
    }
    check.faults
}

/// Everything that is wrong with the body of `POST /agent-sessions`: a spec without a prompt.
pub fn validate_session(spec: &Value) -> Vec<FieldError> {
    let mut check = Check::default();
    match spec.as_object() {
        Some(spec) => {
            for field in ["prompt", "messages"] {
                if spec.contains_key(field) {
                    let message = "A session starts without a message. Send it as the session's first message instead.";
                    check.fault(format!("/{field}"), "not_allowed", message);
                }
            }
            check.identity(spec);
            check.settings(spec);
        }
        None => check.fault("", "type", "A session spec is a JSON object."),
    }
    check.faults
}

/// Everything that is wrong with the body of `POST /agent-sessions/{id}/messages`. Identity comes from the session.
pub fn validate_message(body: &Value) -> Vec<FieldError> {
    let mut check = Check::default();
    match body.as_object() {
        Some(body) => {
            check.input(body);
            check.settings(body);
        }
        None => check.fault("", "type", "A message is a JSON object."),
    }
    check.faults
}

#[derive(Default)]
struct Check {
    faults: Vec<FieldError>,
}

impl Check {
    fn fault(&mut self, path: impl Into<String>, code: &str, message: impl Into<String>) {
        self.faults.push(FieldError { path: path.into(), code: code.to_owned(), message: message.into() });
    }

    fn input(&mut self, spec: &Map<String, Value>) {
        match (present(spec, "prompt"), present(spec, "messages")) {
            (Some(_), Some(_)) => {
                self.fault("/messages", "conflict", "Give either a prompt or messages, not both.");
            }
            (None, None) => self.fault("/prompt", "required", "Say what the run should do: write a prompt."),
            (Some(prompt), None) => match prompt.as_str() {
                Some(text) => self.text_length("/prompt", text, 200_000),
                None => self.fault("/prompt", "type", "The prompt is a text."),
            },
            (None, Some(messages)) => self.messages(messages),
        }
    }

    fn messages(&mut self, messages: &Value) {
        let Some(messages) = messages.as_array().filter(|messages| !messages.is_empty()) else {
            return self.fault("/messages", "type", "Messages are a list of at least one message.");
        };
        if messages.len() > 200 {
            self.fault("/messages", "too_many", "A run may have at most 200 messages.");
        }
        for (i, message) in messages.iter().enumerate() {
            if !matches!(message["role"].as_str(), Some("user" | "assistant" | "system")) {
                self.fault(format!("/messages/{i}/role"), "choice", "A role is user, assistant or system.");
            }
            match message["content"].as_str() {
                Some(text) => self.text_length(&format!("/messages/{i}/content"), text, 200_000),
                None => self.fault(format!("/messages/{i}/content"), "type", "The content of a message is a text."),
            }
        }
        let last = messages.iter().rposition(|message| message["role"] != "system");
        if !last.is_some_and(|i| messages[i]["role"] == "user") {
            let i = last.unwrap_or(messages.len() - 1);
            self.fault(format!("/messages/{i}/role"), "last_role", "The last message must come from the user.");
        }
    }

    fn identity(&mut self, spec: &Map<String, Value>) {
        let filled = |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
        let system_message = spec.get("messages").and_then(Value::as_array).is_some_and(|messages| {
            messages.iter().any(|message| message["role"] == "system" && filled(message.get("content")))
        });
        if !filled(spec.get("systemPrompt")) && !filled(spec.get("agentId")) && !system_message {
            self.fault(
                "/systemPrompt",
                "required",
                "Say who the agent is: write a system prompt, choose a saved agent, or add a system message.",
            );
        }
    }

    fn settings(&mut self, spec: &Map<String, Value>) {
        for field in ["name", "agentId", "systemPrompt", "modelId", "fallbackModelId"] {
            if present(spec, field).is_some_and(|value| !value.is_string()) {
                self.fault(format!("/{field}"), "type", "This field is a text.");
            }
        }
        if let Some(metadata) = present(spec, "metadata") {
            self.metadata(metadata);
        }
        if let Some(value) = present(spec, "loopDetection") {
            self.loop_detection(value);
        }
        if let Some(value) = present(spec, "toolBudgets") {
            self.tool_budgets(value);
        }
        if let Some(turns) = spec.get("budgets").and_then(|budgets| budgets.get("maxToolTurns")) {
            self.whole_number("/budgets/maxToolTurns", turns, 0, 100);
        }
        if let Some(timeout) = spec.get("budgets").and_then(|budgets| budgets.get("localToolTimeoutMs")) {
            self.whole_number("/budgets/localToolTimeoutMs", timeout, 1, 3_600_000);
        }
        if let Some(level) = present(spec, "reasoningLevel") {
            let known = matches!(level.as_str(), Some("off" | "low" | "medium" | "high"))
                || level.as_u64().is_some_and(|level| level <= 100);
            if !known {
                let message = "Reasoning is off, low, medium, high, or a whole number from 0 to 100.";
                self.fault("/reasoningLevel", "choice", message);
            }
        }
        if let Some(schema) = present(spec, "outputSchema") {
            self.output_schema(schema);
        }
        match present(spec, "tools").map(Value::as_array) {
            None => {}
            Some(None) => self.fault("/tools", "type", "Tools are a list."),
            Some(Some(tools)) => self.tools(tools),
        }
    }

    fn metadata(&mut self, metadata: &Value) {
        let Some(entries) = metadata.as_object() else {
            return self.fault("/metadata", "type", "Metadata is a list of names with a text each.");
        };
        if entries.len() > 16 {
            self.fault("/metadata", "too_many", "Metadata may have at most 16 entries.");
        }
        if metadata.to_string().len() > 4096 {
            self.fault("/metadata", "too_long", "Metadata may have at most 4 KB in all.");
        }
        for (key, value) in entries {
            let path = format!("/metadata/{}", escape(key));
            if !ids::is_metadata_key(key) {
                let message = "Metadata keys may use letters, digits, dot, _ and -, at most 64.";
                self.fault(path, "pattern", message);
            } else if value.as_str().is_none_or(|text| text.chars().count() > 256) {
                self.fault(path, "text", "A metadata value is a text of at most 256 characters.");
            }
        }
    }

    fn loop_detection(&mut self, value: &Value) {
        if value == &Value::Bool(false) {
            return;
        }
        let Some(fields) = value.as_object() else {
            let message = "Loop detection is off (false) or has thresholds.";
            return self.fault("/loopDetection", "type", message);
        };
        let mut threshold = |name: &str, default, min| match present(fields, name) {
            None => Some(default),
            Some(value) => self.whole_number(&format!("/loopDetection/{name}"), value, min, 100),
        };
        let nudge_at = threshold("consecutiveThreshold", 3, 2);
        let give_up_at = threshold("hardCutoffThreshold", 6, 3);
        if let (Some(nudge_at), Some(give_up_at)) = (nudge_at, give_up_at)
            && give_up_at <= nudge_at
        {
            let message =
                format!("Giving up must come later than the nudge: use more than {nudge_at} equal steps in a row.");
            self.fault("/loopDetection/hardCutoffThreshold", "order", message);
        }
    }

    fn tool_budgets(&mut self, value: &Value) {
        let Some(budgets) = value.as_object() else {
            return self.fault("/toolBudgets", "type", "Tool budgets are a list of tool names with a limit each.");
        };
        if budgets.len() > 32 {
            self.fault("/toolBudgets", "too_many", "At most 32 tools may have a budget.");
        }
        for (tool, entry) in budgets {
            let path = format!("/toolBudgets/{}", escape(tool));
            if tool.is_empty() || tool.chars().count() > 120 {
                self.fault(path, "length", "A tool name here has 1 to 120 characters.");
            } else {
                self.whole_number(&format!("{path}/maxCalls"), &entry["maxCalls"], 0, 1000);
            }
        }
    }

    fn output_schema(&mut self, value: &Value) {
        if value.to_string().len() > 32 * 1024 {
            self.fault("/outputSchema", "too_long", "The output schema may have at most 32 KB.");
        }
        if !value["schema"].is_object() {
            self.fault("/outputSchema/schema", "type", "The schema is a JSON object.");
        }
        if value.get("name").is_some_and(|name| !name.as_str().is_some_and(ids::is_schema_name)) {
            let message = "The name may use letters, digits, _ and -, at most 64.";
            self.fault("/outputSchema/name", "pattern", message);
        }
        let enforcement = &value["enforcement"];
        if !enforcement.is_null() && enforcement != "best_effort" && enforcement != "strict" {
            self.fault("/outputSchema/enforcement", "choice", "Enforcement is best_effort or strict.");
        }
    }

    fn tools(&mut self, tools: &[Value]) {
        let mut names: Vec<&str> = Vec::new();
        for (i, tool) in tools.iter().enumerate() {
            let path = format!("/tools/{i}");
            let required: &[&str] = match tool["kind"].as_str() {
                Some("mantyx") => &["id"],
                Some("mantyx_plugin") => &["name"],
                Some("local") => &["name"],
                Some("a2a") => &["name", "agentCardUrl"],
                Some("a2a_local") => &["name"],
                Some("mcp") => &["name", "url"],
                Some("mcp_local") => &["name"],
                _ => {
                    let message = "A tool's kind is mantyx, mantyx_plugin, local, a2a, a2a_local, mcp or mcp_local.";
                    self.fault(format!("{path}/kind"), "choice", message);
                    continue;
                }
            };
            for field in required {
                match tool[*field].as_str() {
                    None | Some("") => self.fault(format!("{path}/{field}"), "required", "Fill this in."),
                    Some(name) if *field == "name" && tool["kind"] == "mantyx_plugin" => {
                        if !ids::is_plugin_tool_name(name) {
                            let message = "A plugin's tool is written @plugin/tool, or as a plain name.";
                            self.fault(format!("{path}/name"), "pattern", message);
                        }
                    }
                    Some(name) if *field == "name" && !ids::is_tool_name(name) => {
                        let message = "Names may use letters, digits and _, at most 64.";
                        self.fault(format!("{path}/name"), "pattern", message);
                    }
                    Some(_) => {}
                }
            }
            match tool["kind"].as_str() {
                Some("mcp_local") => self.catalogue(&path, &tool["tools"], &mut names),
                Some("local" | "a2a" | "a2a_local") => {
                    self.unique(&format!("{path}/name"), tool["name"].as_str().unwrap_or(""), &mut names);
                    if tool["kind"] == "a2a_local" && !tool["agentCard"].is_object() {
                        let message = "An agent card is a JSON object.";
                        self.fault(format!("{path}/agentCard"), "required", message);
                    }
                }
                _ => {}
            }
        }
    }

    fn catalogue<'a>(&mut self, path: &str, tools: &'a Value, names: &mut Vec<&'a str>) {
        let Some(tools) = tools.as_array().filter(|tools| (1..=64).contains(&tools.len())) else {
            return self.fault(format!("{path}/tools"), "count", "List 1 to 64 tools of this server.");
        };
        for (i, tool) in tools.iter().enumerate() {
            let path = format!("{path}/tools/{i}/name");
            match tool["name"].as_str() {
                Some(name) if ids::is_tool_name(name) => self.unique(&path, name, names),
                _ => self.fault(path, "pattern", "Names may use letters, digits and _, at most 64."),
            }
        }
    }

    fn unique<'a>(&mut self, path: &str, name: &'a str, names: &mut Vec<&'a str>) {
        if name.is_empty() {
            return;
        }
        if names.contains(&name) {
            self.fault(path, "duplicate", format!("Two tools are called {name}. Give one of them another name."));
        }
        names.push(name);
    }

    fn whole_number(&mut self, path: &str, value: &Value, min: u64, max: u64) -> Option<u64> {
        let number = value.as_u64().filter(|number| (min..=max).contains(number));
        if number.is_none() {
            self.fault(path, "range", format!("Use a whole number from {min} to {max}."));
        }
        number
    }

    fn text_length(&mut self, path: &str, text: &str, max_chars: usize) {
        if text.is_empty() {
            self.fault(path, "required", "Write a text here.");
        } else if text.len() > max_chars && text.chars().count() > max_chars {
            self.fault(path, "too_long", format!("This text may have at most {max_chars} characters."));
        }
    }
}

/// A field that is there and not `null`.
fn present<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).filter(|value| !value.is_null())
}

/// One reference token of a JSON Pointer.
fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A valid spec with `fields` laid over it, and the paths that are at fault.
    fn faults(fields: Value) -> Vec<String> {
        let mut spec = json!({ "systemPrompt": "You help.", "prompt": "Hello" });
        for (key, value) in fields.as_object().expect("an object") {
            spec[key] = value.clone();
        }
        validate(&spec).into_iter().map(|fault| fault.path).collect()
    }

    #[test]
    fn each_rule_points_at_its_field() {
        let cases = [
            (json!({}), vec![]),
            (json!({ "prompt": null }), vec!["/prompt"]),
            (json!({ "messages": [] }), vec!["/messages"]),
            (json!({ "systemPrompt": " " }), vec!["/systemPrompt"]),
            (json!({ "systemPrompt": null, "agentId": "a" }), vec![]),
            (json!({ "prompt": null, "messages": [{ "role": "user", "content": "x" }] }), vec![]),
            (
                json!({ "prompt": null, "messages": [{ "role": "assistant", "content": "x" }] }),
                vec!["/messages/0/role"],
            ),
            (json!({ "metadata": { "customer": "acme" } }), vec![]),
            (json!({ "metadata": { "a/b": "x" } }), vec!["/metadata/a~1b"]),
            (json!({ "metadata": { "n": 1 } }), vec!["/metadata/n"]),
            (json!({ "loopDetection": false }), vec![]),
            (json!({ "loopDetection": true }), vec!["/loopDetection"]),
            (json!({ "loopDetection": { "consecutiveThreshold": 1 } }), vec!["/loopDetection/consecutiveThreshold"]),
            (json!({ "loopDetection": { "consecutiveThreshold": 6 } }), vec!["/loopDetection/hardCutoffThreshold"]),
            (json!({ "toolBudgets": { "recall": { "maxCalls": 1001 } } }), vec!["/toolBudgets/recall/maxCalls"]),
            (json!({ "budgets": { "maxToolTurns": 101 } }), vec!["/budgets/maxToolTurns"]),
            (json!({ "reasoningLevel": "loud" }), vec!["/reasoningLevel"]),
            (json!({ "reasoningLevel": 100 }), vec![]),
            (json!({ "outputSchema": { "schema": [] } }), vec!["/outputSchema/schema"]),
            (json!({ "tools": [{ "kind": "local", "name": "a-b" }] }), vec!["/tools/0/name"]),
            (json!({ "tools": [{ "kind": "soap" }] }), vec!["/tools/0/kind"]),
            (
                json!({ "tools": [{ "kind": "local", "name": "x" },
                    { "kind": "mcp_local", "name": "s", "tools": [{ "name": "x" }] }] }),
                vec!["/tools/1/tools/0/name"],
            ),
        ];
        for (fields, expected) in cases {
            assert_eq!(faults(fields.clone()), expected, "{fields}");
        }
    }
}
