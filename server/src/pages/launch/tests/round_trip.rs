//! Tests that any spec is unchanged after its form was built, sent and applied.

use app::launch::draft::LaunchDraft;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::after;

/// Any JSON, as deep as specs are.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u32>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6..1e6_f64).prop_map(Value::from),
        "[a-z \n\r\"#/~é]{0,5}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from), object_of(inner)]
    })
}

fn object_of(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let key = prop_oneof![4 => prop::sample::select(KEYS.split(' ').collect::<Vec<_>>()).prop_map(str::to_owned), 1 => "[a-z#/~ .]{0,3}"];
    let entries = prop::collection::vec((key, value), 0..6);
    entries.prop_map(|entries| entries.into_iter().collect::<Map<_, _>>().into())
}

/// Field names of specs.
const KEYS: &str = "name agentId systemPrompt modelId fallbackModelId prompt messages reasoningLevel tools budgets \
    toolBudgets loopDetection outputSchema supervisor plan metadata kind id description parameters \
    longRunning readOnly retain agentCardUrl headers agentCard url toolFilter serverInfo role content \
    attachments data maxCalls maxToolTurns consecutiveThreshold interval reasoningTrigger chars mode brief \
    steps planOnly schema properties required type later";

/// Specs whose settings have shapes that the form knows, valid or not.
fn any_spec() -> impl Strategy<Value = Value> {
    let kinds = ["mantyx", "mantyx_plugin", "local", "a2a", "a2a_local", "mcp", "mcp_local", "quantum"];
    let tool = (prop::sample::select(kinds.to_vec()), object_of(any_json())).prop_map(|(kind, mut tool)| {
        tool["kind"] = kind.into();
        tool
    });
    let tools = prop::collection::vec(prop_oneof![9 => tool, 1 => any_json()], 0..4).prop_map(Value::from);
    let messages = prop::collection::vec(object_of(any_json()), 0..3).prop_map(Value::from);
    let schema = (object_of(object_of(any_json())), any_json())
        .prop_map(|(properties, required)| json!({ "type": "object", "properties": properties, "required": required }));
    let texts = prop::collection::vec(("[a-z ]{0,3}", "[a-z \n]{0,3}"), 0..4).prop_map(|entries| {
        entries.into_iter().map(|(key, text)| (key, Value::from(text))).collect::<Map<_, _>>().into()
    });
    let filled = (tools, messages, schema, texts, object_of(object_of(any_json())));
    (object_of(any_json()), filled, any::<u8>()).prop_map(|(mut spec, (tools, messages, schema, texts, map), which)| {
        let parts = [
            ("tools", tools),
            ("messages", messages),
            ("outputSchema", json!({ "schema": schema })),
            ("metadata", texts),
            ("toolBudgets", map.clone()),
            ("plan", map.clone()),
            ("supervisor", map),
        ];
        for (bit, (field, value)) in parts.into_iter().enumerate() {
            if which & (1 << bit) != 0 {
                spec[field] = value;
            }
        }
        spec
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_spec_is_unchanged_after_its_form_was_sent(spec in any_spec()) {
        let draft = LaunchDraft::from_spec(spec.clone());
        let sent = after(&draft, &[]);
        prop_assert_eq!(&sent.spec, &spec);
        prop_assert!(sent.unfinished.texts.is_empty() && sent.unfinished.rows.is_empty());
        prop_assert_eq!(after(&LaunchDraft::from_spec(spec.clone()), &[("json", &spec.to_string())]).spec, spec);
    }
}
