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

use std::fmt;
use std::marker::PhantomData;

use ref_cast::RefCast;
use serde_json::{Map, Value};

/// Declares document types: for each field its name here, its kind and its name on the wire. `needs` names what a
/// document must have to be read at all; an answer without it comes from something that is not MANTYX.
macro_rules! document {
    (
        $(#[$meta:meta])*
        $name:ident $(needs [$($needed:literal),+])? {
            $( $(#[$field_meta:meta])* $field:ident: $kind:ident $([$item:ty])? = $key:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Default, PartialEq, ::ref_cast::RefCast, ::serde::Serialize)]
        #[repr(transparent)]
        #[serde(transparent)]
        pub struct $name(::serde_json::Value);

        impl $name {
            $( $crate::document::reader! { $(#[$field_meta])* $field: $kind $([$item])? = $key } )*
        }

        impl $crate::document::Draft<$name> {
            $( $crate::document::writer! { $field: $kind $([$item])? = $key } )*
        }

        impl $crate::document::Document for $name {
            const NEEDS: &'static [&'static str] = &[$($($needed),+)?];
        }

        impl From<::serde_json::Value> for $name {
            fn from(json: ::serde_json::Value) -> Self {
                Self(json)
            }
        }

        impl From<$name> for ::serde_json::Value {
            fn from(document: $name) -> Self {
                document.0
            }
        }

        impl AsRef<::serde_json::Value> for $name {
            fn as_ref(&self) -> &::serde_json::Value {
                &self.0
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let json = ::serde_json::Value::deserialize(deserializer)?;
                $crate::document::has_needed::<Self>(&json).map_err(::serde::de::Error::custom)?;
                Ok(Self(json))
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, "{} {:?}", stringify!($name), $crate::document::Redacted(&self.0))
            }
        }
    };
}

macro_rules! reader {
    ($(#[$meta:meta])* $field:ident: text = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<&str> {
            self.0.get($key)?.as_str()
        }
    };
    ($(#[$meta:meta])* $field:ident: count = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<u64> {
            self.0.get($key)?.as_u64()
        }
    };
    ($(#[$meta:meta])* $field:ident: number = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<f64> {
            self.0.get($key)?.as_f64()
        }
    };
    ($(#[$meta:meta])* $field:ident: flag = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<bool> {
            self.0.get($key)?.as_bool()
        }
    };
    ($(#[$meta:meta])* $field:ident: json = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<&::serde_json::Value> {
            self.0.get($key).filter(|json| !json.is_null())
        }
    };
    ($(#[$meta:meta])* $field:ident: map = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<&::serde_json::Map<String, ::serde_json::Value>> {
            self.0.get($key)?.as_object()
        }
    };
    ($(#[$meta:meta])* $field:ident: texts = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> impl Iterator<Item = &str> {
            $crate::document::items(self.0.get($key)).iter().filter_map(::serde_json::Value::as_str)
        }
    };
    ($(#[$meta:meta])* $field:ident: object[$item:ty] = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<&$item> {
            self.0.get($key).filter(|json| json.is_object()).map($crate::document::Document::of)
        }
    };
    ($(#[$meta:meta])* $field:ident: list[$item:ty] = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> impl DoubleEndedIterator<Item = &$item> + ExactSizeIterator {
            $crate::document::items(self.0.get($key)).iter().map($crate::document::Document::of)
        }
    };
}

macro_rules! writer {
    ($field:ident: text = $key:literal) => {
        pub fn $field(self, text: impl Into<String>) -> Self {
            self.set($key, text.into())
        }
    };
    ($field:ident: count = $key:literal) => {
        pub fn $field(self, count: u64) -> Self {
            self.set($key, count)
        }
    };
    ($field:ident: number = $key:literal) => {
        pub fn $field(self, number: f64) -> Self {
            self.set($key, number)
        }
    };
    ($field:ident: flag = $key:literal) => {
        pub fn $field(self, flag: bool) -> Self {
            self.set($key, flag)
        }
    };
    ($field:ident: json = $key:literal) => {
        pub fn $field(self, json: impl Into<::serde_json::Value>) -> Self {
            self.set($key, json)
        }
    };
    ($field:ident: map = $key:literal) => {
        pub fn $field(self, entries: impl IntoIterator<Item = (String, ::serde_json::Value)>) -> Self {
            self.set($key, ::serde_json::Value::Object(entries.into_iter().collect()))
        }
    };
    ($field:ident: texts = $key:literal) => {
        pub fn $field(self, texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.set($key, texts.into_iter().map(Into::into).collect::<Vec<String>>())
        }
    };
    ($field:ident: object[$item:ty] = $key:literal) => {
        pub fn $field(self, item: $item) -> Self {
            self.set($key, item)
        }
    };
    ($field:ident: list[$item:ty] = $key:literal) => {
        pub fn $field(self, items: impl IntoIterator<Item = $item>) -> Self {
            self.set($key, items.into_iter().map(::serde_json::Value::from).collect::<Vec<_>>())
        }
    };
}

pub(crate) use {document, reader, writer};

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
