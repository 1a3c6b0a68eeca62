//! Every spec, valid or not, is unchanged after it was read and written.

use proptest::prelude::*;
use serde_json::{Map, json};

use super::tool::ToolKind;
use super::*;

fn check(spec: &Value) -> SpecForm {
    let form = SpecForm::read(spec).expect("an object");
    assert_eq!(&form.write(), spec);
    form
}

#[test]
fn every_field_of_the_live_spec_has_a_control() {
    let spec = json!({
        "name": "n", "agentId": "a", "systemPrompt": "s", "modelId": "m", "fallbackModelId": "f", "prompt": "p",
        "messages": [{ "role": "user", "content": "c", "attachments": [{ "type": "input_file_url", "url": "https://x.test" }] }],
        "reasoningLevel": "high", "metadata": { "k": "v" },
        "budgets": { "maxToolTurns": 3, "maxToolTurnsExceeded": "finalize", "localToolTimeoutMs": 1000 },
        "toolBudgets": { "recall": { "maxCalls": 0 } },
        "loopDetection": { "consecutiveThreshold": 2, "hardCutoffThreshold": 9 },
        "outputSchema": { "name": "o", "schema": { "type": "object" }, "enforcement": "strict" },
        "supervisor": { "interval": 4, "modelId": "m", "reasoningTrigger": { "chars": 10, "ms": 20 } },
        "plan": { "mode": "auto", "brief": "b", "steps": ["one"], "planOnly": true },
        "tools": [
            { "kind": "mantyx", "id": "t" },
            { "kind": "mantyx_plugin", "name": "@a/b" },
            { "kind": "local", "name": "l", "description": "d", "parameters": {}, "outputSchema": {}, "longRunning": true,
              "readOnly": false, "retain": true },
            { "kind": "a2a", "name": "a", "description": "d", "agentCardUrl": "https://x.test", "headers": { "h": "v" }, "contextId": "c" },
            { "kind": "a2a_local", "name": "b", "description": "d", "agentCard": { "name": "B" } },
            { "kind": "mcp", "name": "m", "url": "https://x.test", "headers": {}, "toolFilter": ["x"] },
            { "kind": "mcp_local", "name": "ml", "serverInfo": { "name": "S" }, "tools": [{ "name": "x", "inputSchema": {} }] },
        ],
    });
    assert_eq!(check(&spec).other_fields(), []);
}

#[test]
fn fields_without_a_control_are_preserved_and_listed_with_their_pointers() {
    let spec = json!({
        "later": 1, "name": null, "metadata": { "k": 3 }, "messages": [{ "role": "user", "content": "c", "new": 1 }],
        "tools": [{ "kind": "local", "name": "l", "x/y": [] }, { "kind": "quantum", "spin": 2 }],
        "plan": { "depth": 2 }, "supervisor": { "reasoningTrigger": { "words": 5 } }, "toolBudgets": { "a~b": { "maxMs": 1 } },
        "reasoningLevel": 2.5,
    });
    let form = check(&spec);
    let places: Vec<String> = form.other_fields().into_iter().map(|(path, _)| path).collect();
    let expected = [
        "/later",
        "/name",
        "/metadata",
        "/reasoningLevel",
        "/messages/0/new",
        "/tools/0/x~1y",
        "/tools/1/spin",
        "/toolBudgets/a~0b/maxMs",
        "/supervisor/reasoningTrigger/words",
        "/plan/depth",
    ];
    assert_eq!(places, expected);
}

#[test]
fn a_syntax_error_is_located() {
    let bad = SpecForm::parse("{\n  \"name\": oops\n}").expect_err("no JSON");
    assert_eq!((bad.line, bad.column > 1), (2, true), "{bad:?}");
    assert!(SpecForm::parse("[1]").is_err());
    assert_eq!(SpecForm::parse("{}"), Ok(SpecForm::default()));
}

#[test]
fn an_edit_changes_its_own_field_only() {
    let spec = json!({ "later": { "a": [1] }, "prompt": "p", "tools": [{ "kind": "local", "name": "l", "new": 1 }] });
    let mut form = check(&spec);
    form.prompt = Some("q".to_owned());
    form.tools.get_or_insert_default().push(ToolForm::read(&json!({ "kind": "mcp" })).expect("a tool"));
    let expected = json!({ "later": { "a": [1] }, "prompt": "q",
        "tools": [{ "kind": "local", "name": "l", "new": 1 }, { "kind": "mcp" }] });
    assert_eq!(form.write(), expected);
}

/// Any JSON, as deep as specs are.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u32>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6..1e6_f64).prop_map(Value::from),
        "[a-z]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            object_of(prop::sample::select(KEYS.to_vec()), inner),
        ]
    })
}

fn object_of(
    key: impl Strategy<Value = &'static str>,
    value: impl Strategy<Value = Value>,
) -> impl Strategy<Value = Value> {
    let entries = prop::collection::vec((key, value), 0..6);
    entries.prop_map(|entries| {
        entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>().into()
    })
}

/// Field names of specs, and some unknown ones.
const KEYS: [&str; 40] = [
    "name",
    "agentId",
    "systemPrompt",
    "modelId",
    "fallbackModelId",
    "prompt",
    "messages",
    "reasoningLevel",
    "tools",
    "budgets",
    "toolBudgets",
    "loopDetection",
    "outputSchema",
    "supervisor",
    "plan",
    "metadata",
    "kind",
    "id",
    "description",
    "parameters",
    "longRunning",
    "readOnly",
    "agentCardUrl",
    "headers",
    "agentCard",
    "url",
    "toolFilter",
    "serverInfo",
    "role",
    "content",
    "attachments",
    "maxCalls",
    "consecutiveThreshold",
    "interval",
    "reasoningTrigger",
    "mode",
    "steps",
    "schema",
    "later",
    "x/y~z",
];

/// Values that fields often have, so that most readers are covered.
fn likely_value() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select([&ToolKind::NAMES[..], &["quantum"]].concat());
    let tool = (kind, object_of(prop::sample::select(KEYS.to_vec()), any_json())).prop_map(|(kind, mut tool)| {
        tool["kind"] = kind.into();
        tool
    });
    prop_oneof![
        2 => any_json(),
        2 => prop::collection::vec(tool, 0..4).prop_map(Value::from),
        1 => object_of(prop::sample::select(KEYS.to_vec()), any_json()),
        1 => prop::sample::select(vec![json!("auto"), json!(false), json!({}), json!([]), json!({ "k": "v" }), json!(7)]),
    ]
}

proptest! {
    #[test]
    fn any_spec_is_written_back_unchanged(spec in object_of(prop::sample::select(KEYS.to_vec()), likely_value())) {
        let form = SpecForm::read(&spec).expect("an object");
        prop_assert_eq!(form.write(), spec.clone());
        prop_assert_eq!(SpecForm::parse(&spec.to_string()), Ok(form));
    }
}
