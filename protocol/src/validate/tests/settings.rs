//! Names, models, limits, the output schema and metadata.

use super::*;

#[test]
fn names_and_models_are_texts() {
    for pointer in ["/name", "/modelId", "/fallbackModelId"] {
        check(pointer, json!(["n", null]), json!({ "type": [1, false, {}] }));
    }
    check("/unknown", json!([[1]]), json!({}));
    check("/agentId", json!(["a"]), json!({ "type": [{}] }));
    let with_model = json!({ "prompt": "p", "systemPrompt": "s", "modelId": "m" });
    check_in(&with_model, "/fallbackModelId", json!(["f", null]), json!({ "duplicate": ["m"] }));
}

#[test]
fn numbers_have_limits() {
    for (pointer, min, max) in [
        ("/budgets/maxToolTurns", 0, 100),
        ("/budgets/localToolTimeoutMs", 1, 3_600_000),
        ("/toolBudgets/recall/maxCalls", 0, 1000),
        ("/supervisor/interval", 1, 100),
        ("/supervisor/reasoningTrigger/chars", 1, 50_000),
        ("/supervisor/reasoningTrigger/ms", 1, 600_000),
    ] {
        check(pointer, json!([min, max]), json!({ "range": [min - 1, max + 1, "3", 1.5, true] }));
    }
    check("/budgets", json!([{}, null]), json!({ "type": [7] }));
    check("/budgets/maxToolTurnsExceeded", json!(["finalize", "error"]), json!({ "type": [1] }));
}

#[test]
fn reasoning_is_a_word_or_a_number() {
    let accepted = json!(["off", "low", "medium", "high", 0, 100]);
    check("/reasoningLevel", accepted, json!({ "choice": ["loud", 101, -1, 1.5, true] }));
}

#[test]
fn loop_detection_is_off_or_has_thresholds() {
    let thresholds =
        |nudge: Value, cutoff: Value| json!({ "consecutiveThreshold": nudge, "hardCutoffThreshold": cutoff });
    check(
        "/loopDetection",
        json!([
            null,
            false,
            {},
            { "consecutiveThreshold": 5 },
            { "hardCutoffThreshold": 4 },
            thresholds(json!(2), json!(3)),
            thresholds(json!(99), json!(100))
        ]),
        json!({
            "type": [true],
            "range /consecutiveThreshold": [
                thresholds(json!(1), json!(3)), thresholds(json!(101), json!(100)), thresholds(json!("3"), json!(6))
            ],
            "range /hardCutoffThreshold": [thresholds(json!(2), json!(2)), thresholds(json!(2), json!(101))],
            "order /hardCutoffThreshold": [
                thresholds(json!(5), json!(5)), { "consecutiveThreshold": 6 }, { "hardCutoffThreshold": 3 }
            ],
        }),
    );
}

#[test]
fn each_tool_may_have_a_budget() {
    let one = json!({ "maxCalls": 1 });
    check(
        "/toolBudgets",
        json!([{}, entries(32, one.clone()), { "k".repeat(120): one }]),
        json!({
            "type": [[]],
            "too_many": [entries(33, one.clone())],
            "required /recall/maxCalls": [{ "recall": {} }, { "recall": 4 }],
            "pattern /": [{ "": one }],
        }),
    );
    let long = format!("pattern /{}", "k".repeat(121));
    check("/toolBudgets", json!([]), json!({ long: [{ "k".repeat(121): one }] }));
}

#[test]
fn supervisor_and_plan_are_switches_words_or_settings() {
    check("/supervisor", json!([true, false, {}, { "interval": 1, "modelId": "m" }]), json!({ "type": ["yes"] }));
    check("/supervisor/modelId", json!(["m"]), json!({ "type": [1] }));
    check("/supervisor/reasoningTrigger", json!([false, {}, { "chars": 1, "ms": 1 }]), json!({ "type": [true] }));
    let all = json!({ "mode": "required", "brief": "b", "steps": ["a"], "planOnly": true });
    let accepted = json!([true, false, "off", "auto", "required", {}, all]);
    check("/plan", accepted, json!({ "type": [1], "choice": ["maybe"] }));
    check("/plan/mode", json!(["off"]), json!({ "choice": ["maybe", true] }));
    check("/plan/brief", json!(["b"]), json!({ "type": [1] }));
    check("/plan/planOnly", json!([true, false]), json!({ "type": ["yes"] }));
    check(
        "/plan/steps",
        json!([["a"], []]),
        json!({ "type": ["a"], "required /1": [["a", 1]], "required /0": [[" "]] }),
    );
}

#[test]
fn an_output_schema_describes_an_object() {
    // `{"schema":{"type":"object","description":"…"}}`, with exactly so many bytes.
    let sized = |bytes: usize| {
        let frame = json!({ "schema": { "type": "object", "description": "" } }).to_string().len();
        json!({ "schema": { "type": "object", "description": "x".repeat(bytes - frame) } })
    };
    assert_eq!(sized(32_768).to_string().len(), 32_768);
    check("/outputSchema", json!([sized(32_768)]), json!({ "type": ["x"], "too_long": [sized(32_769)] }));
    let object = json!({ "type": "object" });
    check(
        "/outputSchema/schema",
        json!([{}, { "$ref": "#/$defs/a", "$defs": { "a": object } }]),
        json!({
            "required": [null],
            "type": [[], true],
            "schema /type": [{ "type": "array" }, { "$ref": "#/$defs/a", "$defs": { "a": { "type": "array" } } }],
            "schema /properties/a/type": [{ "properties": { "a": { "type": "text" } } }],
            "schema /$ref": [{ "$ref": "#/$defs/a" }],
        }),
    );
    let names = json!(["a-b_C9", "n".repeat(64), null]);
    check("/outputSchema/name", names, json!({ "pattern": ["a b", "", "n".repeat(65)], "type": [1] }));
    check("/outputSchema/enforcement", json!(["strict", "best_effort", null]), json!({ "choice": ["hard"] }));
}

#[test]
fn metadata_is_small() {
    // Sixteen entries of `"kN":"…"`, with exactly four thousand and ninety-six bytes.
    let full = |spare: usize| {
        let mut entries = entries(16, json!("x".repeat(247)));
        entries["k1"] = json!("x".repeat(252));
        let missing = 4096 + spare - entries.to_string().len();
        entries["k0"] = json!("x".repeat(247 + missing));
        entries
    };
    assert_eq!(full(0).to_string().len(), 4096);
    let long = format!("pattern /{}", "k".repeat(65));
    check(
        "/metadata",
        json!([
            {}, entries(16, json!("v")), { "a": "x".repeat(256), "b": "" }, { "a": "😀".repeat(128) },
            { "A.z_0-9": "x" }, { "k".repeat(64): "x" }, full(0)
        ]),
        json!({
            "type": [[]],
            "too_many": [entries(17, json!("v"))],
            "too_long": [full(1)],
            "too_long /a": [{ "a": "x".repeat(257) }, { "a": "😀".repeat(129) }],
            "type /a": [{ "a": 1 }, { "a": null }],
            "pattern /a~1b": [{ "a/b": "x" }],
            "pattern /": [{ "": "x" }],
            long: [{ "k".repeat(65): "x" }],
        }),
    );
}
