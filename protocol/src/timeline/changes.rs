//! Finds the differences between two JSON values, for example the arguments of two calls.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ToolCall, Turn};
use crate::json_pointer::escape;

/// A difference between two values. `None` if a value has nothing at this place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// A JSON Pointer; empty for the whole value.
    pub pointer: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

/// A call of one batch and its partner in another, in the order of the first batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchChange {
    pub tool: String,
    /// The event of the call in each batch.
    pub before_seq: Option<u64>,
    pub after_seq: Option<u64>,
    /// Empty if the calls are equal, or if one is missing.
    pub changes: Vec<Change>,
}

/// Returns the differences between two values, in the order of the first. Lists are compared item by item.
pub fn changes(before: &Value, after: &Value) -> Vec<Change> {
    let mut found = Vec::new();
    compare(&mut String::new(), before, after, &mut found);
    found
}

/// Returns the differences between the calls of two turns. Equal calls are partners, whatever their order; of the
/// others, calls of the same tool are paired in order.
pub fn batch_changes(before: &Turn, after: &Turn) -> Vec<BatchChange> {
    let calls: Vec<&ToolCall> = before.calls().collect();
    let others: Vec<&ToolCall> = after.calls().collect();
    let mut partners = vec![None; calls.len()];
    let mut taken = vec![false; others.len()];
    pair_up(&calls, &others, &mut partners, &mut taken, |call| (&call.name, &call.input));
    pair_up(&calls, &others, &mut partners, &mut taken, |call| &call.name);
    let of_first = calls.iter().zip(&partners).map(|(call, partner)| {
        let other = partner.map(|place: usize| others[place]);
        BatchChange {
            tool: call.name.clone(),
            before_seq: Some(call.seq),
            after_seq: other.map(|other| other.seq),
            changes: other.map(|other| changes(&call.input, &other.input)).unwrap_or_default(),
        }
    });
    let added = others.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(call, _)| BatchChange {
        tool: call.name.clone(),
        before_seq: None,
        after_seq: Some(call.seq),
        changes: Vec::new(),
    });
    of_first.chain(added).collect()
}

/// Pairs every call without a partner with the first free one that has the same key.
fn pair_up<'a, K: Hash + Eq>(
    calls: &[&'a ToolCall],
    others: &[&'a ToolCall],
    partners: &mut [Option<usize>],
    taken: &mut [bool],
    key: impl Fn(&'a ToolCall) -> K,
) {
    let mut free: HashMap<K, VecDeque<usize>> = HashMap::new();
    for (place, other) in others.iter().enumerate().filter(|(place, _)| !taken[*place]) {
        free.entry(key(other)).or_default().push_back(place);
    }
    for (call, partner) in calls.iter().zip(partners).filter(|(_, partner)| partner.is_none()) {
        *partner = free.get_mut(&key(call)).and_then(VecDeque::pop_front);
        if let Some(place) = *partner {
            taken[place] = true;
        }
    }
}

fn compare(pointer: &mut String, before: &Value, after: &Value, found: &mut Vec<Change>) {
    let length = pointer.len();
    match (before, after) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, value) in one {
                push_key(pointer, key);
                visit(pointer, Some(value), other.get(key), found);
                pointer.truncate(length);
            }
            for (key, value) in other.iter().filter(|(key, _)| !one.contains_key(*key)) {
                push_key(pointer, key);
                visit(pointer, None, Some(value), found);
                pointer.truncate(length);
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            for place in 0..one.len().max(other.len()) {
                push_key(pointer, &place.to_string());
                visit(pointer, one.get(place), other.get(place), found);
                pointer.truncate(length);
            }
        }
        (one, other) if one == other => {}
        (one, other) => {
            found.push(Change { pointer: pointer.clone(), before: Some(one.clone()), after: Some(other.clone()) });
        }
    }
}

fn visit(pointer: &mut String, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<Change>) {
    match (before, after) {
        (Some(before), Some(after)) => compare(pointer, before, after, found),
        (before, after) => {
            found.push(Change { pointer: pointer.clone(), before: before.cloned(), after: after.cloned() });
        }
    }
}

fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    pointer.push_str(&escape(key));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::timeline::tests::sample;

    #[test]
    fn every_difference_has_its_pointer() {
        let before = json!({ "q": "a", "page": 1, "tags": ["x", "y"], "a/b": { "c": 1 } });
        let after = json!({ "page": 1, "q": "b", "tags": ["x"], "a/b": { "c": 1, "~": 2 } });
        let found: Vec<_> = changes(&before, &after).into_iter().map(|change| change.pointer).collect();
        assert_eq!(found, ["/q", "/tags/1", "/a~1b/~0"]);
        assert_eq!(changes(&before, &before), []);
        assert_eq!(changes(&json!(1), &json!(2))[0].pointer, "");
    }

    #[test]
    fn batches_are_compared_call_by_call_whatever_their_order() {
        let timeline = sample("repetition-shuffled");
        let same = batch_changes(&timeline.turns[0], &timeline.turns[1]);
        assert!(same.iter().all(|call| call.changes.is_empty() && call.after_seq.is_some()), "{same:?}");
        let timeline = sample("loop-nudged-other-arguments");
        let other = batch_changes(&timeline.turns[2], &timeline.turns[3]);
        assert_eq!(other[0].changes[0].pointer, "/query");
    }
}
