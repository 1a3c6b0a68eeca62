//! Redacts JSON: payloads, whose every name and number can be content, and documents with names of this program.

use protocol::Event;
use protocol::event::Payload;
use serde_json::{Map, Value};

use super::Patterns;

/// Fields of documents whose texts identify something, or are words of the API.
const PLAIN_FIELDS: [&str; 15] = [
    "id",
    "runId",
    "reopenedByRunId",
    "sessionId",
    "toolUseId",
    "group",
    "kind",
    "type",
    "status",
    "state",
    "severity",
    "origin",
    "mode",
    "cursor",
    "nextCursor",
];
/// Fields of documents that hold payloads.
const PAYLOAD_FIELDS: [&str; 6] = ["args", "body", "data", "input", "metadata", "ownMetadata"];
/// Fields of documents whose own fields have names that people and models chose: of tools, headers and parts of a JSON Schema.
const NAMED_FIELDS: [&str; 11] = [
    "tools",
    "toolBudgets",
    "headers",
    "env",
    "properties",
    "patternProperties",
    "dependentRequired",
    "$defs",
    "definitions",
    "const",
    "default",
];

/// Whether names of a document's fields are redacted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Redacted,
    Kept,
}

impl Patterns {
    /// Redacts what models and tools sent: also names of fields, and numbers.
    pub fn redact_payload(&self, value: &mut Value) {
        match value {
            _ if self.is_empty() => {}
            Value::String(text) => self.redact_in_place(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_payload(item)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|value| self.redact_payload(value));
                self.redact_names(fields);
            }
            Value::Number(number) => {
                if let Some(redacted) = self.redact_text(&number.to_string()) {
                    *value = redacted.into();
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Redacts a document of the API, an event or a spec: its payloads as a whole, otherwise its texts.
    pub fn redact_document(&self, value: &mut Value) {
        self.redact_fields(value, Names::Redacted);
    }

    /// Redacts a spec that calls and answers are compared with: names of its tools and properties stay.
    pub fn redact_spec(&self, spec: &mut Value) {
        self.redact_fields(spec, Names::Kept);
    }

    /// Redacts an event of a log. Of its types, only those that are known are words of the API.
    pub fn redact_event(&self, event: &Event) -> Value {
        let mut value = serde_json::to_value(event).unwrap_or_default();
        self.redact_document(&mut value);
        let Some(fields) = value.as_object_mut().filter(|_| !self.is_empty()) else { return value };
        if matches!(event.payload(), Ok(Payload::Unknown)) {
            fields
                .insert("type".to_owned(), self.redact_text(&event.kind).unwrap_or_else(|| event.kind.clone()).into());
        }
        // Of fields that are not documented, only the numbers are known to be harmless: they are times.
        let is_extra = |name: &str| event.extra.contains_key(name);
        let extra = fields.iter_mut().filter(|(name, value)| is_extra(name) && !value.is_number());
        extra.for_each(|(_, value)| self.redact_payload(value));
        self.redact_names_of(fields, is_extra);
        value
    }

    /// Redacts texts in which a model or a tool chose also what other documents have as ids and words.
    pub fn redact_texts(&self, value: &mut Value) {
        match value {
            _ if self.is_empty() => {}
            Value::String(text) => self.redact_in_place(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_texts(item)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.redact_texts(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn redact_fields(&self, value: &mut Value, names: Names) {
        match value {
            _ if self.is_empty() => {}
            Value::String(text) => self.redact_in_place(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_fields(item, names)),
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut() {
                    match name.as_str() {
                        name if PAYLOAD_FIELDS.contains(&name) => self.redact_payload(value),
                        name if PLAIN_FIELDS.contains(&name) && value.is_string() => {}
                        _ => self.redact_fields(value, names),
                    }
                    if names == Names::Redacted
                        && NAMED_FIELDS.contains(&name.as_str())
                        && let Value::Object(fields) = value
                    {
                        self.redact_names(fields);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn redact_names(&self, fields: &mut Map<String, Value>) {
        self.redact_names_of(fields, |_| true);
    }

    /// Redacts the names of some fields. The order and all values stay.
    fn redact_names_of(&self, fields: &mut Map<String, Value>, is_redacted: impl Fn(&str) -> bool) {
        let mut redacted = Map::new();
        for (name, value) in std::mem::take(fields) {
            let hidden = is_redacted(&name).then(|| self.redact_text(&name)).flatten();
            redacted.insert(unused_name(&redacted, hidden.unwrap_or(name)), value);
        }
        *fields = redacted;
    }

    fn redact_in_place(&self, text: &mut String) {
        if let Some(redacted) = self.redact_text(text) {
            *text = redacted;
        }
    }
}

/// Hidden names are equal, and none of their values may be lost.
fn unused_name(known: &Map<String, Value>, name: String) -> String {
    if !known.contains_key(&name) {
        return name;
    }
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    numbered.take(known.len() + 1).find(|name| !known.contains_key(name)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use domain::{RedactionMode, RedactionPattern};
    use protocol::redact::HIDDEN;
    use serde_json::json;

    use super::*;

    fn digits() -> Patterns {
        let pattern = RedactionPattern { pattern: r"\d{4,}".to_owned(), mode: RedactionMode::Hide };
        Patterns::compile(&[pattern], None).expect("compiles")
    }

    #[test]
    fn names_and_numbers_of_payloads_are_redacted_and_nothing_is_lost() {
        let mut payload = json!({ "card": 41_111, "n": 12, "7777": "a", "8888": ["no. 9999", null], "id": "1234" });
        digits().redact_payload(&mut payload);
        let second = format!("{HIDDEN} (2)");
        let expected =
            json!({ "card": HIDDEN, "n": 12, HIDDEN: "a", second: [format!("no. {HIDDEN}"), null], "id": HIDDEN });
        assert_eq!(payload, expected);
    }

    #[test]
    fn ids_and_numbers_of_documents_stay() {
        let mut document = json!({
            "id": "run_12345", "reopenedByRunId": "run_12345", "createdAtMs": 1_700_000, "name": "order 55555",
            "data": { "id": "55555" }, "metadata": { "customer": "55555" }
        });
        digits().redact_document(&mut document);
        let name = format!("order {HIDDEN}");
        let expected = json!({
            "id": "run_12345", "reopenedByRunId": "run_12345", "createdAtMs": 1_700_000, "name": name,
            "data": { "id": HIDDEN }, "metadata": { "customer": HIDDEN }
        });
        assert_eq!(document, expected);
    }

    #[test]
    fn names_that_people_and_models_chose_are_redacted_and_those_of_a_spec_can_be_kept() {
        let spec = json!({
            "name": "a", "toolBudgets": { "tool_12345": { "maxCalls": 99_999 } },
            "outputSchema": { "type": "object", "properties": { "p_12345": { "properties": { "q_12345": {} } } } },
        });
        let mut kept = spec.clone();
        digits().redact_spec(&mut kept);
        assert_eq!(kept, spec);
        let mut redacted = spec;
        digits().redact_document(&mut redacted);
        let (tool, outer, inner) = (format!("tool_{HIDDEN}"), format!("p_{HIDDEN}"), format!("q_{HIDDEN}"));
        let expected = json!({
            "name": "a", "toolBudgets": { tool: { "maxCalls": 99_999 } },
            "outputSchema": { "type": "object", "properties": { outer: { "properties": { inner: {} } } } },
        });
        assert_eq!(redacted, expected);
    }

    #[test]
    fn only_known_types_and_fields_of_events_are_words() {
        let line = r#"{"seq":12345,"type":"x_12345","at":1700000,"status":"55555","n_12345":{"k_12345":7777}}"#;
        let event: Event = serde_json::from_str(line).expect("an event");
        let field = format!("n_{HIDDEN}");
        let expected = json!({
            "seq": 12345, "type": format!("x_{HIDDEN}"), "at": 1_700_000, "status": HIDDEN,
            field: { format!("k_{HIDDEN}"): HIDDEN },
        });
        assert_eq!(digits().redact_event(&event), expected);
        let known = Event::new(1, "assistant_message", json!({ "text": "" }));
        let words = RedactionPattern { pattern: "assistant".to_owned(), mode: RedactionMode::Hide };
        let words = Patterns::compile(&[words], None).expect("compiles");
        assert_eq!(words.redact_event(&known)["type"], "assistant_message");
    }
}
