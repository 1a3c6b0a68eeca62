//! The part of JSON Schema that tool arguments and structured answers use in practice.
//!
//! Keywords outside it are ignored: a value is called invalid only for a rule that was really checked.

use serde_json::{Map, Value};

/// The first place where `value` breaks `schema`, as a JSON Pointer and a reason.
pub fn first_fault(schema: &Value, value: &Value) -> Option<(String, String)> {
    check(schema, value, "").err()
}

/// A value that fits `schema`, with `text` wherever a free text is wanted.
pub fn example(schema: &Value, text: &str) -> Value {
    example_at(schema, text, 0)
}

fn example_at(schema: &Value, text: &str, depth: usize) -> Value {
    if let Some(value) = schema.get("const").or(schema.get("default")) {
        return value.clone();
    }
    if let Some(first) = schema["enum"].as_array().and_then(|choices| choices.first()) {
        return first.clone();
    }
    if let Some(first) = ["anyOf", "oneOf"].iter().find_map(|key| schema[*key].as_array()?.first()) {
        return example_at(first, text, depth + 1);
    }
    match type_names(schema).first().copied() {
        Some("string") => protocol::json::preview(text, 80).into(),
        Some("number" | "integer") => {
            schema["minimum"].as_f64().filter(|min| *min > 0.0).map_or(0.into(), |min| (min.ceil() as i64).into())
        }
        Some("boolean") => true.into(),
        Some("null") => Value::Null,
        Some("array") => {
            // Nested lists multiply: only the outer ones are filled as far as they ask.
            let most = if depth < 4 { 8 } else { 1 };
            let count = schema["minItems"].as_u64().unwrap_or(1).min(most);
            (0..count).map(|_| example_at(&schema["items"], text, depth + 1)).collect()
        }
        _ => {
            let properties = schema["properties"].as_object();
            let fields = properties
                .into_iter()
                .flatten()
                .map(|(name, schema)| (name.clone(), example_at(schema, text, depth + 1)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
    }
}

fn check(schema: &Value, value: &Value, path: &str) -> Result<(), (String, String)> {
    let fault = |reason: String| Err((path.to_owned(), reason));
    let types = type_names(schema);
    if !types.is_empty() && !types.iter().any(|name| has_type(value, name)) {
        return fault(format!("must be {}", types.join(" or ")));
    }
    if let Some(choices) = schema["enum"].as_array()
        && !choices.contains(value)
    {
        return fault(format!("must be one of {}", Value::Array(choices.clone())));
    }
    if let Some(wanted) = schema.get("const")
        && wanted != value
    {
        return fault(format!("must be {wanted}"));
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[key].as_array()
            && !choices.iter().any(|choice| check(choice, value, path).is_ok())
        {
            return fault(format!("fits none of {key}"));
        }
    }
    match value {
        Value::Object(fields) => check_object(schema, fields, path),
        Value::Array(items) => {
            out_of_range(schema, "minItems", "maxItems", items.len() as f64, "items").map_or(Ok(()), fault)?;
            items.iter().enumerate().try_for_each(|(i, item)| check(&schema["items"], item, &format!("{path}/{i}")))
        }
        Value::String(text) => {
            let length = text.chars().count() as f64;
            out_of_range(schema, "minLength", "maxLength", length, "characters").map_or(Ok(()), fault)
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(0.0);
            out_of_range(schema, "minimum", "maximum", number, "").map_or(Ok(()), fault)
        }
        _ => Ok(()),
    }
}

fn check_object(schema: &Value, fields: &Map<String, Value>, path: &str) -> Result<(), (String, String)> {
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            return Err((format!("{path}/{name}"), "is required".to_owned()));
        }
    }
    for (name, item) in fields {
        let path = format!("{path}/{name}");
        match schema["properties"].get(name) {
            Some(schema) => check(schema, item, &path)?,
            None if schema["additionalProperties"] == Value::Bool(false) => {
                return Err((path, "is not a known field".to_owned()));
            }
            None => {}
        }
    }
    Ok(())
}

fn type_names(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    }
}

fn out_of_range(schema: &Value, min: &str, max: &str, found: f64, unit: &str) -> Option<String> {
    let bound = |name: &str| schema[name].as_f64();
    if let Some(min) = bound(min).filter(|min| found < *min) {
        return Some(format!("must be at least {min} {unit}").trim_end().to_owned());
    }
    let max = bound(max).filter(|max| found > *max)?;
    Some(format!("must be at most {max} {unit}").trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_fault_says_where_and_why() {
        let schema = json!({ "type": "object", "required": ["amount"], "additionalProperties": false, "properties": {
            "amount": { "type": "number", "minimum": 1 }, "tags": { "type": "array", "items": { "enum": ["a", "b"] } } } });
        let path = |value| first_fault(&schema, &value).map(|(path, _)| path);
        assert_eq!(path(json!({ "amount": 2, "tags": ["a"] })), None);
        assert_eq!(path(json!({})), Some("/amount".into()));
        assert_eq!(path(json!({ "amount": 0 })), Some("/amount".into()));
        assert_eq!(path(json!({ "amount": 2, "tags": ["c"] })), Some("/tags/0".into()));
        assert_eq!(path(json!({ "amount": 2, "x": 1 })), Some("/x".into()));
        assert_eq!(path(json!("text")), Some(String::new()));
    }

    #[test]
    fn an_example_fits_its_schema() {
        let schema = json!({ "type": "object", "required": ["a", "b", "c"], "properties": { "a": { "type": "string" },
            "b": { "type": "integer", "minimum": 3 }, "c": { "type": "array", "items": { "enum": ["x"] }, "minItems": 2 } } });
        assert_eq!(first_fault(&schema, &example(&schema, "hello")), None);
    }
}
