//! Finds the field of a pointer.

use serde_json::{Map, Value};

use super::{Control, Field, FieldTable, Section, Shapes, Shown, TOOL_KINDS};

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

    /// Returns the field whose control sends a single value for a pointer.
    pub fn single(self, spec: &Value, pointer: &str) -> Option<&'static Field> {
        self.find(spec, pointer, |field| field.control.format().is_some())
    }

    pub fn shapes(self, spec: &Value, pointer: &str) -> Option<&'static Shapes> {
        match self.find(spec, pointer, |field| matches!(field.control, Control::Shapes(_)))?.control {
            Control::Shapes(shapes) => Some(shapes),
            _ => None,
        }
    }

    /// Returns the first field of a pointer that the form shows and `accept` accepts.
    pub fn find(self, spec: &Value, pointer: &str, accept: impl Fn(&Field) -> bool) -> Option<&'static Field> {
        self.all().find(|field| {
            matches_pattern(field.pointer, pointer)
                && accept(field)
                && field.is_shown(spec, pointer)
                && items_exist(field.pointer, pointer, spec)
        })
    }

    /// Describes a pointer in words: `/tools/2/url` → `Tool 3, address`, `/metadata#1` → `Metadata, row 2`.
    pub fn describe(self, pointer: &str) -> String {
        self.words_for(None, pointer)
    }

    /// Describes a pointer with the labels that the form of this spec shows.
    pub fn describe_in(self, spec: &Value, pointer: &str) -> String {
        self.words_for(Some(spec), pointer)
    }

    fn words_for(self, spec: Option<&Value>, pointer: &str) -> String {
        let (pointer, row) = match pointer.split_once('#') {
            Some((pointer, row)) => (pointer, row.split('.').next().and_then(|row| row.parse::<usize>().ok())),
            None => (pointer, None),
        };
        let steps: Vec<&str> = pointer.split('/').skip(1).collect();
        let numbered = |i: usize, name: &str, word: &str| {
            let number = steps.get(i + 1)?.parse::<usize>().ok()? + 1;
            (steps.get(i) == Some(&name)).then(|| format!("{word} {number}"))
        };
        let mut parts = Vec::new();
        match steps.first().copied() {
            None | Some("") => return "Spec".to_owned(),
            Some("json") => return "JSON".to_owned(),
            Some("session") if steps.get(1) == Some(&"tools") => return "Tools of the session".to_owned(),
            Some("answers") => return format!("Responder of {}", steps.get(1).copied().unwrap_or_default()),
            Some(_) => {
                parts.extend(numbered(0, "tools", "Tool").or_else(|| numbered(0, "messages", "Message")));
                parts.extend(numbered(2, "tools", "its tool").or_else(|| numbered(2, "attachments", "file")));
            }
        }
        let skip = 2 * parts.len();
        // The labels on the way, then the steps that have none.
        let mut rest = skip;
        for end in skip + 1..=steps.len() {
            let pointer = format!("/{}", steps[..end].join("/"));
            let is_labelled = |field: &&Field| matches_pattern(field.pointer, &pointer) && !field.label.is_empty();
            let shown = spec.and_then(|spec| self.find(spec, &pointer, |field| !field.label.is_empty()));
            match shown.or_else(|| self.all().find(is_labelled)) {
                Some(field) => {
                    let label = if parts.is_empty() {
                        field.label.to_owned()
                    } else {
                        with_first(field.label, char::to_lowercase)
                    };
                    parts.push(label);
                    rest = end;
                }
                None => break,
            }
        }
        let is_file = parts.last().is_some_and(|part| part.starts_with("file "));
        let others = steps.get(rest..).unwrap_or_default().join(" ");
        parts.extend(Some(others).filter(|others| !others.is_empty() && !is_file));
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
    /// Returns whether the form shows the field at a pointer that matches its own.
    pub fn is_shown(&self, spec: &Value, pointer: &str) -> bool {
        match self.shown {
            Shown::Always => true,
            Shown::When(is_shown) => is_shown(spec),
            Shown::InObject => {
                pointer.rsplit_once('/').is_some_and(|(parent, _)| spec.pointer(parent).is_some_and(Value::is_object))
            }
            Shown::Kinds(_) | Shown::UnknownKind => {
                let tool = pointer.split('/').nth(2).and_then(|i| spec["tools"].get(i.parse::<usize>().ok()?));
                self.is_of_kind(tool.and_then(|tool| tool["kind"].as_str()))
            }
        }
    }

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
            Shown::Always | Shown::When(_) | Shown::InObject => true,
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
