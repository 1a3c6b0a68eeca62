//! Loop detection and budgets.

use super::*;

#[test]
fn loop_detection_is_off_or_has_thresholds() {
    let thresholds = |nudge: Value, cutoff: Value| json!({ "loopDetection": { "consecutiveThreshold": nudge, "hardCutoffThreshold": cutoff } });
    assert_accepted([
        json!({ "loopDetection": null }),
        json!({ "loopDetection": false }),
        json!({ "loopDetection": {} }),
        json!({ "loopDetection": { "consecutiveThreshold": 5 } }),
        json!({ "loopDetection": { "hardCutoffThreshold": 4 } }),
        thresholds(json!(2), json!(3)),
        thresholds(json!(99), json!(100)),
    ]);
    assert_refused([
        (json!({ "loopDetection": true }), "type /loopDetection"),
        (thresholds(json!(1), json!(3)), "range /loopDetection/consecutiveThreshold"),
        (thresholds(json!(101), json!(100)), "range /loopDetection/consecutiveThreshold"),
        (thresholds(json!(2), json!(2)), "range /loopDetection/hardCutoffThreshold"),
        (thresholds(json!(2), json!(101)), "range /loopDetection/hardCutoffThreshold"),
        (thresholds(json!("3"), json!(6)), "range /loopDetection/consecutiveThreshold"),
        (thresholds(json!(5), json!(5)), "order /loopDetection/hardCutoffThreshold"),
        (json!({ "loopDetection": { "consecutiveThreshold": 6 } }), "order /loopDetection/hardCutoffThreshold"),
        (json!({ "loopDetection": { "hardCutoffThreshold": 3 } }), "order /loopDetection/hardCutoffThreshold"),
    ]);
}

#[test]
fn each_tool_may_have_a_budget() {
    assert_accepted([
        json!({ "toolBudgets": {} }),
        json!({ "toolBudgets": entries(32, json!({ "maxCalls": 1 })) }),
        json!({ "toolBudgets": { "recall": { "maxCalls": 0 } } }),
        json!({ "toolBudgets": { "recall": { "maxCalls": 1000 } } }),
        json!({ "toolBudgets": { "k".repeat(120): { "maxCalls": 1 } } }),
    ]);
    assert_refused([
        (json!({ "toolBudgets": [] }), "type /toolBudgets"),
        (json!({ "toolBudgets": entries(33, json!({ "maxCalls": 1 })) }), "too_many /toolBudgets"),
        (json!({ "toolBudgets": { "recall": { "maxCalls": 1001 } } }), "range /toolBudgets/recall/maxCalls"),
        (json!({ "toolBudgets": { "recall": { "maxCalls": -1 } } }), "range /toolBudgets/recall/maxCalls"),
        (json!({ "toolBudgets": { "recall": {} } }), "required /toolBudgets/recall/maxCalls"),
        (json!({ "toolBudgets": { "recall": 4 } }), "required /toolBudgets/recall/maxCalls"),
        (json!({ "toolBudgets": { "": { "maxCalls": 1 } } }), "pattern /toolBudgets/"),
        (
            json!({ "toolBudgets": { "k".repeat(121): { "maxCalls": 1 } } }),
            &format!("pattern /toolBudgets/{}", "k".repeat(121)),
        ),
    ]);
}

#[test]
fn a_run_has_budgets() {
    assert_accepted([
        json!({ "budgets": {} }),
        json!({ "budgets": { "maxToolTurns": 0, "maxToolTurnsExceeded": "finalize" } }),
        json!({ "budgets": { "maxToolTurns": 100 } }),
        json!({ "budgets": { "localToolTimeoutMs": 1 } }),
        json!({ "budgets": { "localToolTimeoutMs": 3_600_000 } }),
    ]);
    assert_refused([
        (json!({ "budgets": 7 }), "type /budgets"),
        (json!({ "budgets": { "maxToolTurns": 101 } }), "range /budgets/maxToolTurns"),
        (json!({ "budgets": { "maxToolTurns": -1 } }), "range /budgets/maxToolTurns"),
        (json!({ "budgets": { "localToolTimeoutMs": 0 } }), "range /budgets/localToolTimeoutMs"),
        (json!({ "budgets": { "localToolTimeoutMs": 3_600_001 } }), "range /budgets/localToolTimeoutMs"),
        (json!({ "budgets": { "maxToolTurnsExceeded": 1 } }), "type /budgets/maxToolTurnsExceeded"),
    ]);
}
