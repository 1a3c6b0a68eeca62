//! Redaction patterns of a workspace: regular expressions for texts that are not shown.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Redaction {
    pub patterns: Vec<RedactionPattern>,
    /// Raised by each change; 0 before the first.
    pub version: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RedactionPattern {
    /// A regular expression of the Rust crate `regex`.
    pub pattern: String,
    pub mode: RedactionMode,
}

/// What replaces a match. Part of the JSON API: never rename one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RedactionMode {
    /// The same mark for everything.
    #[default]
    Hide,
    /// A short keyed hash: equal values have equal hashes.
    Hash,
}

/// A list that replaces the present one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RedactionChange {
    pub patterns: Vec<RedactionPattern>,
    /// The change is refused if the present version is another one.
    #[serde(default)]
    pub replaces_version: Option<i64>,
}
