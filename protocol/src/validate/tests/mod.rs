//! For each field the values that are accepted, and the code and path of each error.

mod input;
mod settings;
mod tools;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::json_pointer::set;
use crate::testing::{all_kinds_of_tools, any_json, good_spec, odd_spec};

/// A valid spec with a tool of each kind, and with objects for all settings.
fn whole() -> Value {
    json!({ "systemPrompt": "You help.", "prompt": "Hello", "tools": all_kinds_of_tools(), "budgets": {},
        "loopDetection": {}, "toolBudgets": { "recall": { "maxCalls": 4 } }, "plan": {}, "metadata": {},
        "supervisor": { "reasoningTrigger": {} }, "outputSchema": { "schema": { "type": "object" } } })
}

/// Checks the values of one field: a list of accepted ones, and lists of refused ones by `code` or `code /rest/of/path`.
fn check(pointer: &str, accepted: Value, refused: Value) {
    check_in(&whole(), pointer, accepted, refused);
}

fn check_in(spec: &Value, pointer: &str, accepted: Value, refused: Value) {
    let assert_errors = |value: &Value, expected: &[String]| {
        let mut spec = spec.clone();
        set(&mut spec, pointer, value.clone());
        let value = crate::json::preview(&value.to_string(), 300);
        assert_eq!(codes(validate(Body::Run, &spec)), expected, "{pointer}: {value}");
    };
    for value in accepted.as_array().expect("a list") {
        assert_errors(value, &[]);
    }
    for (error, values) in refused.as_object().expect("lists by error") {
        let (code, rest) = error.split_once(' ').unwrap_or((error, ""));
        for value in values.as_array().expect("a list") {
            assert_errors(value, &[format!("{code} {pointer}{rest}")]);
        }
    }
}

/// `code path`.
fn codes(errors: Vec<FieldError>) -> Vec<String> {
    errors.into_iter().map(|error| format!("{} {}", error.code, error.path)).collect()
}

/// An object with `count` entries.
fn entries(count: usize, value: Value) -> Value {
    Value::Object((0..count).map(|i| (format!("k{i}"), value.clone())).collect::<Map<_, _>>())
}

#[test]
fn only_objects_are_specs() {
    for body in [json!(null), json!("text"), json!([]), json!(1)] {
        for kind in [Body::Run, Body::Session, Body::Message] {
            assert_eq!(codes(validate(kind, &body)), ["type "], "{body}");
        }
    }
}

#[test]
fn all_errors_are_reported_at_once_in_plain_words() {
    let spec = json!({ "prompt": "", "metadata": { "a b": "x" }, "tools": [{ "kind": "local", "name": "read-file" }] });
    let messages: Vec<_> =
        validate(Body::Run, &spec).into_iter().map(|error| format!("{}: {}", error.path, error.message)).collect();
    assert_eq!(
        messages,
        [
            "/prompt: Enter a text.",
            "/systemPrompt: Add a system prompt, a saved agent or a system message.",
            "/tools/0/name: A name may use letters, digits and _, at most 64. Rename it.",
            "/metadata/a b: A key may use letters, digits, dot, _ and -, at most 64. Rename it.",
        ]
    );
}

#[test]
fn large_bodies_are_checked_in_time_and_report_a_hundred_errors() {
    let soap: Vec<_> = (0..10_000).map(|_| json!({ "kind": "soap" })).collect();
    let spec = json!({ "systemPrompt": "s", "prompt": "p", "tools": soap });
    assert_eq!(validate(Body::Run, &spec).len(), 100);
    let many: Vec<_> = (0..20_000).map(|i| json!({ "kind": "local", "name": format!("t{i}") })).collect();
    check("/tools", json!([many]), json!({}));
    let deep = format!("{}{}", r#"{"items":"#.repeat(120), "{}".to_owned() + &"}".repeat(120));
    let deep: Value = serde_json::from_str(&deep).expect("as deep as the parser goes");
    let spec = json!({ "systemPrompt": "s", "prompt": "p", "outputSchema": { "schema": deep } });
    assert_eq!(validate(Body::Run, &spec).len(), 1);
}

proptest! {
    #[test]
    fn good_specs_are_accepted_as_runs_and_as_messages(spec in good_spec()) {
        prop_assert_eq!(validate(Body::Run, &spec), vec![]);
        prop_assert_eq!(validate(Body::Message, &spec), vec![]);
    }

    #[test]
    fn every_error_of_an_odd_spec_points_into_it_or_to_a_missing_field(spec in odd_spec()) {
        for error in validate(Body::Run, &spec) {
            let parent = error.path.rsplit_once('/').map_or("", |(parent, _)| parent);
            // A field that is required inside something that is missing itself is two steps away.
            let grandparent = parent.rsplit_once('/').map_or("", |(parent, _)| parent);
            let found = [&error.path, parent, grandparent].iter().any(|path| spec.pointer(path).is_some());
            prop_assert!(found, "{} in {}", error.path, spec);
            prop_assert!(error.message.ends_with('.'), "{}", error.message);
        }
    }

    #[test]
    fn no_json_makes_it_panic(body in any_json()) {
        for kind in [Body::Run, Body::Session, Body::Message] {
            validate(kind, &body);
        }
    }
}
