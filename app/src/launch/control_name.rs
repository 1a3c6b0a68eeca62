//! The names of the launch form's controls, and the actions of its buttons.
//!
//! | name | the control |
//! | --- | --- |
//! | `field:/budgets/maxToolTurns` | a field of the spec |
//! | `choice:/loopDetection` | the shape of a setting |
//! | `row:/metadata#2.key` | a part of a row: of a map's entry, or of a schema's property |
//! | `checkbox:/tools/5/toolFilter#search` | a name in a list; it is sent also if it isn't checked |
//! | `answerer:look_up#by` | a part of a local tool's answerer |
//! | `source:/tools/3#url` | the address of a tool list or a card |
//! | `file:/messages/0/attachments`, `file-url:…` | a file to attach, or its address |
//! | `batch.inputs` | anything else, from a fixed list |

use std::fmt;

use domain::{from_word, word};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ControlName {
    pub kind: ControlKind,
    /// A pointer, the name of a tool, or a whole name from the fixed list.
    pub place: String,
    /// The text after the `#`.
    pub part: String,
}

/// In the order in which the controls of a form are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlKind {
    Field,
    Row,
    Checkbox,
    Choice,
    Answerer,
    Source,
    File,
    FileUrl,
    #[serde(skip)]
    Other,
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

impl ControlKind {
    pub fn at(self, place: &str) -> ControlName {
        self.part(place, "")
    }

    pub fn part(self, place: &str, part: &str) -> ControlName {
        ControlName { kind: self, place: place.to_owned(), part: part.to_owned() }
    }

    fn has_part(self) -> bool {
        matches!(self, Self::Row | Self::Checkbox | Self::Answerer | Self::Source)
    }
}

impl ControlName {
    pub fn field(pointer: &str) -> Self {
        ControlKind::Field.at(pointer)
    }

    pub fn row(pointer: &str, index: usize, part: &str) -> Self {
        ControlKind::Row.part(pointer, &format!("{index}.{part}"))
    }

    /// Returns the index of a row and the part of it.
    pub fn in_row(&self) -> Option<(usize, &str)> {
        let (index, part) = self.part.split_once('.').filter(|_| self.kind == ControlKind::Row)?;
        Some((index.parse().ok()?, part))
    }

    pub fn parse(name: &str) -> Option<Self> {
        if OTHER.contains(&name) {
            return Some(ControlKind::Other.at(name));
        }
        let (kind, rest) = name.split_once(':')?;
        let (place, part) = rest.split_once('#').unwrap_or((rest, ""));
        let kind: ControlKind = from_word(kind)?;
        let name = kind.part(place, part);
        let is_valid = kind.has_part() == rest.contains('#')
            && (kind == ControlKind::Answerer || place.starts_with('/'))
            && (kind != ControlKind::Row || name.in_row().is_some());
        is_valid.then_some(name)
    }

    /// Returns whether the browser finds all errors of the control. It doesn't know those of answerers and files.
    pub fn is_checked_by_browser(&self) -> bool {
        match self.kind {
            ControlKind::Field | ControlKind::Choice | ControlKind::Row => true,
            ControlKind::Other => matches!(self.place.as_str(), "input" | "session"),
            _ => false,
        }
    }

    /// Returns the id of the control's element: a different one for each name.
    pub fn dom_id(&self) -> String {
        dom_id(&self.to_string())
    }
}

impl fmt::Display for ControlName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, place, part } = self;
        match kind {
            ControlKind::Other => f.write_str(place),
            _ if kind.has_part() => write!(f, "{}:{place}#{part}", word(kind)),
            _ => write!(f, "{}:{place}", word(kind)),
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
        use ControlKind::*;
        let mut names: Vec<_> = [Field, Choice, File, FileUrl].iter().map(|kind| kind.at("/tools/2/x~1y")).collect();
        names.extend([
            ControlName::row("/metadata", 2, "key"),
            Checkbox.part("/tools/5/toolFilter", "a#b.c:é"),
            Answerer.part("look_up", "by"),
            Source.part("/tools/3", "url"),
            Other.at("batch.inputs"),
        ]);
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
        let mut ids: Vec<String> = items.iter().map(|item| ControlKind::Checkbox.part("/f", item).dom_id()).collect();
        ids.push(ControlName::field("/f").dom_id());
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 6, "{ids:?}");
        assert_eq!(ControlName::field("/modelId").dom_id(), "field-modelId");
        assert_eq!(ControlKind::Other.at("template.name").dom_id(), "template-name");
    }
}
