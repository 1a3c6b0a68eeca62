//! Names, models, reasoning and metadata.

use super::*;

#[test]
fn names_and_models_are_texts() {
    assert_accepted([
        json!({ "name": "n", "agentId": "a", "systemPrompt": "s", "modelId": "m", "fallbackModelId": "f" }),
        json!({ "name": null, "modelId": null, "fallbackModelId": "f" }),
        json!({ "unknown": [1] }),
    ]);
    assert_refused([
        (json!({ "name": 1 }), "type /name"),
        (json!({ "agentId": {} }), "type /agentId"),
        (json!({ "agentId": "a", "systemPrompt": [] }), "type /systemPrompt"),
        (json!({ "modelId": false }), "type /modelId"),
        (json!({ "fallbackModelId": 1 }), "type /fallbackModelId"),
        (json!({ "modelId": "m", "fallbackModelId": "m" }), "duplicate /fallbackModelId"),
    ]);
}

#[test]
fn reasoning_is_a_word_or_a_number() {
    assert_accepted([
        json!({ "reasoningLevel": "off" }),
        json!({ "reasoningLevel": "low" }),
        json!({ "reasoningLevel": "medium" }),
        json!({ "reasoningLevel": "high" }),
        json!({ "reasoningLevel": 0 }),
        json!({ "reasoningLevel": 100 }),
    ]);
    assert_refused([
        (json!({ "reasoningLevel": "loud" }), "choice /reasoningLevel"),
        (json!({ "reasoningLevel": 101 }), "choice /reasoningLevel"),
        (json!({ "reasoningLevel": -1 }), "choice /reasoningLevel"),
        (json!({ "reasoningLevel": 1.5 }), "choice /reasoningLevel"),
        (json!({ "reasoningLevel": true }), "choice /reasoningLevel"),
    ]);
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
    assert_accepted([
        json!({ "metadata": {} }),
        json!({ "metadata": entries(16, json!("v")) }),
        json!({ "metadata": { "a": "x".repeat(256), "b": "" } }),
        json!({ "metadata": { "a": "😀".repeat(128) } }),
        json!({ "metadata": { "A.z_0-9": "x" } }),
        json!({ "metadata": { "k".repeat(64): "x" } }),
        json!({ "metadata": full(0) }),
    ]);
    assert_refused([
        (json!({ "metadata": [] }), "type /metadata"),
        (json!({ "metadata": entries(17, json!("v")) }), "too_many /metadata"),
        (json!({ "metadata": { "a": "x".repeat(257) } }), "too_long /metadata/a"),
        (json!({ "metadata": { "a": "😀".repeat(129) } }), "too_long /metadata/a"),
        (json!({ "metadata": { "a": 1 } }), "type /metadata/a"),
        (json!({ "metadata": { "a": null } }), "type /metadata/a"),
        (json!({ "metadata": { "a/b": "x" } }), "pattern /metadata/a~1b"),
        (json!({ "metadata": { "": "x" } }), "pattern /metadata/"),
        (json!({ "metadata": { "k".repeat(65): "x" } }), &format!("pattern /metadata/{}", "k".repeat(65))),
        (json!({ "metadata": full(1) }), "too_long /metadata"),
    ]);
}
