//! Finds the required fields that a truncated document lacks.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Content, Label, PartialJson, pointer};
use crate::json::items;
use crate::schema::resolve;

/// More are not reported.
const MAX_MISSING: usize = 100;

/// The most schemas for one place: schemas may refer to each other.
const MAX_APPLIED: usize = 100;

impl PartialJson {
    /// Returns the JSON Pointers of required fields that open objects lack, outermost first. Closed objects count as
    /// complete. Choices (`anyOf`, `oneOf`, `if`) are not followed: half a document does not show which one applies.
    pub fn missing_fields(&self, schema: &Value) -> Vec<String> {
        let present = self.fields_of_open_containers();
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
                for name in absent(&applied, &present[i]).into_iter().take(MAX_MISSING - missing.len()) {
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

    /// Returns the names of the fields of each open container, outermost first.
    fn fields_of_open_containers(&self) -> Vec<Vec<&str>> {
        let mut fields = vec![Vec::new(); self.open.len()];
        for node in &self.nodes {
            if let (Label::Field(name), Some(parent)) = (&node.label, node.parent)
                && let outer = self.nodes[parent].depth
                && self.open.get(outer) == Some(&parent)
            {
                fields[outer].push(name.as_str());
            }
        }
        if let (Some(field), Some(innermost)) = (&self.begun_field, fields.last_mut())
            && field.is_closed
        {
            innermost.push(&field.name);
        }
        fields
    }
}

/// Adds the schemas that these refer to, and those under `allOf`.
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

/// Returns the names that are required and not present, each once, in the order of the schema.
fn absent<'a>(applied: &[&'a Value], present: &[&str]) -> Vec<&'a str> {
    let mut seen: BTreeSet<&str> = present.iter().copied().collect();
    let names = applied.iter().flat_map(|schema| items(schema.get("required"))).filter_map(Value::as_str);
    names.filter(|name| seen.insert(name)).collect()
}
