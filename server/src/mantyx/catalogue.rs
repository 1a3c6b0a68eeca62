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
        let body = Self::send_json(self.workspace_request(bearer, Method::GET, slug, &[what])).await?;
        CatalogueList::parse(body, what).ok_or_else(|| MantyxError::Unexpected(format!("no list of {what}")))
    }
}

impl CatalogueList {
    /// Returns `None` for any body without a list: whatever a server sends, it is only a value here.
    fn parse(mut body: Value, what: &str) -> Option<Self> {
        let default_model_id = body["defaultModelId"].as_str().map(str::to_owned);
        let list = if body.is_array() { body } else { body.get_mut(what)?.take() };
        let Value::Array(items) = list else { return None };
        Some(Self { items, default_model_id })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_a_field_or_the_whole_body_and_anything_else_is_none() {
        let found = |body| CatalogueList::parse(body, "plugins").map(|list| list.items.len());
        assert_eq!(found(json!({ "plugins": [1, 2] })), Some(2));
        assert_eq!(found(json!([1])), Some(1));
        for body in [json!("garbage"), json!(7), json!(null), json!({}), json!({ "plugins": "none" })] {
            assert_eq!(found(body.clone()), None, "{body}");
        }
    }
}
