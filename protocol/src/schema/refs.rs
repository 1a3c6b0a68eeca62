//! References inside a schema.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::json::items;

/// Returns the schema that a `$ref` of `root` names. Only `#`, and `#` with a JSON Pointer, are supported.
pub(crate) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    match pointer.contains('%') {
        true => root.pointer(&percent_decoded(pointer)?),
        false => root.pointer(pointer),
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, tail) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

/// Finds schemas that apply to a value only by applying themselves to the same value first.
#[derive(Default)]
pub(super) struct Cycles {
    /// Schemas seen, by address; `true` while the walk is still below one.
    seen: BTreeMap<*const Value, bool>,
}

impl Cycles {
    /// Returns whether `start` leads into a cycle that was not found before. All calls together visit each schema once.
    pub fn leads_into_one(&mut self, root: &Value, start: &Value) -> bool {
        let mut found = false;
        let mut below = vec![(start, false)];
        while let Some((schema, done)) = below.pop() {
            let key = std::ptr::from_ref(schema);
            if done {
                self.seen.insert(key, false);
                continue;
            }
            match self.seen.get(&key) {
                Some(true) => found = true,
                Some(false) => {}
                None => {
                    self.seen.insert(key, true);
                    below.push((schema, true));
                    below.extend(applied_to_the_same_value(root, schema).map(|schema| (schema, false)));
                }
            }
        }
        found
    }
}

/// Returns the schemas that apply to a value because `schema` does.
pub(super) fn applied_to_the_same_value<'a>(root: &'a Value, schema: &'a Value) -> impl Iterator<Item = &'a Value> {
    let reference = schema.get("$ref").and_then(Value::as_str).and_then(|reference| resolve(root, reference));
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|key| items(schema.get(key)));
    let single = ["not", "if", "then", "else"].into_iter().filter_map(|key| schema.get(key));
    let dependent = ["dependentSchemas", "dependencies"].into_iter().filter_map(|key| schema.get(key)?.as_object());
    let dependent = dependent.flat_map(|map| map.values());
    reference.into_iter().chain(lists).chain(single).chain(dependent)
}
