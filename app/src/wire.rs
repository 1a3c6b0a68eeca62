//! How pages' data crosses from the server to the browser.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Data that is read by way of one JSON tree. A page's data arrives both inside the document and by request, through two
/// readers; this way the code that makes our types of it is in the client once and not twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire<T>(pub T);

impl<T: Serialize> Serialize for Wire<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Wire<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        T::deserialize(value).map(Self).map_err(D::Error::custom)
    }
}
