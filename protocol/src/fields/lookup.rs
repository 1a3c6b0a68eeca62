//! Finds the field of a pointer.

use serde_json::{Map, Value};

use super::{Control, Field, FieldTable, Format, Section, Shapes, Shown, TOOL_KINDS};

impl FieldTable {
    pub fn all(self) -> impl Iterator<Item = &'static Field> {
        self.0.iter().copied().flatten()
    }

    /// Returns the fields of a section, without the parts of messages and tools.
    pub fn in_section(self, section: Section) -> impl Iterator<Item = &'static Field> {
        self.all().filter(move |field| field.section == section && !field.pointer.contains('*'))
    }

    /// Returns the fields of the objects at a pattern, such as `/tools/*`.
    pub fn fields_of(self, pattern: &str) -> impl Iterator<Item = &'static Field> {
        self.all().filter(move |field| field.pointer.rsplit_once('/').is_some_and(|(parent, _)| parent == pattern))
    }

    /// Returns the format of the control that sends a single value for a pointer.
    pub fn format(self, spec: &Value, pointer: &str) -> Option<Format> {
        self.find(spec, pointer, |field| field.control.format())
    }

    pub fn shapes(self, spec: &Value, pointer: &str) -> Option<&'static Shapes> {
        self.find(spec, pointer, |field| if let Control::Shapes(shapes) = field.control { Some(shapes) } else { None })
    }

    /// Returns what `pick` returns for the first field of a pointer that the form shows and that it doesn't skip.
    pub fn find<T>(self, spec: &Value, pointer: &str, pick: impl Fn(&'static Field) -> Option<T>) -> Option<T> {
        let shown = self.all().filter(|field| {
            matches_pattern(field.pointer, pointer)
                && self.is_shown(field, spec, pointer)
                && items_exist(field.pointer, pointer, spec)
        });
        shown.into_iter().find_map(pick)
    }

    /// Returns whether the form shows a field at a pointer that matches its own.
    pub fn is_shown(self, field: &Field, spec: &Value, pointer: &str) -> bool {
        match field.shown {
            Shown::Always => {
                let parent = |pointer: &str| pointer.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
                let has_shapes = |other: &Field| matches!(other.control, Control::Shapes(_));
                !self.all().any(|other| other.pointer == parent(field.pointer) && has_shapes(other))
                    || spec.pointer(&parent(pointer)).is_some_and(Value::is_object)
            }
            Shown::When(is_shown) => is_shown(spec),
            Shown::Kinds(_) | Shown::UnknownKind => {
                let tool = pointer.split('/').nth(2).and_then(|i| spec["tools"].get(i.parse::<usize>().ok()?));
                field.is_of_kind(tool.and_then(|tool| tool["kind"].as_str()))
            }
        }
    }

    /// Describes a pointer in words: `/tools/2/url` → `Tool 3, address`, `/metadata#1` → `Metadata, row 2`.
    /// The labels are those that the form of this spec shows.
    pub fn describe(self, spec: &Value, pointer: &str) -> String {
        let (pointer, row) = match pointer.split_once('#') {
            Some((pointer, row)) => (pointer, row.split('.').next().and_then(|row| row.parse::<usize>().ok())),
            None => (pointer, None),
        };
        let steps: Vec<&str> = pointer.split('/').skip(1).collect();
        match steps.as_slice() {
            [] | [""] => return "Spec".to_owned(),
            ["json", ..] => return "JSON".to_owned(),
            ["session", "tools", ..] => return "Tools of the session".to_owned(),
            ["answers", tool, ..] => return format!("Responder of {tool}"),
            _ => {}
        }
        // The labels on the way, then the steps that have none.
        let (mut parts, mut rest) = (Vec::new(), steps.as_slice());
        for (i, step) in steps.iter().enumerate() {
            let pointer = format!("/{}", steps[..=i].join("/"));
            let is_labelled = |field: &&Field| matches_pattern(field.pointer, &pointer) && !field.label.is_empty();
            let shown = self.find(spec, &pointer, |field| (!field.label.is_empty()).then_some(field));
            let Some(field) = shown.or_else(|| self.all().find(is_labelled)) else { break };
            if field.name() == "*" {
                // The number of an item says enough without its list.
                let Ok(index) = step.parse::<usize>() else { break };
                parts.pop();
                parts.push(format!("{} {}", field.label, index + 1));
            } else {
                parts.push(field.label.to_owned());
            }
            rest = &steps[i + 1..];
        }
        parts.iter_mut().skip(1).for_each(|part| *part = with_first(part, char::to_lowercase));
        let is_file = parts.last().is_some_and(|part| part.starts_with("file "));
        parts.extend((!rest.is_empty() && !is_file).then(|| rest.join(" ")));
        parts.extend(row.map(|row| format!("row {}", row + 1)));
        with_first(&parts.join(", "), char::to_uppercase)
    }

    /// Returns the spec with its fields in the order of the table.
    pub fn in_order(self, spec: &Value) -> Value {
        self.ordered("", spec)
    }

    fn ordered(self, pattern: &str, value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut ordered = Map::new();
                let known = self.fields_of(pattern).map(Field::name).filter_map(|name| Some((name, fields.get(name)?)));
                let all = known.chain(fields.iter().map(|(name, value)| (name.as_str(), value)));
                for (name, value) in all {
                    if !ordered.contains_key(name) {
                        ordered.insert(name.to_owned(), self.ordered(&format!("{pattern}/{name}"), value));
                    }
                }
                ordered.into()
            }
            Value::Array(items) => items.iter().map(|item| self.ordered(&format!("{pattern}/*"), item)).collect(),
            other => other.clone(),
        }
    }
}

impl Field {
    /// Returns the field that says of which kind a tool or a file is.
    pub(crate) fn kind_field(&self) -> Option<&'static str> {
        match self.pointer {
            "/tools/*" => Some("kind"),
            "/messages/*/attachments/*" => Some("type"),
            _ => None,
        }
    }

    /// Returns whether a tool or file of this kind has the field.
    pub fn is_of_kind(&self, kind: Option<&str>) -> bool {
        match self.shown {
            Shown::Kinds(kinds) => kind.is_some_and(|kind| kinds.contains(&kind)),
            Shown::UnknownKind => !TOOL_KINDS.iter().any(|known| Some(known.name) == kind),
            Shown::Always | Shown::When(_) => true,
        }
    }
}

fn matches_pattern(pattern: &str, pointer: &str) -> bool {
    let (mut steps, mut wanted) = (pointer.split('/'), pattern.split('/'));
    loop {
        match (steps.next(), wanted.next()) {
            (None, None) => return true,
            (Some(step), Some(pattern)) if pattern == "*" || step == pattern => {}
            _ => return false,
        }
    }
}

/// Returns whether the items on the way to a pointer exist. A control must not create them.
fn items_exist(pattern: &str, pointer: &str, spec: &Value) -> bool {
    let Some(last) = pattern.split('/').enumerate().filter(|(_, step)| *step == "*").last().map(|(i, _)| i) else {
        return true;
    };
    let item: Vec<&str> = pointer.split('/').take(last + 1).collect();
    spec.pointer(&item.join("/")).is_some_and(Value::is_object)
}

fn with_first<I: Iterator<Item = char>>(text: &str, change: impl Fn(char) -> I) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| change(first).chain(chars).collect()).unwrap_or_default()
}
