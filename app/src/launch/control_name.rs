//! The names of the launch form's controls, and the actions of its buttons.
//!
//! | name | the control |
//! | --- | --- |
//! | `field:/budgets/maxToolTurns` | a field of the spec |
//! | `choice:/loopDetection` | the shape of a setting |
//! | `row:/metadata#2.key` | a part of a row: of a map's entry, or of a schema's property |
//! | `checkbox:/tools/5/toolFilter#search` | a name in a list |
//! | `checkboxes:/tools/5/toolFilter` | says that the form has these checkboxes, also if none is checked |
//! | `answerer:look_up#by` | a part of a local tool's answerer |
//! | `source:/tools/3#url` | the address of a tool list or a card |
//! | `file:/messages/0/attachments`, `file-url:…` | a file to attach, or its address |
//! | `batch.inputs` | anything else, from a fixed list |

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ControlName {
    Field(String),
    Choice(String),
    Row { pointer: String, index: usize, part: String },
    Checkbox { pointer: String, item: String },
    Checkboxes(String),
    Answerer { tool: String, part: String },
    Source { pointer: String, part: String },
    File(String),
    FileUrl(String),
    Other(&'static str),
}

/// The controls that belong to no field of the spec.
const OTHER: [&str; 14] = [
    "action",
    "draft",
    "json",
    "input",
    "mode",
    "session",
    "sample",
    "batch.inputs",
    "batch.file",
    "batch.key",
    "batch.value",
    "template.name",
    "template.notes",
    "template.shared",
];

impl ControlName {
    pub fn field(pointer: &str) -> Self {
        Self::Field(pointer.to_owned())
    }

    pub fn row(pointer: &str, index: usize, part: &str) -> Self {
        Self::Row { pointer: pointer.to_owned(), index, part: part.to_owned() }
    }

    pub fn checkbox(pointer: &str, item: &str) -> Self {
        Self::Checkbox { pointer: pointer.to_owned(), item: item.to_owned() }
    }

    pub fn answerer(tool: &str, part: &str) -> Self {
        Self::Answerer { tool: tool.to_owned(), part: part.to_owned() }
    }

    pub fn source(pointer: &str, part: &str) -> Self {
        Self::Source { pointer: pointer.to_owned(), part: part.to_owned() }
    }

    pub fn parse(name: &str) -> Option<Self> {
        if let Some(other) = OTHER.iter().find(|other| **other == name) {
            return Some(Self::Other(other));
        }
        let (kind, rest) = name.split_once(':')?;
        if kind == "answerer" {
            return rest.split_once('#').map(|(tool, part)| Self::answerer(tool, part));
        }
        if !rest.starts_with('/') {
            return None;
        }
        let (pointer, part) = match rest.split_once('#') {
            Some((pointer, part)) => (pointer.to_owned(), Some(part)),
            None => (rest.to_owned(), None),
        };
        Some(match (kind, part) {
            ("field", None) => Self::Field(pointer),
            ("choice", None) => Self::Choice(pointer),
            ("checkboxes", None) => Self::Checkboxes(pointer),
            ("file", None) => Self::File(pointer),
            ("file-url", None) => Self::FileUrl(pointer),
            ("checkbox", Some(item)) => Self::Checkbox { pointer, item: item.to_owned() },
            ("source", Some(part)) => Self::Source { pointer, part: part.to_owned() },
            ("row", Some(row)) => {
                let (index, part) = row.split_once('.')?;
                Self::Row { pointer, index: index.parse().ok()?, part: part.to_owned() }
            }
            _ => return None,
        })
    }

    /// Returns the id of the control's element: a different one for each name.
    pub fn dom_id(&self) -> String {
        dom_id(&self.to_string())
    }
}

impl fmt::Display for ControlName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(pointer) => write!(f, "field:{pointer}"),
            Self::Choice(pointer) => write!(f, "choice:{pointer}"),
            Self::Row { pointer, index, part } => write!(f, "row:{pointer}#{index}.{part}"),
            Self::Checkbox { pointer, item } => write!(f, "checkbox:{pointer}#{item}"),
            Self::Checkboxes(pointer) => write!(f, "checkboxes:{pointer}"),
            Self::Answerer { tool, part } => write!(f, "answerer:{tool}#{part}"),
            Self::Source { pointer, part } => write!(f, "source:{pointer}#{part}"),
            Self::File(pointer) => write!(f, "file:{pointer}"),
            Self::FileUrl(pointer) => write!(f, "file-url:{pointer}"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

/// Returns an element id for a name. After a `#` the name may have any text, such as a tool's name.
pub fn dom_id(name: &str) -> String {
    let name = name.replacen(":/", "-", 1);
    let (place, rest) = name.split_once('#').unwrap_or((&name, ""));
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut id: String = place.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    if !rest.is_empty() {
        id.push('-');
    }
    for c in rest.chars() {
        if plain(c) {
            id.push(c);
        } else {
            id.push_str(&format!("-{:x}-", u32::from(c)));
        }
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_as_it_is_written() {
        let pointer = || "/tools/2/x~1y".to_owned();
        let names = [
            ControlName::Field(pointer()),
            ControlName::Choice(pointer()),
            ControlName::row("/metadata", 2, "key"),
            ControlName::checkbox("/tools/5/toolFilter", "a#b.c:é"),
            ControlName::Checkboxes(pointer()),
            ControlName::answerer("look_up", "by"),
            ControlName::source("/tools/3", "url"),
            ControlName::File(pointer()),
            ControlName::FileUrl(pointer()),
            ControlName::Other("batch.inputs"),
        ];
        for name in names {
            assert_eq!(ControlName::parse(&name.to_string()), Some(name.clone()), "{name}");
        }
        for name in ["", "x", "field", "field:prompt", "field:/prompt#0", "row:/a#x.key", "row:/a#1", "other:/a", "é:/"]
        {
            assert_eq!(ControlName::parse(name), None, "{name}");
        }
    }

    #[test]
    fn controls_with_different_names_have_different_ids() {
        let items = ["a-b", "a_b", "a b", "a/b", "é"];
        let mut ids: Vec<String> = items.iter().map(|item| ControlName::checkbox("/f", item).dom_id()).collect();
        ids.push(ControlName::Checkboxes("/f".to_owned()).dom_id());
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 6, "{ids:?}");
        assert_eq!(ControlName::field("/modelId").dom_id(), "field-modelId");
        assert_eq!(ControlName::Other("template.name").dom_id(), "template-name");
    }
}
