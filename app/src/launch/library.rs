//! What people keep for the next launch: templates and drafts.

use domain::Answers;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::LaunchContent;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    pub id: String,
    pub name: String,
    pub notes: String,
    /// The whole workspace sees it. Header values are left out of it then.
    pub shared: bool,
    pub owner: TemplateOwner,
    pub changed_at_ms: i64,
    pub content: LaunchContent,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "email", rename_all = "snake_case")]
pub enum TemplateOwner {
    /// Comes with Runlens.
    BuiltIn,
    Me,
    Colleague(String),
}

/// A template to keep; without an id it is a new one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateDraft {
    pub id: Option<String>,
    pub name: String,
    pub notes: String,
    pub shared: bool,
    pub content: LaunchContent,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchRequest {
    /// Made by the form: the same key is the same batch.
    pub key: String,
    pub spec: Value,
    #[serde(default)]
    pub answers: Answers,
    /// CSV with a header line, or a JSON list of texts or objects.
    pub inputs: String,
    /// The metadata entry that all its runs carry, so that the list can be filtered to them.
    pub tag_key: String,
    pub tag_value: String,
}
