//! Taking known fields out of a JSON object, and putting them back.
//!
//! A field is taken only where it has exactly the shape that its control writes. Anything else stays in the object, and
//! so in what is kept: that is why nothing is ever lost.

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

/// Any value but `null`, which stays where it is.
pub fn take_json(object: &mut Object, key: &str) -> Option<Value> {
    take_if(object, key, |value| (!value.is_null()).then(|| value.clone()))
}

/// A list, if `read` can read every item.
pub fn take_list<T>(object: &mut Object, key: &str, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    take_if(object, key, |value| value.as_array()?.iter().map(&read).collect())
}

/// Names and texts, if every value is one.
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

/// What was kept goes back where no control has written.
pub fn put_kept(object: &mut Object, kept: &Object) {
    for (key, value) in kept {
        if !object.contains_key(key) {
            object.insert(key.clone(), value.clone());
        }
    }
}
