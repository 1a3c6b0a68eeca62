//! Moves known fields out of a JSON object, and back.
//!
//! A field is taken only if it has exactly the shape that its control writes. All else stays in the object, so nothing is
//! lost.

use serde_json::{Map, Value};

pub type Object = Map<String, Value>;

pub fn take_if<T>(object: &mut Object, key: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
    let taken = object.get(key).and_then(read)?;
    object.shift_remove(key);
    Some(taken)
}

pub fn take_text(object: &mut Object, key: &str) -> Option<String> {
    take_if(object, key, |value| value.as_str().map(str::to_owned))
}

pub fn take_count(object: &mut Object, key: &str) -> Option<u64> {
    take_if(object, key, Value::as_u64)
}

pub fn take_flag(object: &mut Object, key: &str) -> Option<bool> {
    take_if(object, key, Value::as_bool)
}

/// Takes any value except `null`.
pub fn take_json(object: &mut Object, key: &str) -> Option<Value> {
    take_if(object, key, |value| (!value.is_null()).then(|| value.clone()))
}

/// Takes a list if `read` accepts every item.
pub fn take_list<T>(object: &mut Object, key: &str, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    take_if(object, key, |value| value.as_array()?.iter().map(&read).collect())
}

/// Takes an object if every value is a text.
pub fn take_texts_by_name(object: &mut Object, key: &str) -> Option<Vec<(String, String)>> {
    take_if(object, key, |value| {
        value.as_object()?.iter().map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
    })
}

pub fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

pub fn put(object: &mut Object, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object.insert(key.to_owned(), value.into());
    }
}

pub fn put_texts_by_name(object: &mut Object, key: &str, entries: Option<&[(String, String)]>) {
    let entries = entries.map(|entries| {
        entries.iter().map(|(name, text)| (name.clone(), Value::from(text.as_str()))).collect::<Object>()
    });
    put(object, key, entries);
}

/// Adds the other fields without replacing any.
pub fn put_other(object: &mut Object, other: &Object) {
    for (key, value) in other {
        if !object.contains_key(key) {
            object.insert(key.clone(), value.clone());
        }
    }
}
