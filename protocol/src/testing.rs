//! Generated JSON for property tests: any JSON, valid specs, and valid specs with one odd part.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

/// Any JSON of up to about fifty nodes. Field names are often those of the protocol, so that parsers find them.
pub fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no infinity", |number| number.is_finite()).prop_map(Value::from),
        (0_u64..7).prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((any_key(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

pub fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~]{0,12}", "\\PC{0,8}", any::<String>().prop_map(|text| text.chars().take(20).collect())]
}

const KEYS: [&str; 62] = [
    "name",
    "kind",
    "tools",
    "type",
    "id",
    "prompt",
    "messages",
    "role",
    "content",
    "attachments",
    "url",
    "headers",
    "schema",
    "properties",
    "required",
    "items",
    "$ref",
    "$defs",
    "anyOf",
    "allOf",
    "enum",
    "metadata",
    "budgets",
    "plan",
    "supervisor",
    "loopDetection",
    "toolBudgets",
    "maxCalls",
    "status",
    "tokens",
    "outputSchema",
    "minimum",
    // Of events.
    "text",
    "toolUseId",
    "toolCalls",
    "args",
    "input",
    "result",
    "summary",
    "output",
    "error",
    "errorClass",
    "code",
    "ok",
    "files",
    "filename",
    "steps",
    "title",
    "planId",
    "revision",
    "transition",
    "action",
    "reason",
    "phase",
    "model",
    "consecutiveCount",
    "callIndex",
    "maxToolTurns",
    "localToolTimeoutMs",
    "finishReason",
    "structuredOutput",
    "subtype",
];

fn any_key() -> impl Strategy<Value = String> {
    prop_oneof![3 => select(&KEYS[..]).prop_map(str::to_owned), 1 => any_text()]
}

/// Any JSON object with some fields of the protocol.
pub fn any_object() -> impl Strategy<Value = Value> {
    prop::collection::vec((any_key(), any_json()), 0..8).prop_map(|fields| Value::Object(fields.into_iter().collect()))
}

/// A valid spec.
pub fn good_spec() -> impl Strategy<Value = Value> {
    let input = prop_oneof![
        Just(json!({ "prompt": "Hello" })),
        Just(json!({ "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "Hello", "attachments": [
                { "type": "input_file_url", "url": "https://example.com/a.png", "mimeType": "image/png" },
                { "type": "input_file", "mimeType": "text/plain", "filename": "a.txt", "data": "YQ==" } ] } ] })),
    ];
    let identity = prop_oneof![Just(json!({ "systemPrompt": "You help." })), Just(json!({ "agentId": "agent_1" }))];
    let settings = vec![
        ("name", select(vec![json!("support"), json!("")])),
        ("modelId", select(vec![json!("openai/gpt"), json!("platform:demo")])),
        ("fallbackModelId", select(vec![json!("other/model"), Value::Null])),
        ("reasoningLevel", select(vec![json!("off"), json!("high"), json!(0), json!(100)])),
        ("budgets", select(vec![json!({}), json!({ "maxToolTurns": 32 }), json!({ "localToolTimeoutMs": 1000 })])),
        ("loopDetection", select(vec![json!(false), json!({}), json!({ "consecutiveThreshold": 2 })])),
        ("toolBudgets", select(vec![json!({}), json!({ "recall": { "maxCalls": 0 } })])),
        ("supervisor", select(vec![json!(true), json!({ "interval": 5, "reasoningTrigger": false })])),
        ("plan", select(vec![json!("auto"), json!({ "planOnly": true, "steps": ["a"] })])),
        ("metadata", select(vec![json!({ "customer": "acme" }), json!({})])),
        ("outputSchema", select(vec![json!({ "name": "o", "enforcement": "strict", "schema": { "type": "object" } })])),
        ("tools", select(vec![json!([]), all_kinds_of_tools()])),
    ];
    let chosen: Vec<_> = settings.into_iter().map(|(key, value)| (Just(key), prop::option::of(value))).collect();
    (input, identity, chosen).prop_map(|(input, identity, chosen)| {
        let mut spec = Map::new();
        for part in [input, identity] {
            spec.extend(part.as_object().cloned().into_iter().flatten());
        }
        spec.extend(chosen.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        Value::Object(spec)
    })
}

pub fn all_kinds_of_tools() -> Value {
    let arguments = json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
    json!([
        { "kind": "mantyx", "id": "tool_1" },
        { "kind": "mantyx_plugin", "name": "@search/web-search" },
        { "kind": "local", "name": "read_file", "description": "Reads a file.", "parameters": arguments,
          "outputSchema": { "type": "object" }, "longRunning": false, "readOnly": true, "retain": false },
        { "kind": "a2a", "name": "billing", "agentCardUrl": "https://example.com/card.json", "contextId": "c",
          "headers": { "Authorization": "Bearer x" } },
        { "kind": "a2a_local", "name": "hr", "agentCard": { "name": "HR", "skills": [{ "id": "pto", "tags": ["a"] }] } },
        { "kind": "mcp", "name": "github", "url": "https://example.com/mcp", "toolFilter": ["search"] },
        { "kind": "mcp_local", "name": "fs", "serverInfo": { "name": "fs" },
          "tools": [{ "name": "fs_read", "inputSchema": arguments, "annotations": { "readOnlyHint": true } }] }
    ])
}

/// A valid spec with one extra field, or with one value replaced by any JSON.
pub fn odd_spec() -> impl Strategy<Value = Value> {
    (good_spec(), any::<Index>(), any_key(), any_json(), any::<bool>()).prop_map(
        |(mut spec, place, key, odd, replace)| {
            let count = count_nodes(&spec);
            let target = nth_node(&mut spec, &mut place.index(count)).expect("counted before");
            match target {
                Value::Object(fields) if !replace => {
                    fields.insert(key, odd);
                }
                Value::Array(items) if !replace => items.push(odd),
                _ => *target = odd,
            }
            spec
        },
    )
}

fn count_nodes(json: &Value) -> usize {
    1 + match json {
        Value::Object(fields) => fields.values().map(count_nodes).sum(),
        Value::Array(items) => items.iter().map(count_nodes).sum(),
        _ => 0,
    }
}

fn nth_node<'a>(json: &'a mut Value, nth: &mut usize) -> Option<&'a mut Value> {
    if *nth == 0 {
        return Some(json);
    }
    *nth -= 1;
    match json {
        Value::Object(fields) => fields.values_mut().find_map(|field| nth_node(field, nth)),
        Value::Array(items) => items.iter_mut().find_map(|item| nth_node(item, nth)),
        _ => None,
    }
}
