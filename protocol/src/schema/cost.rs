//! An upper bound for the work of validating a value, found before the work is done.
//!
//! Schemas come from clients and from imported files. Sixty definitions that each refer twice to the next one are small,
//! but validating with them would never finish, and `jsonschema` has no limit of its own.

use serde_json::Value;

use super::refs::{applied_to_the_same_value, resolve};
use crate::json::items;

/// Schemas applied to values, each pair counted once. Large answers need some hundred thousand.
const MAX_STEPS: usize = 1_000_000;
/// Schemas and values nested in each other: validation recurses as deep.
const MAX_DEPTH: usize = 300;

/// Returns why `value` is not validated against `schema`, if it should not be.
pub(super) fn reason_to_refuse(schema: &Value, value: &Value) -> Option<&'static str> {
    Walk { root: schema, steps_left: MAX_STEPS }.visit(schema, value, 0).err()
}

/// Applies every schema to every value that it may be applied to, without validating.
struct Walk<'a> {
    root: &'a Value,
    steps_left: usize,
}

impl Walk<'_> {
    fn visit(&mut self, schema: &Value, value: &Value, depth: usize) -> Result<(), &'static str> {
        let Value::Object(keywords) = schema else { return Ok(()) };
        self.spend(1 + items(keywords.get("enum")).len())?;
        if depth > MAX_DEPTH {
            return Err("the schema or the value is nested too deeply");
        }
        self.refuse_references(schema, depth)?;
        // These two keywords have their neighbours applied once more.
        let passes = if has_any(schema, &["unevaluatedProperties", "unevaluatedItems"]) { 2 } else { 1 };
        for _ in 0..passes {
            for below in applied_to_the_same_value(self.root, schema) {
                self.visit(below, value, depth + 1)?;
            }
        }
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    let of_name = keywords.get("properties").and_then(|properties| properties.get(name));
                    let patterns = keywords.get("patternProperties").and_then(Value::as_object);
                    let others = ["additionalProperties", "unevaluatedProperties"].map(|keyword| keywords.get(keyword));
                    let schemas = of_name.into_iter().chain(patterns.into_iter().flat_map(|map| map.values()));
                    for below in schemas.chain(others.into_iter().flatten()) {
                        self.visit(below, field, depth + 1)?;
                    }
                    if let Some(below) = keywords.get("propertyNames") {
                        self.visit(below, &Value::Null, depth + 1)?;
                    }
                }
            }
            Value::Array(list) => {
                for (i, item) in list.iter().enumerate() {
                    let of_place = ["prefixItems", "items"].map(|keyword| items(keywords.get(keyword)).get(i));
                    let others = ["items", "additionalItems", "unevaluatedItems", "contains"];
                    let others = others.map(|keyword| keywords.get(keyword));
                    for below in of_place.into_iter().chain(others).flatten() {
                        self.visit(below, item, depth + 1)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn spend(&mut self, steps: usize) -> Result<(), &'static str> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or("the schema is too complex")?;
        Ok(())
    }

    /// Only references that this walk can follow are allowed.
    fn refuse_references(&self, schema: &Value, depth: usize) -> Result<(), &'static str> {
        let is_elsewhere = |reference: &Value| resolve(self.root, reference.as_str().unwrap_or("#")).is_none();
        let names_itself = depth > 0 && ["$id", "id"].iter().any(|keyword| schema[*keyword].is_string());
        if schema.get("$ref").is_some_and(is_elsewhere) {
            Err("the schema refers to a place that is not in it")
        } else if names_itself || has_any(schema, &["$dynamicRef", "$recursiveRef"]) {
            Err("only references to a place in the schema, such as #/$defs/address, are supported")
        } else {
            Ok(())
        }
    }
}

fn has_any(schema: &Value, keywords: &[&str]) -> bool {
    keywords.iter().any(|keyword| schema.get(keyword).is_some())
}
