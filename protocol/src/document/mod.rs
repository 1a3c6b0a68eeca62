//! Typed JSON documents that never lose what they were sent.
//!
//! A document *is* its JSON. Its type adds a reader for each field that we know, and a writer for building one; nothing
//! is copied out and nothing is rebuilt. So what is parsed and written again is the same value: fields we do not know,
//! an explicit `null` and a field of an unexpected shape all stay where they were. A reader answers `None` for the last
//! two; whoever wants to see them asks [`Document::json`].
//!
//! ```
//! use protocol::document::Document;
//! use protocol::spec::{LocalTool, RunSpec};
//!
//! let spec: RunSpec = serde_json::from_str(r#"{ "prompt": "Hello", "modelId": 7, "later": [1] }"#)?;
//! assert_eq!(spec.prompt(), Some("Hello"));
//! assert_eq!(spec.model_id(), None);
//! assert_eq!(serde_json::to_string(&spec)?, r#"{"prompt":"Hello","modelId":7,"later":[1]}"#);
//!
//! let tool = LocalTool::declare().name("read_file").long_running(true).done();
//! assert_eq!(tool.json()["kind"], "local");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! Numbers are 64 bits wide, whole or floating, as almost every JSON reader has them. Documents are written to logs with
//! `{:?}`; header values and tokens are left out there.

mod declare;

use std::fmt;
use std::marker::PhantomData;

use ref_cast::RefCast;
use serde_json::{Map, Value};

pub(crate) use declare::{document, reader, writer};

/// What every document can do.
pub trait Document: RefCast<From = Value> + AsRef<Value> + From<Value> + Into<Value> {
    /// The fields without which the document is not read.
    const NEEDS: &'static [&'static str];

    /// Reads JSON that stands inside another document.
    fn of(json: &Value) -> &Self {
        Self::ref_cast(json)
    }

    /// Everything that was sent.
    fn json(&self) -> &Value {
        self.as_ref()
    }

    /// An empty document to fill in.
    fn draft() -> Draft<Self> {
        Draft { fields: Map::new(), of: PhantomData }
    }

    /// The same document with fields to be changed or added. One that is no object is replaced.
    fn edit(self) -> Draft<Self> {
        match self.into() {
            Value::Object(fields) => Draft { fields, of: PhantomData },
            _ => Self::draft(),
        }
    }
}

/// A document that is being written.
#[must_use = "a draft becomes a document when it is done"]
pub struct Draft<D> {
    fields: Map<String, Value>,
    of: PhantomData<D>,
}

impl<D: Document> Draft<D> {
    /// A field that has no writer of its own.
    pub fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(key.to_owned(), value.into());
        self
    }

    pub fn done(self) -> D {
        Value::Object(self.fields).into()
    }
}

/// The items of a field that should be a list; nothing where it is not.
pub(crate) fn items(field: Option<&Value>) -> &[Value] {
    field.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(crate) fn has_needed<D: Document>(json: &Value) -> Result<(), String> {
    let missing = D::NEEDS.iter().find(|key| json.get(**key).is_none_or(Value::is_null));
    missing.map_or(Ok(()), |key| Err(format!("`{key}` is missing")))
}

/// JSON for logs: the values of headers and tokens are left out.
pub(crate) struct Redacted<'a>(pub &'a Value);

const SECRETS: [&str; 4] = ["headers", "access_token", "refresh_token", "client_secret"];

impl fmt::Debug for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Object(fields) => {
                let mut map = f.debug_map();
                for (key, value) in fields {
                    match SECRETS.contains(&key.as_str()) {
                        true => map.entry(key, &format_args!("…")),
                        false => map.entry(key, &Redacted(value)),
                    };
                }
                map.finish()
            }
            Value::Array(items) => f.debug_list().entries(items.iter().map(Redacted)).finish(),
            scalar => write!(f, "{scalar}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::{RunList, TokenAnswer};
    use crate::spec::RunSpec;
    use serde_json::json;

    #[test]
    fn secrets_stay_out_of_debug_output() {
        let spec = RunSpec::from(json!({ "tools": [{ "kind": "mcp", "headers": { "Authorization": "hush" } }] }));
        assert_eq!(format!("{spec:?}"), r#"RunSpec {"tools": [{"kind": "mcp", "headers": …}]}"#);
        let token = TokenAnswer::from(json!({ "access_token": "hush", "expires_in": 3600 }));
        assert_eq!(format!("{token:?}"), r#"TokenAnswer {"access_token": …, "expires_in": 3600}"#);
    }

    #[test]
    fn an_answer_without_what_it_needs_is_not_read_as_an_empty_one() {
        let error = serde_json::from_str::<RunList>("{}").expect_err("no runs");
        assert_eq!(error.to_string(), "`runs` is missing");
        assert!(serde_json::from_str::<RunList>(r#"{ "runs": [] }"#).is_ok());
    }

    #[test]
    fn editing_changes_one_field_and_leaves_the_others() {
        let spec = RunSpec::from(json!({ "prompt": "a", "later": null }));
        assert_eq!(spec.edit().prompt("b").done().json(), &json!({ "prompt": "b", "later": null }));
    }
}
