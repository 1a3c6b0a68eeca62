//! The table and what reads it.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{any_json, odd_spec};

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
    assert_eq!(SPEC_FIELDS.other_fields(&spec), []);
}

#[test]
fn fields_without_a_control_are_listed_with_their_pointers() {
    let spec = json!({
        "later": 1, "name": null, "metadata": { "k": 3 }, "messages": [{ "role": "user", "content": "c", "new": 1 }],
        "tools": [{ "kind": "local", "name": "l", "x/y": [], "url": "u" }, { "kind": "quantum", "spin": 2 }, "odd"],
        "plan": { "depth": 2 }, "supervisor": { "reasoningTrigger": { "words": 5 } }, "toolBudgets": { "a~b": { "maxMs": 1 } },
        "reasoningLevel": 2.5, "loopDetection": true,
    });
    let places: Vec<String> = SPEC_FIELDS.other_fields(&spec).into_iter().map(|(path, _)| path).collect();
    let expected = [
        "/later",
        "/name",
        "/metadata",
        "/messages/0/new",
        "/tools/0/x~1y",
        "/tools/0/url",
        "/tools/1/spin",
        "/tools/2",
        "/plan/depth",
        "/supervisor/reasoningTrigger/words",
        "/toolBudgets/a~0b/maxMs",
        "/reasoningLevel",
        "/loopDetection",
    ];
    assert_eq!(places, expected);
    let wrong = json!({ "budgets": { "localToolTimeoutMs": -5, "maxToolTurns": "many" } });
    assert_eq!(SPEC_FIELDS.other_fields(&wrong), [], "their controls show them with an error");
}

#[test]
fn pointers_are_described_in_words() {
    for (pointer, words) in [
        ("/tools/2/name", "Tool 3, name"),
        ("/tools/2/agentCardUrl", "Tool 3, address of its card"),
        ("/tools/0/parameters/properties/a", "Tool 1, parameters, properties a"),
        ("/tools/0/tools/1/name", "Tool 1, its tool 2, name"),
        ("/messages/2/attachments/0/mimeType", "Message 3, file 1"),
        ("/metadata#1", "Metadata, row 2"),
        ("/outputSchema/schema#0.name", "Output format, properties, row 1"),
        ("/outputSchema/name", "Output format, name"),
        ("/toolBudgets/recall/maxCalls", "Calls per tool, recall maxCalls"),
        ("/json", "JSON"),
        ("/messages/0/content", "Message 1, content"),
        ("/metadata/url", "Metadata, url"),
        ("/prompt", "Prompt"),
        ("/budgets/maxToolTurns", "Limits, turns with tools"),
        ("/answers/look_up", "Responder of look_up"),
        ("/session/tools/0", "Tools of the session"),
        ("/batch/inputs", "Batch inputs"),
        ("", "Spec"),
    ] {
        assert_eq!(SPEC_FIELDS.describe(&Value::Null, pointer), words, "{pointer}");
    }
    let spec = json!({ "tools": [{ "kind": "mantyx_plugin" }, { "kind": "local" }] });
    assert_eq!(SPEC_FIELDS.describe(&spec, "/tools/0/name"), "Tool 1, tool", "as the form labels it");
    assert_eq!(SPEC_FIELDS.describe(&spec, "/tools/1/name"), "Tool 2, name");
}

#[test]
fn code_samples_have_the_order_of_the_form_and_every_field() {
    let spec =
        json!({ "metadata": {}, "later": 1, "tools": [{ "name": "n", "extra": 1, "kind": "local" }], "prompt": "p" });
    let ordered = SPEC_FIELDS.in_order(&spec);
    assert_eq!(ordered, spec);
    assert_eq!(
        ordered.to_string(),
        r#"{"prompt":"p","tools":[{"kind":"local","name":"n","extra":1}],"metadata":{},"later":1}"#
    );
}

proptest! {
    #[test]
    fn any_json_can_be_read_with_the_table(spec in prop_oneof![odd_spec(), any_json()]) {
        for (pointer, value) in SPEC_FIELDS.other_fields(&spec) {
            prop_assert_eq!(spec.pointer(&pointer), Some(value));
        }
        prop_assert_eq!(SPEC_FIELDS.in_order(&spec), spec);
    }
}
