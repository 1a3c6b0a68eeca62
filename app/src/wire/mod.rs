//! The format of page data between server and browser: JSON without field names.
//!
//! ```text
//!   RunSummary { id: "r1", turns: Some(3), … }   ──▶   ["r1", 3, …]        fields by position
//!   RowKind::Text { text, cut, writing }         ──▶   [1, "…", 0, true]   variants by index
//!   serde_json::Value                            ──▶   unchanged
//! ```
//!
//! A deserializer that matches field names costs more wasm than the pages that use the data. Both sides must therefore be
//! the same build: the data starts with a build id, and a browser that meets another build reloads the page (see
//! [`crate::browser::reload_for_new_build`]).
//!
//! Why not postcard: models carry `serde_json::Value`, which needs a self-describing format; Leptos embeds page data in
//! HTML as text; and JSON can be read in the browser's developer tools.
//!
//! Serde attributes: `rename`, `default`, `tag` and `skip_serializing_if` work (a skipped field is sent as null). `flatten`
//! and `untagged` don't: they need names or a second attempt at the same data.

mod decode;
mod encode;

use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::AppError;

#[cfg(feature = "ssr")]
static BUILD_ID: std::sync::OnceLock<String> = std::sync::OnceLock::new();

/// Sets the build id that this process sends with page data.
#[cfg(feature = "ssr")]
pub fn set_build_id(id: String) {
    let _ = BUILD_ID.set(id);
}

/// Page data in the form in which it is sent. It stays encoded until a page needs it, so that the code which requests, stores
/// and awaits it is the same for all pages, and is in the client once.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded(Value);

/// The encoded form of a `T`.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire<T> {
    encoded: Encoded,
    model: PhantomData<fn() -> T>,
}

impl<T: Serialize> Wire<T> {
    pub fn encode(value: &T) -> Self {
        // Encoding only fails for a type whose `Serialize` fails by itself, and no page model has one.
        let data = encode::encode(value).expect("page models can be encoded");
        Encoded(data).into()
    }
}

impl<T: DeserializeOwned> Wire<T> {
    pub fn decode(self) -> Result<T, AppError> {
        T::deserialize(decode::Decoder(self.encoded.0))
            .map_err(|error| AppError::Transport { message: error.to_string() })
    }
}

impl<T> From<Encoded> for Wire<T> {
    fn from(encoded: Encoded) -> Self {
        Self { encoded, model: PhantomData }
    }
}

impl<T> From<Wire<T>> for Encoded {
    fn from(wire: Wire<T>) -> Self {
        wire.encoded
    }
}

impl Serialize for Encoded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (build_id(), &self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Encoded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (build_id, data) = <(String, Value)>::deserialize(deserializer)?;
        if !crate::browser::is_same_build(&build_id) {
            crate::browser::reload_for_new_build();
            return Err(D::Error::custom("the server was updated; reload the page"));
        }
        Ok(Self(data))
    }
}

impl<T> Serialize for Wire<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encoded.serialize(serializer)
    }
}

impl<'de, T> Deserialize<'de> for Wire<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Encoded::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(feature = "ssr")]
fn build_id() -> &'static str {
    BUILD_ID.get().map_or("", String::as_str)
}

#[cfg(not(feature = "ssr"))]
fn build_id() -> &'static str {
    ""
}

#[cfg(test)]
mod tests;
