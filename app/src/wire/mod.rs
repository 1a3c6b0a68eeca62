//! How pages' data crosses from the server to the browser: as JSON without names.
//!
//! ```text
//!   RunSummary { id: "r1", turns: Some(3), … }   ──▶   ["r1", 3, …]        fields by their place
//!   RowKind::Text { text, cut, writing }         ──▶   [1, "…", 0, true]   variants by their number
//!   serde_json::Value                            ──▶   as it is
//! ```
//!
//! Both sides are of one build, so they agree on places. A reader that looks for names costs the browser more code than
//! all that the page does with what it read.

mod decode;
mod encode;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Data that is read by way of one JSON tree. A page's data arrives both inside the document and by request, through two
/// readers; this way the code that makes our types of it is in the client once and not twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire<T>(pub T);

impl<T: Serialize> Serialize for Wire<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        encode::encode(&self.0).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Wire<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        T::deserialize(decode::Decoder(value)).map(Self).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests;
