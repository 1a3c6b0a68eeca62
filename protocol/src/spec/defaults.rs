//! Guards, budgets, reasoning and prompt of a spec, with the documented defaults filled in.

use std::collections::BTreeMap;

use serde_json::Value;

/// The number of equal batches in a row at which the loop guard acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopThresholds {
    /// The batch is skipped, and the model gets a nudge to change course.
    pub nudge_at: u64,
    /// Tools are turned off, and the model writes its last turn.
    pub give_up_at: u64,
}

pub(crate) const DEFAULT_LOOP_THRESHOLDS: LoopThresholds = LoopThresholds { nudge_at: 3, give_up_at: 6 };
const DEFAULT_MAX_TOOL_TURNS: u64 = 32;
pub(crate) const DEFAULT_LOCAL_TOOL_TIMEOUT_MS: u64 = 5 * 60 * 1000;

/// Budgets that apply when `toolBudgets` is omitted.
pub const DEFAULT_TOOL_BUDGETS: [(&str, u64); 12] = [
    ("recall", 4),
    ("traverse", 3),
    ("hive_consult_ontology", 4),
    ("hive_search_deals", 5),
    ("hive_search_meetings", 5),
    ("hive_search_companies", 5),
    ("hive_search_people", 5),
    ("hive_search_tickets", 5),
    ("hive_search_conversations", 5),
    ("hive_search_accounts", 5),
    ("hive_search_releases", 5),
    ("hive_search_issues", 5),
];

/// Returns the loop guard's thresholds, or `None` if the spec turns it off.
pub fn loop_thresholds(spec: &Value) -> Option<LoopThresholds> {
    let requested = &spec["loopDetection"];
    if requested == &Value::Bool(false) {
        return None;
    }
    let number = |name: &str, default| requested.get(name).and_then(Value::as_u64).unwrap_or(default);
    Some(LoopThresholds {
        nudge_at: number("consecutiveThreshold", DEFAULT_LOOP_THRESHOLDS.nudge_at),
        give_up_at: number("hardCutoffThreshold", DEFAULT_LOOP_THRESHOLDS.give_up_at),
    })
}

/// Returns the most calls allowed for each tool. `{}` clears the defaults; other entries replace single defaults.
pub fn tool_budgets(spec: &Value) -> BTreeMap<String, u64> {
    let requested = spec["toolBudgets"].as_object();
    let mut budgets = BTreeMap::new();
    if !requested.is_some_and(serde_json::Map::is_empty) {
        budgets.extend(DEFAULT_TOOL_BUDGETS.map(|(tool, max_calls)| (tool.to_owned(), max_calls)));
    }
    for (tool, entry) in requested.into_iter().flatten() {
        if let Some(max_calls) = entry["maxCalls"].as_u64() {
            budgets.insert(tool.clone(), max_calls);
        }
    }
    budgets
}

pub fn max_tool_turns(spec: &Value) -> u64 {
    spec["budgets"]["maxToolTurns"].as_u64().unwrap_or(DEFAULT_MAX_TOOL_TURNS)
}

/// Returns how long the caller has to answer a call of a local tool.
pub fn local_tool_timeout_ms(spec: &Value) -> u64 {
    spec["budgets"]["localToolTimeoutMs"].as_u64().unwrap_or(DEFAULT_LOCAL_TOOL_TIMEOUT_MS)
}

/// Returns the effort from 0 (off) to 100. A spec has a word or a number.
pub fn reasoning_level(spec: &Value) -> u64 {
    match &spec["reasoningLevel"] {
        Value::String(word) => match word.as_str() {
            "low" => 30,
            "medium" => 50,
            "high" => 80,
            _ => 0,
        },
        Value::Number(number) => number.as_u64().unwrap_or(0).min(100),
        _ => 0,
    }
}

/// Returns the text to answer: `prompt`, or the last user message.
pub fn prompt_text(spec: &Value) -> &str {
    spec["prompt"].as_str().unwrap_or_else(|| {
        let messages = spec["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let last_user = messages.iter().rev().find(|message| message["role"] == "user");
        last_user.and_then(|message| message["content"].as_str()).unwrap_or("")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_loop_guard_has_defaults_and_can_be_turned_off() {
        assert_eq!(loop_thresholds(&json!({})), Some(DEFAULT_LOOP_THRESHOLDS));
        assert_eq!(loop_thresholds(&json!({ "loopDetection": false })), None);
        let custom = loop_thresholds(&json!({ "loopDetection": { "consecutiveThreshold": 2 } }));
        assert_eq!(custom, Some(LoopThresholds { nudge_at: 2, give_up_at: 6 }));
    }

    #[test]
    fn budgets_replace_single_defaults_and_an_empty_object_clears_all() {
        assert_eq!(tool_budgets(&json!({}))["recall"], 4);
        assert!(tool_budgets(&json!({ "toolBudgets": {} })).is_empty());
        let budgets = tool_budgets(&json!({ "toolBudgets": { "recall": { "maxCalls": 9 }, "x": { "maxCalls": 0 } } }));
        assert_eq!((budgets["recall"], budgets["x"], budgets["traverse"]), (9, 0, 3));
    }

    #[test]
    fn the_prompt_is_the_last_user_message_when_there_is_no_prompt() {
        let spec = json!({ "messages": [{ "role": "user", "content": "a" }, { "role": "user", "content": "b" }] });
        assert_eq!(prompt_text(&spec), "b");
        assert_eq!(prompt_text(&json!({ "prompt": "p" })), "p");
    }
}
