//! What a schema still wanted when the text stopped.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Content, Label, PartialJson, pointer};
use crate::document::items;
use crate::schema::resolve;

/// Nobody reads more than these, and each costs as much as it is deep.
const MAX_MISSING: usize = 100;

/// Schemas that apply at one place are bounded, since they may refer to each other.
const MAX_APPLIED: usize = 100;

impl PartialJson {
    /// The JSON Pointers of required fields that open objects do not have, from the outside in. Closed objects are whole,
    /// whatever they lack. Choices (`anyOf`, `oneOf`, `if`) are not followed: a part does not tell which one was meant.
    pub fn missing_fields(&self, schema: &Value) -> Vec<String> {
        let present = self.fields_of_open_objects();
        let mut missing = Vec::new();
        let mut applied = with_references(schema, vec![schema]);
        let mut labels: Vec<&Label> = Vec::new();
        for (i, &container) in self.open.iter().enumerate() {
            let Some(node) = self.nodes.get(container) else { break };
            if i > 0 {
                applied = with_references(schema, below(&applied, &node.label));
            }
            labels.push(&node.label);
            if node.content == Content::Object {
                let names = required(&applied);
                let absent = names.into_iter().filter(|name| !present.contains(&(container, *name)));
                for name in absent.take(MAX_MISSING - missing.len()) {
                    let field = Label::Field(name.to_owned());
                    missing.push(pointer(labels.iter().copied().chain([&field])));
                }
            }
            if missing.len() == MAX_MISSING {
                break;
            }
        }
        missing
    }

    fn fields_of_open_objects(&self) -> BTreeSet<(usize, &str)> {
        let read = self.nodes.iter().filter_map(|node| match (&node.label, node.parent) {
            (Label::Field(name), Some(parent)) if !self.nodes[parent].is_closed => Some((parent, name.as_str())),
            _ => None,
        });
        let begun = self.begun_field.iter().filter(|field| field.is_closed);
        let begun = begun.filter_map(|field| Some((*self.open.last()?, field.name.as_str())));
        read.chain(begun).collect()
    }
}

/// The schemas themselves, what they refer to, and the parts that all apply at once.
fn with_references<'a>(root: &'a Value, mut applied: Vec<&'a Value>) -> Vec<&'a Value> {
    let mut next = 0;
    while next < applied.len() && applied.len() < MAX_APPLIED {
        let schema = applied[next];
        let reference = schema.get("$ref").and_then(Value::as_str);
        applied.extend(reference.and_then(|reference| resolve(root, reference)));
        applied.extend(items(schema.get("allOf")));
        next += 1;
    }
    applied
}

fn below<'a>(applied: &[&'a Value], label: &Label) -> Vec<&'a Value> {
    let step = |schema: &&'a Value| match label {
        Label::Root => None,
        Label::Field(name) => {
            let property = schema.get("properties").and_then(|properties| properties.get(name));
            property.or(schema.get("additionalProperties"))
        }
        Label::Item(i) => schema.get("prefixItems").and_then(|prefix| prefix.get(*i)).or(schema.get("items")),
    };
    applied.iter().filter_map(step).collect()
}

/// The names that are required, each once, in the order of the schema.
fn required<'a>(applied: &[&'a Value]) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let names = applied.iter().flat_map(|schema| items(schema.get("required"))).filter_map(Value::as_str);
    names.filter(|name| seen.insert(*name)).collect()
}
