//! The supervisor.

use super::*;

#[test]
fn a_supervisor_is_on_or_off_or_has_settings() {
    let trigger = |trigger: Value| json!({ "supervisor": { "reasoningTrigger": trigger } });
    assert_accepted([
        json!({ "supervisor": true }),
        json!({ "supervisor": false }),
        json!({ "supervisor": {} }),
        json!({ "supervisor": { "interval": 1, "modelId": "m" } }),
        json!({ "supervisor": { "interval": 100 } }),
        trigger(json!(false)),
        trigger(json!({})),
        trigger(json!({ "chars": 1, "ms": 1 })),
        trigger(json!({ "chars": 50_000, "ms": 600_000 })),
    ]);
    assert_refused([
        (json!({ "supervisor": "yes" }), "type /supervisor"),
        (json!({ "supervisor": { "interval": 0 } }), "range /supervisor/interval"),
        (json!({ "supervisor": { "interval": 101 } }), "range /supervisor/interval"),
        (json!({ "supervisor": { "modelId": 1 } }), "type /supervisor/modelId"),
        (trigger(json!(true)), "type /supervisor/reasoningTrigger"),
        (trigger(json!({ "chars": 50_001 })), "range /supervisor/reasoningTrigger/chars"),
        (trigger(json!({ "chars": 0 })), "range /supervisor/reasoningTrigger/chars"),
        (trigger(json!({ "ms": 600_001 })), "range /supervisor/reasoningTrigger/ms"),
        (trigger(json!({ "ms": 0 })), "range /supervisor/reasoningTrigger/ms"),
    ]);
}
