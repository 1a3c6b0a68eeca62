//! Rows of names and values for maps.

use std::collections::BTreeSet;

use protocol::fields::MapControl;
use protocol::json_pointer;
use serde_json::{Map, Value, json};

use super::LaunchDraft;
use super::control_text::{is_unchanged, text_at};

/// Maps with more entries have no rows: they are edited as JSON.
pub const MAX_ROWS: usize = 300;

/// Returns the rows of a map.
pub fn rows_at(draft: &LaunchDraft, pointer: &str, map: &MapControl) -> Vec<(String, String)> {
    if let Some(rows) = draft.unfinished.rows.get(pointer) {
        return rows.clone();
    }
    let entries = draft.spec.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
    entries.map(|(key, value)| (key.clone(), text_at(value, map.inner))).collect()
}

/// Writes changed rows into the spec. Parts of an entry that its row doesn't show are preserved.
pub fn write_rows(draft: &mut LaunchDraft, pointer: &str, map: &MapControl, mut rows: Vec<(String, String)>) {
    let before = rows_at(draft, pointer, map);
    for (i, (key, value)) in rows.iter_mut().enumerate() {
        let was = before.get(i).cloned().unwrap_or_default();
        keep_unchanged(key, was.0);
        keep_unchanged(value, was.1);
    }
    let blank = |(key, value): &(String, String)| key.is_empty() && value.is_empty();
    // The map itself may have a blank entry.
    if rows.starts_with(&before) && rows[before.len()..].iter().all(blank) {
        return;
    }
    rows.retain(|row| !blank(row));
    let old = draft.spec.pointer(pointer).cloned().unwrap_or_default();
    let keys: BTreeSet<&String> = rows.iter().map(|(key, _)| key).collect();
    let mut entries = Map::new();
    for (i, (key, value)) in rows.iter().enumerate().filter(|(_, (key, _))| !key.is_empty()) {
        // A renamed row keeps its entry.
        let was = before.get(i).filter(|(was, _)| !keys.contains(was));
        let was = was.and_then(|(was, _)| old.get(was));
        let mut entry =
            old.get(key).or(was).cloned().unwrap_or_else(|| if map.inner.is_empty() { "".into() } else { json!({}) });
        if text_at(&entry, map.inner) != *value {
            match map.inner {
                "" => entry = value.as_str().into(),
                inside => json_pointer::set(&mut entry, inside, parse_number(value)),
            }
        }
        entries.entry(key.clone()).or_insert(entry);
    }
    if keys.len() == rows.len() && rows.iter().all(|(key, _)| !key.is_empty()) {
        draft.unfinished.rows.remove(pointer);
    } else {
        draft.unfinished.rows.insert(pointer.to_owned(), rows);
    }
    if entries.is_empty() && !map.keeps_empty {
        json_pointer::remove(&mut draft.spec, pointer);
    } else {
        json_pointer::set(&mut draft.spec, pointer, entries.into());
    }
}

/// Keeps the exact text of an unchanged name or value, and trims a changed one.
pub(super) fn keep_unchanged(sent: &mut String, given: String) {
    *sent = if is_unchanged(sent, &given) { given } else { sent.trim().to_owned() };
}

/// Parses a number. Anything else stays text, which validation reports.
pub fn parse_number(text: &str) -> Value {
    let text = text.trim();
    match (text.parse::<u64>(), text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(n), _, _) => n.into(),
        (_, Ok(n), _) => n.into(),
        (_, _, Ok(n)) => serde_json::Number::from_f64(n).map_or_else(|| text.into(), Value::Number),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use protocol::fields::Suggestions;

    use super::*;

    const TEXTS: MapControl = MapControl {
        key_label: "",
        value_label: "",
        secret: false,
        inner: "",
        keeps_empty: false,
        suggestions: Suggestions::None,
    };
    const CALLS: MapControl = MapControl { inner: "/maxCalls", keeps_empty: true, ..TEXTS };

    fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
        rows.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn valid_rows_become_the_map_and_invalid_rows_are_kept() {
        let mut draft = LaunchDraft::from_spec(json!({ "metadata": { "env": "test", "n": 3 } }));
        assert_eq!(rows_at(&draft, "/metadata", &TEXTS), pairs(&[("env", "test"), ("n", "3")]));
        write_rows(&mut draft, "/metadata", &TEXTS, pairs(&[("env", "prod"), ("n", "3"), ("", "")]));
        assert_eq!(draft.spec, json!({ "metadata": { "env": "prod", "n": 3 } }));
        write_rows(&mut draft, "/metadata", &TEXTS, pairs(&[("env", "prod"), ("env", "twice"), ("", "nameless")]));
        assert_eq!(draft.spec, json!({ "metadata": { "env": "prod" } }));
        assert_eq!(rows_at(&draft, "/metadata", &TEXTS), pairs(&[("env", "prod"), ("env", "twice"), ("", "nameless")]));
        write_rows(&mut draft, "/metadata", &TEXTS, pairs(&[("", ""), ("", "")]));
        assert_eq!((&draft.spec, draft.unfinished.rows.len()), (&json!({}), 0));
    }

    #[test]
    fn a_renamed_budget_keeps_fields_without_a_control() {
        let mut draft = LaunchDraft::from_spec(json!({ "toolBudgets": { "a": { "maxCalls": 1, "later": true } } }));
        write_rows(&mut draft, "/toolBudgets", &CALLS, pairs(&[("b", "2"), ("c", "many")]));
        let expected = json!({ "toolBudgets": { "b": { "maxCalls": 2, "later": true }, "c": { "maxCalls": "many" } } });
        assert_eq!(draft.spec, expected);
        write_rows(&mut draft, "/toolBudgets", &CALLS, Vec::new());
        assert_eq!(draft.spec, json!({ "toolBudgets": {} }));
    }
}
