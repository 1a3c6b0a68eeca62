//! The form for a tool's result, from its output schema: an object of texts, numbers, yes or no, and choices. A tool with any
//! other schema is answered in JSON.

use serde_json::{Map, Value};

/// The most fields of a form.
const MAX_FIELDS: usize = 30;
/// The most choices of a field.
const MAX_CHOICES: usize = 100;
const MAX_NAME_CHARS: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub struct OutputField {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub required: bool,
    pub control: Control,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    Text,
    Number,
    Integer,
    Boolean,
    /// One of these, each written as JSON.
    OneOf(Vec<String>),
}

/// Returns the fields of a tool's result, if a form can be made from its schema.
pub fn output_form(spec: &Value, tool: &str) -> Option<Vec<OutputField>> {
    let schema = output_schema(spec, tool)?;
    if schema["type"] != "object" {
        return None;
    }
    let properties = schema["properties"].as_object().filter(|all| (1..=MAX_FIELDS).contains(&all.len()))?;
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if required.iter().any(|name| !properties.contains_key(*name)) {
        return None;
    }
    let field = |(name, schema): (&String, &Value)| {
        let text = |key: &str| schema[key].as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
        Some(OutputField {
            name: Some(name).filter(|name| name.chars().count() <= MAX_NAME_CHARS)?.clone(),
            title: text("title"),
            description: text("description"),
            required: required.contains(&name.as_str()),
            control: control(schema)?,
        })
    };
    properties.iter().map(field).collect()
}

/// Returns the output schema of a local tool, or of a tool of a local MCP server.
fn output_schema<'a>(spec: &'a Value, tool: &str) -> Option<&'a Value> {
    let tools = || spec["tools"].as_array().into_iter().flatten();
    let of_servers = tools().filter(|server| server["kind"] == "mcp_local");
    let of_servers = of_servers.flat_map(|server| server["tools"].as_array().into_iter().flatten());
    let local = tools().filter(|tool| tool["kind"] == "local");
    let found = local.chain(of_servers).find(|known| known["name"] == tool)?;
    Some(&found["outputSchema"]).filter(|schema| schema.is_object())
}

fn control(schema: &Value) -> Option<Control> {
    if let Some(choices) = schema["enum"].as_array() {
        let is_simple = choices.iter().all(|choice| !choice.is_object() && !choice.is_array());
        let fits = is_simple && (1..=MAX_CHOICES).contains(&choices.len());
        return fits.then(|| Control::OneOf(choices.iter().map(Value::to_string).collect()));
    }
    match schema["type"].as_str()? {
        "string" => Some(Control::Text),
        "number" => Some(Control::Number),
        "integer" => Some(Control::Integer),
        "boolean" => Some(Control::Boolean),
        _ => None,
    }
}

/// Builds the result from the texts of the fields. A field without a text is left out. Fails with the name of a field and
/// what to write in it.
pub fn build(
    fields: &[OutputField],
    text_of: impl Fn(&str) -> Option<String>,
) -> Result<Map<String, Value>, (String, &'static str)> {
    let mut result = Map::new();
    for field in fields {
        let text = text_of(&field.name).unwrap_or_default();
        if text.is_empty() {
            // An empty text is a text.
            if field.required && field.control == Control::Text {
                result.insert(field.name.clone(), Value::String(text));
            } else if field.required {
                return Err((field.name.clone(), "Required."));
            }
            continue;
        }
        let (value, problem) = match &field.control {
            Control::Text => (Some(Value::String(text)), ""),
            Control::Number => (parsed(&text).filter(Value::is_number), "Use a number, such as 2.5."),
            Control::Integer => (parsed(&text).filter(|value| value.is_i64() || value.is_u64()), "Use a whole number."),
            Control::Boolean => (parsed(&text).filter(Value::is_boolean), "Choose yes or no."),
            Control::OneOf(choices) => {
                (choices.contains(&text).then(|| parsed(&text)).flatten(), "Choose one of the values.")
            }
        };
        result.insert(field.name.clone(), value.ok_or_else(|| (field.name.clone(), problem))?);
    }
    Ok(result)
}

fn parsed(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim()).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(schema: Value) -> Option<Vec<OutputField>> {
        output_form(&json!({ "tools": [{ "kind": "local", "name": "approve", "outputSchema": schema }] }), "approve")
    }

    fn built(fields: &[OutputField], texts: &[(&str, &str)]) -> Result<Value, (String, &'static str)> {
        let text_of = |name: &str| texts.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
        build(fields, text_of).map(Value::Object)
    }

    #[test]
    fn simple_properties_become_fields() {
        let fields = form(json!({
            "type": "object", "required": ["approved", "level"],
            "properties": {
                "approved": { "type": "boolean", "description": "The decision" },
                "note": { "type": "string" },
                "amount": { "type": "number" },
                "count": { "type": "integer" },
                "level": { "enum": ["low", "high", 3, null] },
            },
        }))
        .expect("a form");
        let texts =
            [("approved", "true"), ("note", ""), ("amount", "2.5"), ("count", "-7"), ("level", "\"high\""), ("x", "y")];
        let expected = json!({ "approved": true, "amount": 2.5, "count": -7, "level": "high" });
        assert_eq!(built(&fields, &texts), Ok(expected));
        let missing = built(&fields, &[("level", "3")]);
        assert_eq!(missing, Err(("approved".to_owned(), "Required.")));
        let wrong = |name: &str, text: &str| {
            let texts = [("approved", "true"), ("level", "3"), (name, text)];
            built(&fields, &texts).expect_err("refused").0
        };
        assert_eq!(
            [wrong("count", "1.5"), wrong("amount", "NaN"), wrong("amount", "\"1\"")],
            ["count", "amount", "amount"]
        );
        assert_eq!(built(&fields, &[("approved", "yes"), ("level", "3")]).expect_err("refused").0, "approved");
        assert_eq!(built(&fields, &[("approved", "true"), ("level", "high")]).expect_err("refused").0, "level");
    }

    #[test]
    fn other_schemas_have_no_form() {
        let with = |property: Value| form(json!({ "type": "object", "properties": { "a": property } }));
        assert!(with(json!({ "type": "string" })).is_some());
        for property in [json!({ "type": "object" }), json!({ "type": ["string", "null"] }), json!({}), json!(true)] {
            assert_eq!(with(property.clone()), None, "{property}");
        }
        assert_eq!(form(json!({ "type": "string" })), None);
        assert_eq!(form(json!({ "type": "object" })), None);
        assert_eq!(
            form(json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["b"] })),
            None
        );
    }

    #[test]
    fn a_tool_of_a_local_mcp_server_has_its_own_schema() {
        let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        let spec = json!({ "tools": [
            { "kind": "local", "name": "other", "outputSchema": {} },
            { "kind": "mcp_local", "name": "crm", "tools": [{ "name": "look", "outputSchema": schema }] },
        ] });
        assert_eq!(output_form(&spec, "look").map(|fields| fields.len()), Some(1));
        assert_eq!(output_form(&spec, "other"), None);
        assert_eq!(output_form(&Value::Null, "look"), None);
    }
}
