//! What can be read of JSON that was cut off.
//!
//! A run that hits its output limit leaves half a document. [`read`] finds it in the text, between whatever a model writes
//! around it, and tells how far it got:
//!
//! ```text
//!  Here you are: {"city": "Bern", "days": [{"high": 21}, {"high
//!                ▲start                                        ▲seam
//!  closed        /city, /days/0, /days/0/high      open path   /days/1
//!  never came    }]}                               missing     /summary, /days/1/low (with a schema)
//! ```
//!
//! The answer is a flat list of nodes in the order of the text, made for drawing a tree. It is deliberately no
//! [`Value`](serde_json::Value), cannot become one, and says of each node whether it was closed: half an answer must not
//! pass for an answer.
//!
//! A number at the very end of a text is never called closed, since more digits may have been lost.

mod missing;
mod reader;

use std::ops::Range;

use crate::json_pointer::Path;

/// A document as far as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialJson {
    /// In the order of the text; the first one is the root.
    pub nodes: Vec<Node>,
    /// Where the document begins, in bytes of the text.
    pub start: usize,
    /// Where it stops.
    pub seam: usize,
    pub end: End,
    /// Containers that were never closed, from the outside in.
    open: Vec<usize>,
    /// A field of the innermost open object whose value did not begin.
    pub begun_field: Option<BegunField>,
}

/// How the reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The document is whole.
    Closed,
    /// The text stops in the middle of the document.
    CutOff,
    /// Something stands at the seam that cannot go on there.
    Broken { expected: &'static str },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub parent: Option<usize>,
    pub depth: usize,
    pub label: Label,
    pub content: Content,
    pub is_closed: bool,
    /// Its place in the text, in bytes.
    pub span: Range<usize>,
}

/// What a node is to its parent.
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
    /// Unescaped, as far as it came.
    Text(String),
    /// As it is written.
    Number(String),
    /// `true`, `false`, `null`, or the beginning of one.
    Word(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BegunField {
    pub name: String,
    /// Whether the name itself is whole.
    pub is_closed: bool,
}

/// Reads the document in `text`: the longest one, where there are several. `None` where there is none.
///
/// A single text, number or word is a document only if there is nothing beside it; otherwise every sentence would be one.
pub fn read(text: &str) -> Option<PartialJson> {
    reader::scalar(text).or_else(|| reader::longest(text))
}

impl PartialJson {
    pub fn is_whole(&self) -> bool {
        self.end == End::Closed
    }

    /// The JSON Pointer of a node. Takes as long as the node is deep.
    pub fn path(&self, node: usize) -> String {
        let mut labels = Vec::new();
        let mut at = self.nodes.get(node);
        while let Some(node) = at {
            labels.push(&node.label);
            at = node.parent.and_then(|parent| self.nodes.get(parent));
        }
        pointer(labels.into_iter().rev())
    }

    /// The JSON Pointer of what was being written when the text stopped: a half-written value, a field that has its name
    /// only, or the innermost open container. `None` for a document that is whole.
    pub fn open_path(&self) -> Option<String> {
        if self.is_whole() {
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

    /// The brackets that never came, in the order in which they would have.
    pub fn missing_brackets(&self) -> String {
        let bracket = |node: &usize| match self.nodes.get(*node).map(|node| &node.content) {
            Some(Content::Array) => ']',
            _ => '}',
        };
        self.open.iter().rev().map(bracket).collect()
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
