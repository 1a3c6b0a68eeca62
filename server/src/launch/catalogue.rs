//! The models, agents, tools and metadata that the form offers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::LockExt;
use serde::Serialize;
use serde_json::Value;

use super::Launcher;
use crate::bounded_cache::BoundedCache;
use crate::error::Error;
use crate::mantyx::{CatalogueList, MantyxError};
use crate::store::WorkspaceId;

/// Values listed for each metadata key.
const MAX_VALUES: usize = 20;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Catalogue {
    pub models: Offer<ModelChoice>,
    pub default_model_id: Option<String>,
    pub agents: Offer<Choice>,
    pub tools: Offer<Choice>,
    pub plugins: Offer<Choice>,
    /// Metadata keys of the workspace's runs with their values, most used first.
    pub metadata: Vec<(String, Vec<String>)>,
    /// Commands that the operator allows as MCP servers.
    pub mcp_commands: Vec<String>,
}

/// A list, or the reason why it is not available.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Offer<T> {
    pub items: Vec<T>,
    pub unavailable: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ModelChoice {
    pub id: String,
    pub label: String,
    pub provider: String,
    /// The name under which runs report it.
    pub vendor_model_id: String,
    pub context_window_tokens: Option<u64>,
    /// Per million tokens.
    pub input_per_1m_usd: Option<f64>,
    pub output_per_1m_usd: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The value in a spec.
    pub id: String,
    pub name: String,
    pub description: String,
}

impl<T> FromIterator<T> for Offer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self { items: items.into_iter().collect(), unavailable: None }
    }
}

/// The form loads the catalogue at every pause of typing.
const CACHED_FOR: Duration = Duration::from_secs(60);
const MAX_CACHED_BYTES: usize = 32 * 1024 * 1024;

/// Caches the catalogue of each user.
#[derive(Clone, Debug)]
pub struct Catalogues(Arc<Mutex<BoundedCache<Owner, Arc<Catalogue>>>>);

type Owner = (WorkspaceId, String);

impl Default for Catalogues {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(BoundedCache::new(MAX_CACHED_BYTES, CACHED_FOR))))
    }
}

impl Catalogues {
    pub async fn load(&self, launcher: &Launcher<'_>) -> Result<Arc<Catalogue>, Error> {
        let owner = (launcher.workspace(), launcher.subject.clone());
        let known = self.0.locked().get(&owner);
        if let Some(catalogue) = known {
            return Ok(catalogue);
        }
        let catalogue = Arc::new(load(launcher).await?);
        let size = serde_json::to_string(&*catalogue).map_or(MAX_CACHED_BYTES, |json| 2 * json.len());
        self.0.locked().insert(owner, catalogue.clone(), size);
        Ok(catalogue)
    }
}

async fn load(launcher: &Launcher<'_>) -> Result<Catalogue, Error> {
    let list = |what: &'static str| choices(launcher, what);
    let models = list_of(launcher, "models");
    let (models, agents, tools, plugins) = tokio::join!(models, list("agents"), list("tools"), list("plugins"));
    let (models, default_model_id) = match models {
        Ok(list) => (list.items.iter().filter_map(model_choice).collect(), list.default_model_id),
        Err(error) => (unavailable("models", error)?, None),
    };
    Ok(Catalogue {
        models,
        default_model_id,
        agents: agents?,
        tools: tools?,
        plugins: plugins?,
        metadata: metadata_in_use(launcher).await?,
        mcp_commands: launcher.peers().commands.lines(),
    })
}

/// Loads one list of the workspace.
pub async fn choices(launcher: &Launcher<'_>, what: &str) -> Result<Offer<Choice>, Error> {
    match list_of(launcher, what).await {
        Ok(list) if what == "plugins" => Ok(list.items.iter().flat_map(plugin_choices).collect()),
        Ok(list) => Ok(list.items.iter().filter_map(choice).collect()),
        Err(error) => unavailable(what, error),
    }
}

async fn list_of(launcher: &Launcher<'_>, what: &str) -> Result<CatalogueList, MantyxError> {
    let (state, caller) = (launcher.state, &launcher.caller);
    let read = |bearer| async move { state.mantyx.catalogue(&bearer, &caller.slug, what).await };
    state.credentials.call(caller, read).await
}

/// A form without a list still works, since ids can be typed. An expired sign-in is an error.
fn unavailable<T>(what: &str, error: MantyxError) -> Result<Offer<T>, Error> {
    let why = match error {
        MantyxError::Unauthorized => return Err(error.into()),
        MantyxError::MissingScope { scope } => {
            format!("Your sign-in does not include {scope}, so {what} are not listed.")
        }
        MantyxError::NotFound | MantyxError::Refused { status: 405, .. } => {
            format!("This MANTYX does not list {what}.")
        }
        other => {
            tracing::info!(error = %other, what, "a list for the launch form could not be read");
            format!("MANTYX could not list {what} just now.")
        }
    };
    Ok(Offer { items: Vec::new(), unavailable: Some(why) })
}

fn choice(item: &Value) -> Option<Choice> {
    let id = text(item, &["id", "name"])?;
    let name = text(item, &["name", "label"]).unwrap_or_else(|| id.clone());
    Some(Choice { id, name, description: text(item, &["description"]).unwrap_or_default() })
}

/// Returns a plugin's tools under the names that a spec uses.
fn plugin_choices(plugin: &Value) -> Vec<Choice> {
    let Some(tools) = plugin["tools"].as_array() else { return choice(plugin).into_iter().collect() };
    let owner = text(plugin, &["name", "id"]).unwrap_or_default();
    let owner = owner.trim_start_matches('@');
    let named = tools.iter().filter_map(|tool| {
        let name = text(tool, &["name"]).or_else(|| tool.as_str().map(str::to_owned))?;
        let id = if name.starts_with('@') { name.clone() } else { format!("@{owner}/{name}") };
        Some(Choice { id, name, description: text(tool, &["description"]).unwrap_or_default() })
    });
    named.collect()
}

fn model_choice(model: &Value) -> Option<ModelChoice> {
    Some(ModelChoice {
        id: text(model, &["id"])?,
        label: text(model, &["label", "id"])?,
        vendor_model_id: text(model, &["vendorModelId", "id"])?,
        provider: text(model, &["provider"]).unwrap_or_default(),
        context_window_tokens: model["contextWindowTokens"].as_u64(),
        input_per_1m_usd: model["pricing"]["inputPer1MUsd"].as_f64(),
        output_per_1m_usd: model["pricing"]["outputPer1MUsd"].as_f64(),
    })
}

/// Returns the first of these fields that has a text.
fn text(item: &Value, fields: &[&str]) -> Option<String> {
    let mut texts = fields.iter().filter_map(|field| item[*field].as_str());
    texts.find(|text| !text.is_empty()).map(str::to_owned)
}

async fn metadata_in_use(launcher: &Launcher<'_>) -> Result<Vec<(String, Vec<String>)>, Error> {
    let mut in_use: Vec<(String, Vec<String>)> = Vec::new();
    for (key, value) in launcher.state.store.metadata_in_use(launcher.workspace()).await? {
        match in_use.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) if values.len() < MAX_VALUES => values.push(value),
            Some(_) => {}
            None => in_use.push((key, vec![value])),
        }
    }
    Ok(in_use)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plugin_tools_get_the_names_that_a_spec_uses() {
        let plugin =
            json!({ "name": "search", "tools": [{ "name": "web" }, { "name": "@other/x", "description": "d" }] });
        let ids: Vec<String> = plugin_choices(&plugin).into_iter().map(|choice| choice.id).collect();
        assert_eq!(ids, ["@search/web", "@other/x"]);
    }
}
