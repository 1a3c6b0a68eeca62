//! Each keyword: a schema that makes sense and one that does not, a value that fits and one that does not.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::testing::any_json;

fn paths(found: Vec<Violation>) -> Vec<String> {
    found.into_iter().map(|violation| violation.path).collect()
}

#[test]
fn schemas_that_make_sense_compile() {
    for schema in [
        json!({}),
        json!(true),
        json!({ "type": ["string", "null"], "minLength": 0, "maxLength": 3, "pattern": "^a$", "format": "email" }),
        json!({ "type": "object", "properties": { "type": { "type": "string" } }, "required": ["type"] }),
        json!({ "enum": [1, null], "const": { "type": 5 }, "x-anything": [], "default": {} }),
        json!({ "minimum": -1.5, "maximum": -1.5, "exclusiveMinimum": 0, "multipleOf": 0.01 }),
        json!({ "items": [{ "type": "string" }], "additionalItems": false }),
        json!({ "prefixItems": [true], "items": false, "contains": {}, "uniqueItems": true }),
        json!({ "dependentRequired": { "a": ["b"] }, "dependentSchemas": { "a": {} }, "propertyNames": {} }),
        json!({ "if": {}, "then": {}, "else": {}, "not": {}, "allOf": [{}], "anyOf": [{}], "oneOf": [{}] }),
        json!({ "$ref": "#/$defs/a b", "$defs": { "a b": { "type": "string" } } }),
        json!({ "$ref": "#/$defs/a%20b", "$defs": { "a b": {} } }),
        // A tree: it refers to itself, but each time one level further down the value.
        json!({ "properties": { "left": { "$ref": "#" }, "right": { "$ref": "#" } } }),
    ] {
        assert_eq!(compile_errors(&schema), [], "{schema}");
    }
}

#[test]
fn schemas_that_make_no_sense_are_faulted_at_the_keyword() {
    for (schema, path) in [
        (json!(3), ""),
        (json!({ "type": "text" }), "/type"),
        (json!({ "type": [] }), "/type"),
        (json!({ "type": ["string", "string"] }), "/type"),
        (json!({ "properties": [] }), "/properties"),
        (json!({ "properties": { "a/b": 1 } }), "/properties/a~1b"),
        (json!({ "required": "a" }), "/required"),
        (json!({ "required": ["a", 1] }), "/required"),
        (json!({ "required": ["a", "a"] }), "/required"),
        (json!({ "dependentRequired": { "a": "b" } }), "/dependentRequired/a"),
        (json!({ "dependentRequired": [] }), "/dependentRequired"),
        (json!({ "enum": [] }), "/enum"),
        (json!({ "enum": "a" }), "/enum"),
        (json!({ "items": 1 }), "/items"),
        (json!({ "items": [] }), "/items"),
        (json!({ "items": [{}, 1] }), "/items/1"),
        (json!({ "anyOf": [] }), "/anyOf"),
        (json!({ "oneOf": {} }), "/oneOf"),
        (json!({ "allOf": [1] }), "/allOf/0"),
        (json!({ "not": "x" }), "/not"),
        (json!({ "additionalProperties": "no" }), "/additionalProperties"),
        (json!({ "minLength": -1 }), "/minLength"),
        (json!({ "maxItems": 1.5 }), "/maxItems"),
        (json!({ "minimum": "1" }), "/minimum"),
        (json!({ "exclusiveMaximum": true }), "/exclusiveMaximum"),
        (json!({ "multipleOf": 0 }), "/multipleOf"),
        (json!({ "uniqueItems": 1 }), "/uniqueItems"),
        (json!({ "pattern": 1 }), "/pattern"),
        (json!({ "description": {} }), "/description"),
        (json!({ "minLength": 2, "maxLength": 1 }), "/maxLength"),
        (json!({ "minimum": 2, "maximum": 1 }), "/maximum"),
        (json!({ "$ref": 1 }), "/$ref"),
        (json!({ "$ref": "https://example.com/schema" }), "/$ref"),
        (json!({ "$ref": "#/$defs/missing" }), "/$ref"),
        (json!({ "$ref": "#" }), "/$ref"),
        (json!({ "$defs": { "a": { "allOf": [{ "$ref": "#/$defs/a" }] } } }), "/$defs/a/allOf/0/$ref"),
        (
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
            "/$ref",
        ),
    ] {
        assert_eq!(paths(compile_errors(&schema)), [path], "{schema}");
    }
}

#[test]
fn values_fit_or_break_each_keyword() {
    let cases = [
        (json!({ "type": "object" }), json!({}), json!([]), ""),
        (json!({ "type": ["string", "null"] }), json!(null), json!(1), ""),
        (json!({ "type": "integer" }), json!(2.0), json!(2.5), ""),
        (json!({ "type": "number" }), json!(2), json!("2"), ""),
        (json!({ "enum": ["a", 1] }), json!(1.0), json!("b"), ""),
        (json!({ "const": { "a": [1] } }), json!({ "a": [1.0] }), json!({ "a": [2] }), ""),
        (json!({ "properties": { "a": { "type": "string" } } }), json!({ "a": "x", "b": 1 }), json!({ "a": 1 }), "/a"),
        (json!({ "required": ["a"] }), json!({ "a": null }), json!({}), "/a"),
        (
            json!({ "properties": { "a": {} }, "additionalProperties": false }),
            json!({ "a": 1 }),
            json!({ "b": 1 }),
            "/b",
        ),
        (json!({ "additionalProperties": { "type": "number" } }), json!({ "a": 1 }), json!({ "a": "x" }), "/a"),
        (json!({ "propertyNames": { "maxLength": 2 } }), json!({ "ab": 1 }), json!({ "abc": 1 }), "/abc"),
        (json!({ "dependentRequired": { "a": ["b"] } }), json!({ "b": 1 }), json!({ "a": 1 }), "/b"),
        (json!({ "dependentSchemas": { "a": { "required": ["b"] } } }), json!({ "c": 1 }), json!({ "a": 1 }), "/b"),
        (json!({ "minProperties": 1, "maxProperties": 1 }), json!({ "a": 1 }), json!({}), ""),
        (json!({ "items": { "type": "number" } }), json!([1, 2]), json!([1, "x"]), "/1"),
        (json!({ "prefixItems": [{}, { "type": "number" }], "items": false }), json!([1, 2]), json!([1, 2, 3]), "/2"),
        (json!({ "items": [{ "type": "number" }] }), json!([1, "x"]), json!(["x"]), "/0"),
        (json!({ "minItems": 1, "maxItems": 2 }), json!([1, 2]), json!([1, 2, 3]), ""),
        (json!({ "uniqueItems": true }), json!([1, 2]), json!([{ "a": 1, "b": 2 }, { "b": 2, "a": 1 }]), ""),
        (json!({ "contains": { "type": "number" } }), json!(["x", 1]), json!(["x"]), ""),
        (json!({ "contains": {}, "minContains": 0, "maxContains": 1 }), json!([]), json!([1, 2]), ""),
        (json!({ "minLength": 2, "maxLength": 2 }), json!("é€"), json!("a"), ""),
        (json!({ "minimum": 1, "maximum": 2 }), json!(1), json!(0), ""),
        (json!({ "exclusiveMinimum": 1, "exclusiveMaximum": 2 }), json!(1.5), json!(2), ""),
        (json!({ "multipleOf": 0.1 }), json!(0.3), json!(0.35), ""),
        (json!({ "allOf": [{ "minimum": 1 }, { "maximum": 2 }] }), json!(2), json!(3), ""),
        (json!({ "anyOf": [{ "type": "string" }, { "minimum": 5 }] }), json!(5), json!(4), ""),
        (json!({ "oneOf": [{ "type": "integer" }, { "minimum": 5 }] }), json!(4), json!(5), ""),
        (json!({ "oneOf": [{ "type": "string" }] }), json!("x"), json!(5), ""),
        (json!({ "not": { "type": "string" } }), json!(1), json!("x"), ""),
        (
            json!({ "if": { "type": "string" }, "then": { "minLength": 1 }, "else": { "minimum": 1 } }),
            json!("a"),
            json!(0),
            "",
        ),
        (json!({ "$ref": "#/$defs/n", "$defs": { "n": { "type": "number" } } }), json!(1), json!("x"), ""),
        (
            json!({ "properties": { "next": { "$ref": "#" } }, "required": ["id"] }),
            json!({ "id": 1, "next": { "id": 2 } }),
            json!({ "id": 1, "next": {} }),
            "/next/id",
        ),
        (json!({ "properties": { "a": false } }), json!({ "b": 1 }), json!({ "a": 1 }), "/a"),
    ];
    for (schema, fits, breaks, path) in cases {
        assert_eq!(check(&schema, &fits), [], "{schema} {fits}");
        assert_eq!(paths(check(&schema, &breaks)), [path], "{schema} {breaks}");
        assert_eq!(compile_errors(&schema), [], "{schema}");
    }
}

#[test]
fn patterns_formats_and_unevaluated_fields_are_checked() {
    let schema = json!({
        "type": "object",
        "properties": { "id": { "type": "string", "pattern": "^INV-[0-9]+$" }, "on": { "type": "string", "format": "date" } },
        "patternProperties": { "^x-": { "type": "number" } },
        "unevaluatedProperties": false,
    });
    assert_eq!(check(&schema, &json!({ "id": "INV-7", "on": "2026-11-16", "x-a": 1 })), []);
    assert_eq!(paths(check(&schema, &json!({ "id": "7" }))), ["/id"]);
    assert_eq!(paths(check(&schema, &json!({ "on": "yesterday" }))), ["/on"]);
    assert_eq!(paths(check(&schema, &json!({ "x-a": "one" }))), ["/x-a"]);
    assert_eq!(paths(check(&schema, &json!({ "other": 1 }))), ["/other"]);
}

#[test]
fn a_schema_that_cannot_be_applied_is_reported() {
    for schema in [
        json!({ "type": "string", "pattern": "(" }),
        json!({ "type": "text" }),
        json!({ "$ref": "https://example.com/schema.json" }),
        json!({ "$dynamicRef": "#node" }),
        json!({ "properties": { "a": { "$id": "https://example.com/a" } } }),
    ] {
        let found = check(&schema, &json!({ "a": 1 }));
        assert!(found.len() == 1 && found[0].message.starts_with("cannot be checked: "), "{schema} {found:?}");
    }
}

#[test]
fn all_violations_are_reported_at_once_and_the_message_says_what_is_expected() {
    let schema = json!({ "properties": { "a": { "type": "number" }, "b": { "enum": ["x", "y"] } }, "required": ["c"] });
    let found = check(&schema, &json!({ "a": "1", "b": "z" }));
    let mut lines: Vec<_> = found.iter().map(|found| format!("{} {}", found.path, found.message)).collect();
    lines.sort();
    assert_eq!(lines, ["/a must be number", r#"/b must be one of "x", "y""#, "/c is required"]);
}

#[test]
fn references_that_multiply_are_refused() {
    let mut defs = serde_json::Map::new();
    for i in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/d{}", i + 1) });
        defs.insert(format!("d{i}"), json!({ "allOf": [next, next] }));
    }
    defs.insert("d60".to_owned(), json!({ "type": "string" }));
    let schema = json!({ "$ref": "#/$defs/d0", "$defs": defs });
    assert_eq!(compile_errors(&schema), []);
    assert!(!check(&schema, &json!("x")).is_empty());
}

#[test]
fn references_that_multiply_with_the_depth_of_the_value_are_refused() {
    let again = json!({ "properties": { "a": { "$ref": "#" } } });
    let schema = json!({ "allOf": [again, again] });
    let deep = (0..60).fold(json!({}), |inner, _| json!({ "a": inner }));
    assert!(!check(&schema, &deep).is_empty());
}

#[test]
fn a_reference_to_itself_is_refused() {
    assert!(!check(&json!({ "$ref": "#" }), &json!(1)).is_empty());
}

#[test]
fn a_long_chain_of_references_and_a_deep_schema_are_no_trap() {
    let defs: serde_json::Map<_, _> =
        (0..20_000).map(|i| (format!("d{i}"), json!({ "$ref": format!("#/$defs/d{}", (i + 1) % 20_000) }))).collect();
    assert_eq!(compile_errors(&json!({ "$defs": defs })).len(), 1);
    let deep = (0..120).fold(json!({ "type": "string" }), |inner, _| json!({ "items": inner }));
    assert_eq!(compile_errors(&deep).len(), 1);
}

proptest! {
    #[test]
    fn no_schema_and_no_value_makes_it_panic(schema in any_json(), value in any_json()) {
        compile_errors(&schema);
        check(&schema, &value);
    }

    #[test]
    fn a_value_fits_the_schema_that_lists_it(value in any_json(), other in any_json()) {
        prop_assert_eq!(check(&json!({ "enum": [other, value] }), &value), vec![]);
        prop_assert_eq!(check(&json!({ "const": value }), &value), vec![]);
        prop_assert_ne!(check(&json!({ "not": { "const": value } }), &value), vec![]);
    }

    #[test]
    fn the_shape_of_a_value_is_a_schema_that_it_fits(value in any_json()) {
        let schema = shape(&value);
        prop_assert_eq!(compile_errors(&schema), vec![]);
        prop_assert_eq!(check(&schema, &value), vec![]);
    }
}

/// The strictest schema that names no values.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => json!({ "type": "null" }),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(number) => json!({ "type": "number", "minimum": number, "maximum": number }),
        Value::String(text) => json!({ "type": "string", "maxLength": text.chars().count() }),
        Value::Array(items) if items.is_empty() => json!({ "type": "array", "maxItems": 0 }),
        Value::Array(items) => {
            json!({ "type": "array", "prefixItems": items.iter().map(shape).collect::<Vec<_>>(), "items": false })
        }
        Value::Object(fields) => {
            let properties: serde_json::Map<_, _> =
                fields.iter().map(|(key, value)| (key.clone(), shape(value))).collect();
            let required: Vec<_> = fields.keys().collect();
            json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
        }
    }
}
