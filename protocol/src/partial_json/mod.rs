//! Parses JSON that was truncated.
//!
//! A run that reaches its output limit leaves half a document. [`read`] finds it in the text of the model, and how far it
//! got:
//!
//! ```text
//!  Here you are: {"city": "Bern", "days": [{"high": 21}, {"high
//!                ▲start                                        ▲seam
//!  closed        /city, /days/0, /days/0/high      open path   /days/1
//!                                                missing     /summary, /days/1/low (with a schema)
//! ```
//!
//! The result is a flat list of nodes in the order of the text, each closed or not, to render as a tree. It is
//! deliberately no [`Value`](serde_json::Value) and cannot become one: half an answer must not look like a whole one.
//!
//! A number at the very end of the text is never closed, since digits may be missing.

mod missing;
mod reader;

use std::ops::Range;

use crate::json_pointer::Path;

/// A truncated document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialJson {
    /// In the order of the text; the first one is the root.
    pub nodes: Vec<Node>,
    /// The byte offset of the document in the text.
    start: usize,
    /// The byte offset of its end.
    seam: usize,
    pub end: End,
    /// Containers without their closing bracket, outermost first.
    open: Vec<usize>,
    /// A field of the innermost open object without a value.
    pub begun_field: Option<BegunField>,
}

/// The reason why parsing stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The document is complete.
    Closed,
    /// The text stops in the middle of the document.
    CutOff,
    /// There is something at the seam that is not JSON.
    Broken { expected: &'static str },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub parent: Option<usize>,
    pub depth: usize,
    pub label: Label,
    pub content: Content,
    pub is_closed: bool,
    /// Its byte range in the text.
    pub span: Range<usize>,
}

/// The place of a node in its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    Root,
    Field(String),
    Item(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Object,
    Array,
    /// Unescaped, perhaps incomplete.
    Text(String),
    /// As written in the text.
    Number(String),
    /// `true`, `false`, `null`, or the beginning of one.
    Word(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BegunField {
    pub name: String,
    /// The name is complete.
    pub is_closed: bool,
}

/// Parses the longest document in `text`. Returns `None` if there is none.
///
/// A string, number or word is a document only if there is nothing else in the text; otherwise every sentence would be one.
pub fn read(text: &str) -> Option<PartialJson> {
    reader::scalar(text).or_else(|| reader::longest(text))
}

impl PartialJson {
    /// Returns the JSON Pointer of the value at the end of the text: an incomplete value, a field with only its name, or
    /// the innermost open container. `None` for a complete document.
    pub fn open_path(&self) -> Option<String> {
        if self.end == End::Closed {
            return None;
        }
        let half_written = self.nodes.last().filter(|node| !node.is_closed && !node.is_container());
        let containers = self.open.iter().filter_map(|node| self.nodes.get(*node));
        let labels: Vec<_> = containers.chain(half_written).map(|node| &node.label).collect();
        let mut path = pointer(labels.into_iter());
        if let Some(field) = self.begun_field.as_ref().filter(|field| field.is_closed) {
            path.push_str(&pointer([&Label::Field(field.name.clone())].into_iter()));
        }
        Some(path)
    }
}

impl Node {
    pub fn is_container(&self) -> bool {
        matches!(self.content, Content::Object | Content::Array)
    }
}

fn pointer<'a>(labels: impl Iterator<Item = &'a Label>) -> String {
    let mut path = Path::default();
    for label in labels {
        let _ = match label {
            Label::Root => 0,
            Label::Field(name) => path.enter(name.as_str()),
            Label::Item(i) => path.enter(*i),
        };
    }
    path.as_str().to_owned()
}

#[cfg(test)]
mod tests;
