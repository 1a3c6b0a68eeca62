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

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

#[cfg(feature = "ssr")]
static BUILD_ID: std::sync::OnceLock<String> = std::sync::OnceLock::new();

/// Sets the build id that this process sends with page data.
#[cfg(feature = "ssr")]
pub fn set_build_id(id: String) {
    let _ = BUILD_ID.set(id);
}

/// Page data. It arrives inside the document and by request, through two deserializers; both read it as one JSON tree
/// first, so that the client contains the code for our types once.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire<T>(pub T);

impl<T: Serialize> Serialize for Wire<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let data = encode::encode(&self.0).map_err(serde::ser::Error::custom)?;
        (build_id(), data).serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Wire<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (build_id, data) = <(String, Value)>::deserialize(deserializer)?;
        if !crate::browser::is_same_build(&build_id) {
            crate::browser::reload_for_new_build();
            return Err(D::Error::custom("the server was updated; reload the page"));
        }
        T::deserialize(decode::Decoder(data)).map(Self).map_err(D::Error::custom)
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
