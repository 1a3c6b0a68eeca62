//! Whether a value fits a schema.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use super::{MAX_DEPTH, MAX_VIOLATIONS, Violation, resolve};
use crate::document::items;
use crate::json::{canonical, preview};
use crate::pointer::{Pointer, Step};

/// Every place where `value` breaks a rule of `schema` that this module judges. Faults of the schema itself are for
/// [`compile_errors`](super::compile_errors): a keyword of the wrong shape has no effect here.
pub fn check(schema: &Value, value: &Value) -> Vec<Violation> {
    let mut judge =
        Judge { root: schema, path: Pointer::default(), depth: 0, steps_left: MAX_STEPS, broken: 0, found: Vec::new() };
    judge.value(schema, value);
    if judge.steps_left == 0 {
        let message = "cannot be judged: the schema is too intricate".to_owned();
        judge.found.push(Violation { path: String::new(), message });
    }
    judge.found
}

/// Schemas that refer to each other can multiply; this is enough for any that was written to be read.
const MAX_STEPS: usize = 1_000_000;

struct Judge<'a> {
    root: &'a Value,
    path: Pointer,
    depth: usize,
    steps_left: usize,
    /// All that was broken so far, also what is no longer or was never in `found`.
    broken: usize,
    found: Vec<Violation>,
}

impl<'a> Judge<'a> {
    fn break_rule(&mut self, message: impl Into<String>) {
        self.broken += 1;
        if self.found.len() < MAX_VIOLATIONS {
            self.found.push(Violation { path: self.path.as_str().to_owned(), message: message.into() });
        }
    }

    fn below(&mut self, step: impl Step, look: impl FnOnce(&mut Self)) {
        let before = self.path.enter(step);
        look(self);
        self.path.leave(before);
    }

    fn spend(&mut self, steps: usize) {
        self.steps_left = self.steps_left.saturating_sub(steps);
    }

    /// Tries a schema without holding its findings against the value.
    fn fits(&mut self, schema: &'a Value, value: &Value) -> bool {
        let (broken, found) = (self.broken, self.found.len());
        self.value(schema, value);
        let fits = self.broken == broken;
        self.broken = broken;
        self.found.truncate(found);
        fits
    }

    fn value(&mut self, schema: &'a Value, value: &Value) {
        if self.steps_left == 0 {
            return;
        }
        self.spend(1);
        match schema {
            Value::Bool(false) => self.break_rule("is not allowed here"),
            Value::Object(_) if self.depth >= MAX_DEPTH => self.break_rule("is nested too deeply to be judged"),
            Value::Object(keywords) => {
                self.depth += 1;
                self.itself(keywords, value);
                self.combinations(keywords, value);
                match value {
                    Value::Object(fields) => self.fields(keywords, fields, value),
                    Value::Array(list) => self.items(keywords, list),
                    Value::String(text) => {
                        self.range(keywords, "minLength", "maxLength", text.chars().count(), "characters");
                    }
                    Value::Number(number) => self.number(keywords, number),
                    Value::Null | Value::Bool(_) => {}
                }
                self.depth -= 1;
            }
            _ => {}
        }
    }

    fn itself(&mut self, keywords: &Map<String, Value>, value: &Value) {
        let types = type_names(keywords.get("type"));
        if !types.is_empty() && !types.iter().any(|name| has_type(value, name)) {
            self.break_rule(format!("must be {}", types.join(" or ")));
        }
        if let Some(choices) = keywords.get("enum").and_then(Value::as_array) {
            self.spend(choices.len());
            if !choices.iter().any(|choice| same(choice, value)) {
                let shown: Vec<_> = choices.iter().take(20).map(Value::to_string).collect();
                self.break_rule(format!("must be one of {}", preview(&shown.join(", "), 200)));
            }
        }
        if let Some(wanted) = keywords.get("const").filter(|wanted| !same(wanted, value)) {
            self.break_rule(format!("must be {wanted}"));
        }
    }

    fn combinations(&mut self, keywords: &'a Map<String, Value>, value: &Value) {
        let reference = keywords.get("$ref").and_then(Value::as_str);
        if let Some(target) = reference.and_then(|reference| resolve(self.root, reference)) {
            self.value(target, value);
        }
        for schema in items(keywords.get("allOf")) {
            self.value(schema, value);
        }
        let any_of = items(keywords.get("anyOf"));
        if !any_of.is_empty() && !any_of.iter().any(|schema| self.fits(schema, value)) {
            self.break_rule("fits none of the choices of anyOf");
        }
        let one_of = items(keywords.get("oneOf"));
        match one_of.iter().filter(|schema| self.fits(schema, value)).take(2).count() {
            0 if !one_of.is_empty() => self.break_rule("fits none of the choices of oneOf"),
            2 => self.break_rule("fits more than one of the choices of oneOf"),
            _ => {}
        }
        if let Some(schema) = keywords.get("not")
            && self.fits(schema, value)
        {
            self.break_rule("must not fit the schema under not");
        }
        if let Some(condition) = keywords.get("if") {
            let branch = if self.fits(condition, value) { "then" } else { "else" };
            if let Some(schema) = keywords.get(branch) {
                self.value(schema, value);
            }
        }
    }

    fn fields(&mut self, keywords: &'a Map<String, Value>, fields: &Map<String, Value>, value: &Value) {
        self.range(keywords, "minProperties", "maxProperties", fields.len(), "fields");
        self.required(keywords.get("required"), fields);
        let properties = keywords.get("properties").and_then(Value::as_object);
        // A name that no property has may match a pattern, which is not judged.
        let has_patterns =
            keywords.get("patternProperties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
        let additional = keywords.get("additionalProperties").filter(|_| !has_patterns);
        for (name, item) in fields {
            self.below(name.as_str(), |this| match (properties.and_then(|map| map.get(name)), additional) {
                (Some(schema), _) => this.value(schema, item),
                (None, Some(Value::Bool(false))) => this.break_rule("is not a known field"),
                (None, Some(schema)) => this.value(schema, item),
                (None, None) => {}
            });
            if let Some(schema) = keywords.get("propertyNames")
                && !self.fits(schema, &Value::from(name.as_str()))
            {
                self.below(name.as_str(), |this| this.break_rule("has a name that is not allowed"));
            }
        }
        for (name, required) in keywords.get("dependentRequired").and_then(Value::as_object).into_iter().flatten() {
            if fields.contains_key(name) {
                self.required(Some(required), fields);
            }
        }
        for (name, schema) in keywords.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten() {
            if fields.contains_key(name) {
                self.value(schema, value);
            }
        }
    }

    fn required(&mut self, names: Option<&Value>, fields: &Map<String, Value>) {
        self.spend(items(names).len());
        for name in items(names).iter().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                self.below(name, |this| this.break_rule("is required"));
            }
        }
    }

    fn items(&mut self, keywords: &'a Map<String, Value>, list: &[Value]) {
        self.range(keywords, "minItems", "maxItems", list.len(), "items");
        if keywords.get("uniqueItems") == Some(&Value::Bool(true)) {
            let texts: Vec<String> = list.iter().map(canonical).collect();
            let mut seen = BTreeSet::new();
            if let Some(i) = texts.iter().position(|text| !seen.insert(text.as_str())) {
                self.below(i, |this| this.break_rule("is in the list already"));
            }
        }
        let prefix_key = if keywords.get("items").is_some_and(Value::is_array) { "items" } else { "prefixItems" };
        let rest_key = if prefix_key == "items" { "additionalItems" } else { "items" };
        let prefix = items(keywords.get(prefix_key));
        for (i, item) in list.iter().enumerate() {
            if let Some(schema) = prefix.get(i).or(keywords.get(rest_key)) {
                self.below(i, |this| this.value(schema, item));
            }
        }
        if let Some(schema) = keywords.get("contains") {
            let count = list.iter().filter(|item| self.fits(schema, item)).count();
            let bound = |name: &str| keywords.get(name).and_then(Value::as_u64).map(|bound| bound as usize);
            if count < bound("minContains").unwrap_or(1) || bound("maxContains").is_some_and(|most| count > most) {
                self.break_rule(format!("has {count} items that fit the schema under contains"));
            }
        }
    }

    fn number(&mut self, keywords: &Map<String, Value>, number: &Number) {
        let found = number.as_f64().unwrap_or(0.0);
        self.bound(keywords, "minimum", "must be at least", "", |least| found >= least);
        self.bound(keywords, "maximum", "must be at most", "", |most| found <= most);
        self.bound(keywords, "exclusiveMinimum", "must be more than", "", |least| found > least);
        self.bound(keywords, "exclusiveMaximum", "must be less than", "", |most| found < most);
        self.bound(keywords, "multipleOf", "must be a multiple of", "", |step| {
            // Tenths and the like are not exact in binary: 0.3 is a multiple of 0.1.
            let times = found / step;
            step <= 0.0 || (times - times.round()).abs() <= 1e-9 * times.abs().max(1.0)
        });
    }

    fn range(&mut self, keywords: &Map<String, Value>, min: &str, max: &str, found: usize, unit: &str) {
        let found = found as f64;
        self.bound(keywords, min, "must have at least", unit, |least| found >= least);
        self.bound(keywords, max, "must have at most", unit, |most| found <= most);
    }

    /// A keyword whose value is a number, which is shown as the schema has it.
    fn bound(
        &mut self,
        keywords: &Map<String, Value>,
        keyword: &str,
        must: &str,
        unit: &str,
        holds: impl FnOnce(f64) -> bool,
    ) {
        if let Some(Value::Number(bound)) = keywords.get(keyword)
            && !bound.as_f64().is_none_or(holds)
        {
            let space = if unit.is_empty() { "" } else { " " };
            self.break_rule(format!("{must} {bound}{space}{unit}"));
        }
    }
}

fn type_names(json: Option<&Value>) -> Vec<&str> {
    match json {
        Some(Value::String(name)) => vec![name],
        names => items(names).iter().filter_map(Value::as_str).collect(),
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    }
}

/// Equal as JSON Schema sees it: `1` is `1.0`.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || (a.is_f64() != b.is_f64() && a.as_f64() == b.as_f64()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}
