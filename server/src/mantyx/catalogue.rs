//! Lists a workspace's models, saved agents, tools and plugins. Parsed loosely, since only models are documented.

use reqwest::Method;
use serde_json::Value;

use super::{Bearer, Mantyx, MantyxError};

/// One list of the workspace. Models have a default.
pub struct CatalogueList {
    pub items: Vec<Value>,
    pub default_model_id: Option<String>,
}

impl Mantyx {
    /// Returns the list from `GET /{what}`: `models`, `agents`, `tools` or `plugins`. The body is an object with a field of
    /// the same name, or a bare list.
    pub async fn catalogue(&self, bearer: &Bearer, slug: &str, what: &str) -> Result<CatalogueList, MantyxError> {
        let mut body: Value = Self::send_json(self.workspace_request(bearer, Method::GET, slug, &[what])).await?;
        let default_model_id = body["defaultModelId"].as_str().map(str::to_owned);
        let list = if body.is_array() { body } else { body[what].take() };
        match list {
            Value::Array(items) => Ok(CatalogueList { items, default_model_id }),
            _ => Err(MantyxError::Unexpected(format!("no list of {what}"))),
        }
    }
}
