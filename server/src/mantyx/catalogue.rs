//! What a workspace offers beside models: saved agents, tools, plugins. Read loosely, since only models are documented.

use reqwest::Method;
use serde_json::Value;

use super::{Bearer, Mantyx, MantyxError};

impl Mantyx {
    /// `GET /{what}`, where `what` is `agents`, `tools` or `plugins`: the list under the same name, or the bare list.
    pub async fn catalogue(&self, bearer: &Bearer, slug: &str, what: &str) -> Result<Vec<Value>, MantyxError> {
        let body: Value = Self::send_json(self.workspace_request(bearer, Method::GET, slug, &[what])).await?;
        match body {
            Value::Array(items) => Ok(items),
            Value::Object(mut fields) => match fields.remove(what) {
                Some(Value::Array(items)) => Ok(items),
                _ => Err(MantyxError::Unexpected(format!("no list of {what}"))),
            },
            _ => Err(MantyxError::Unexpected(format!("no list of {what}"))),
        }
    }
}
