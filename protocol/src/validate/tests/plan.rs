//! The plan.

use super::*;

#[test]
fn a_plan_is_a_switch_a_word_or_settings() {
    assert_accepted([
        json!({ "plan": true }),
        json!({ "plan": false }),
        json!({ "plan": "off" }),
        json!({ "plan": "auto" }),
        json!({ "plan": "required" }),
        json!({ "plan": {} }),
        json!({ "plan": { "mode": "required", "brief": "b", "steps": ["a"], "planOnly": true } }),
        json!({ "plan": { "steps": [] } }),
    ]);
    assert_refused([
        (json!({ "plan": 1 }), "type /plan"),
        (json!({ "plan": "maybe" }), "choice /plan"),
        (json!({ "plan": { "mode": "maybe" } }), "choice /plan/mode"),
        (json!({ "plan": { "mode": true } }), "choice /plan/mode"),
        (json!({ "plan": { "brief": 1 } }), "type /plan/brief"),
        (json!({ "plan": { "planOnly": "yes" } }), "type /plan/planOnly"),
        (json!({ "plan": { "steps": "a" } }), "type /plan/steps"),
        (json!({ "plan": { "steps": ["a", 1] } }), "required /plan/steps/1"),
        (json!({ "plan": { "steps": [" "] } }), "required /plan/steps/0"),
    ]);
}
