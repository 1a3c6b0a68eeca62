//! What a workspace offers: models, saved agents, tools, plugins. Read loosely, since only models are documented.

use reqwest::Method;
use serde_json::Value;

use super::{Bearer, Mantyx, MantyxError};

/// One list of the workspace, and which of it is used where nothing is chosen.
pub struct Listed {
    pub items: Vec<Value>,
    pub default_model_id: Option<String>,
}

impl Mantyx {
    /// `GET /{what}`, where `what` is `models`, `agents`, `tools` or `plugins`: the list under the same name, or a bare
    /// list.
    pub async fn catalogue(&self, bearer: &Bearer, slug: &str, what: &str) -> Result<Listed, MantyxError> {
        let mut body: Value = Self::send_json(self.workspace_request(bearer, Method::GET, slug, &[what])).await?;
        let default_model_id = body["defaultModelId"].as_str().map(str::to_owned);
        let list = if body.is_array() { body } else { body[what].take() };
        match list {
            Value::Array(items) => Ok(Listed { items, default_model_id }),
            _ => Err(MantyxError::Unexpected(format!("no list of {what}"))),
        }
    }
}
