//! One table for each area: the specs that are accepted, and the code and path of each error.

mod attachments;
mod guards;
mod headers;
mod input;
mod output_schema;
mod plan;
mod settings;
mod supervisor;
mod tools;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::testing::{any_json, good_spec, odd_spec};

/// Validates a good spec in which `fields` are replaced, as a run.
fn check_with(fields: &Value) -> Vec<String> {
    let mut spec = json!({ "systemPrompt": "You help.", "prompt": "Hello" });
    for (key, value) in fields.as_object().expect("an object") {
        spec[key] = value.clone();
    }
    codes(validate(Body::Run, &spec))
}

/// `code path`, as the tables have it.
fn codes(errors: Vec<FieldError>) -> Vec<String> {
    errors.into_iter().map(|error| format!("{} {}", error.code, error.path)).collect()
}

fn assert_accepted<const N: usize>(cases: [Value; N]) {
    for fields in cases {
        assert_eq!(check_with(&fields), [""; 0], "{}", shown(&fields));
    }
}

fn assert_refused<const N: usize>(cases: [(Value, &str); N]) {
    for (fields, error) in cases {
        assert_eq!(check_with(&fields), [error], "{}", shown(&fields));
    }
}

fn shown(fields: &Value) -> String {
    crate::json::preview(&fields.to_string(), 300)
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
            "/systemPrompt: Say who the agent is: write a system prompt, choose a saved agent, or add a system message.",
            "/tools/0/name: A name may use letters, digits and _, at most 64. Rename it.",
            "/metadata/a b: A name may use letters, digits, dot, _ and -, at most 64. Rename it.",
        ]
    );
}

#[test]
fn a_body_with_ten_thousand_errors_reports_a_hundred() {
    let tools: Vec<_> = (0..10_000).map(|_| json!({ "kind": "soap" })).collect();
    assert_eq!(check_with(&json!({ "tools": tools })).len(), 100);
}

#[test]
fn many_tools_with_many_names_take_no_more_than_their_size() {
    let tools: Vec<_> = (0..20_000).map(|i| json!({ "kind": "local", "name": format!("t{i}") })).collect();
    assert_accepted([json!({ "tools": tools })]);
}

#[test]
fn the_deepest_json_that_can_be_parsed_is_checked() {
    let deep = format!("{}{}", r#"{"items":"#.repeat(120), "{}".to_owned() + &"}".repeat(120));
    let deep: Value = serde_json::from_str(&deep).expect("as deep as the parser goes");
    assert_eq!(check_with(&json!({ "outputSchema": { "schema": deep } })).len(), 1);
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
