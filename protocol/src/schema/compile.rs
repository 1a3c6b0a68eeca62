//! Finds mistakes in a schema.
//!
//! The reader is draft 2020-12, and also accepts `definitions` and a list under `items`, as older drafts write them.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::refs::{Cycles, resolve};
use super::{MAX_VIOLATIONS, Violation};
use crate::json_pointer::{Path, Step};

/// Schemas deeper than this are not followed.
const MAX_DEPTH: usize = 100;

/// Returns everything in `schema` that a validator could not use. Takes time in proportion to the size of the schema.
pub fn compile_errors(schema: &Value) -> Vec<Violation> {
    let mut compile =
        Compile { root: schema, path: Path::default(), depth: 0, cycles: Cycles::default(), found: Vec::new() };
    compile.schema(schema);
    compile.found
}

struct Compile<'a> {
    root: &'a Value,
    path: Path,
    depth: usize,
    cycles: Cycles,
    found: Vec<Violation>,
}

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

const RANGES: [(&str, &str); 5] = [
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
    ("minimum", "maximum"),
];

impl<'a> Compile<'a> {
    fn fault(&mut self, message: &str) {
        if self.found.len() < MAX_VIOLATIONS {
            self.found.push(Violation { path: self.path.as_str().to_owned(), message: message.to_owned() });
        }
    }

    fn below(&mut self, step: impl Step, look: impl FnOnce(&mut Self)) {
        let before = self.path.enter(step);
        look(self);
        self.path.leave(before);
    }

    fn schema(&mut self, schema: &'a Value) {
        match schema {
            Value::Bool(_) => {}
            Value::Object(_) if self.depth >= MAX_DEPTH => {
                self.fault("This schema is nested too deeply. Move parts of it to $defs.");
            }
            Value::Object(keywords) => {
                self.depth += 1;
                for (keyword, value) in keywords {
                    self.below(keyword.as_str(), |this| this.keyword(keyword, value, schema));
                }
                self.ranges(keywords);
                self.depth -= 1;
            }
            _ => self.fault("A schema is a JSON object, or true or false."),
        }
    }

    fn keyword(&mut self, keyword: &str, value: &'a Value, schema: &'a Value) {
        match keyword {
            "type" => self.types(value),
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => self.schemas(value),
            "items" if value.is_array() => self.list_of_schemas(value),
            "items"
            | "additionalItems"
            | "additionalProperties"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "propertyNames"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else" => self.schema(value),
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => self.list_of_schemas(value),
            "required" => self.names(value),
            "dependentRequired" => match value.as_object() {
                Some(lists) => {
                    for (name, list) in lists {
                        self.below(name.as_str(), |this| this.names(list));
                    }
                }
                None => self.fault("This is a JSON object with a list of field names for each field."),
            },
            "enum" if value.as_array().is_none_or(Vec::is_empty) => {
                self.fault("An enum is a list of at least one value.");
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" | "minContains"
            | "maxContains"
                if !is_count(value) =>
            {
                self.fault("Use a whole number, 0 or more.");
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" if !value.is_number() => {
                self.fault("Use a number.");
            }
            "multipleOf" if !value.as_f64().is_some_and(|step| step > 0.0) => {
                self.fault("Use a number above 0.");
            }
            "uniqueItems" if !value.is_boolean() => self.fault("Use true or false."),
            "pattern" | "format" | "title" | "description" | "$id" | "$schema" | "$comment" if !value.is_string() => {
                self.fault("Use a text.");
            }
            "$ref" => self.reference(value, schema),
            _ => {}
        }
    }

    fn types(&mut self, value: &Value) {
        let known = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
        let ok = match value {
            Value::Array(names) => {
                let distinct: BTreeSet<_> = names.iter().filter_map(Value::as_str).collect();
                !names.is_empty() && names.iter().all(known) && distinct.len() == names.len()
            }
            name => known(name),
        };
        if !ok {
            self.fault(
                "A type is object, array, string, number, integer, boolean or null, or a list of some of these.",
            );
        }
    }

    fn schemas(&mut self, value: &'a Value) {
        match value.as_object() {
            Some(schemas) => {
                for (name, schema) in schemas {
                    self.below(name.as_str(), |this| this.schema(schema));
                }
            }
            None => self.fault("This is a JSON object with a schema for each name."),
        }
    }

    fn list_of_schemas(&mut self, value: &'a Value) {
        match value.as_array().filter(|schemas| !schemas.is_empty()) {
            Some(schemas) => {
                for (i, schema) in schemas.iter().enumerate() {
                    self.below(i, |this| this.schema(schema));
                }
            }
            None => self.fault("This is a list of at least one schema."),
        }
    }

    fn names(&mut self, value: &Value) {
        let names = value.as_array().map(Vec::as_slice);
        let texts: Option<BTreeSet<&str>> = names.and_then(|names| names.iter().map(Value::as_str).collect());
        if texts.is_none_or(|texts| Some(texts.len()) != names.map(<[Value]>::len)) {
            self.fault("This is a list of field names, each of them once.");
        }
    }

    fn reference(&mut self, value: &Value, schema: &'a Value) {
        match value.as_str() {
            None => self.fault("A reference is a text such as #/$defs/address."),
            Some(reference) if !(reference == "#" || reference.starts_with("#/")) => {
                self.fault("Only references to a place in this schema are followed, such as #/$defs/address.");
            }
            Some(reference) => match resolve(self.root, reference) {
                None => self.fault("There is nothing at this place in the schema."),
                Some(_) if self.cycles.leads_into_one(self.root, schema) => {
                    self.fault("This reference points back to itself.");
                }
                Some(_) => {}
            },
        }
    }

    fn ranges(&mut self, keywords: &Map<String, Value>) {
        for (min, max) in RANGES {
            let bound = |name: &str| keywords.get(name).and_then(Value::as_f64);
            if let (Some(least), Some(most)) = (bound(min), bound(max))
                && least > most
            {
                self.below(max, |this| this.fault(&format!("No value can fit: {max} is less than {min}.")));
            }
        }
    }
}

fn is_count(value: &Value) -> bool {
    value.is_u64() || value.as_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
}
