//! The models, agents, tools and metadata that the form offers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::LockExt;
use serde_json::Value;

use super::Launcher;
use crate::bounded_cache::BoundedCache;
use crate::error::Error;
use crate::mantyx::{CatalogueList, MantyxError};
use crate::state::AppState;
use crate::store::WorkspaceId;

/// Values listed for each metadata key.
const MAX_VALUES: usize = 20;
const NEEDED_SCOPES: [&str; 2] = ["runs:write", "sessions:write"];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    pub models: Offer<ModelChoice>,
    pub default_model_id: Option<String>,
    pub agents: Offer<Choice>,
    pub tools: Offer<Choice>,
    pub plugins: Offer<Choice>,
    /// Metadata of the workspace's runs, most used keys first.
    pub metadata: Vec<MetadataInUse>,
    /// Commands that the operator allows as MCP servers.
    pub mcp_commands: Vec<String>,
    /// Scopes that launching needs and the sign-in doesn't have.
    pub missing_scopes: Vec<String>,
}

/// A list, or the reason why it is not available.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer<T> {
    pub items: Vec<T>,
    pub unavailable: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value in a spec.
    pub id: String,
    pub name: String,
    pub description: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataInUse {
    pub key: String,
    pub values: Vec<String>,
}

/// An average over languages and models, good enough for an estimate.
const CHARS_PER_TOKEN: u64 = 4;

impl ModelChoice {
    /// Estimates the cost of sending a text once.
    pub fn estimated_prompt_usd(&self, chars: u64) -> Option<f64> {
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let tokens = chars.div_ceil(CHARS_PER_TOKEN) as f64;
        Some(self.input_per_1m_usd? * tokens / 1e6)
    }

    pub fn is_likely_too_long(&self, chars: u64) -> bool {
        self.context_window_tokens.is_some_and(|window| chars.div_ceil(CHARS_PER_TOKEN) > window)
    }
}

impl Catalogue {
    /// Estimates the memory that the lists take.
    fn memory_bytes(&self) -> usize {
        let choices = [&self.agents, &self.tools, &self.plugins].into_iter().flat_map(|offer| &offer.items);
        let choice_bytes = |choice: &Choice| choice.id.len() + choice.name.len() + choice.description.len();
        let model_bytes = |model: &ModelChoice| model.id.len() + model.label.len() + model.provider.len();
        let metadata = self.metadata.iter().flat_map(|used| used.values.iter().chain([&used.key]));
        choices.map(|choice| size_of::<Choice>() + choice_bytes(choice)).sum::<usize>()
            + self.models.items.iter().map(|model| size_of::<ModelChoice>() + model_bytes(model)).sum::<usize>()
            + metadata.map(|text| size_of::<String>() + text.len()).sum::<usize>()
    }
}

impl<T> Offer<T> {
    fn of(items: impl Iterator<Item = T>) -> Self {
        Self { items: items.collect(), unavailable: None }
    }
}

impl<T> Default for Offer<T> {
    fn default() -> Self {
        Self { items: Vec::new(), unavailable: None }
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
    pub async fn load(&self, state: &AppState, launcher: &Launcher) -> Result<Arc<Catalogue>, Error> {
        let owner = (launcher.caller.workspace_id, launcher.subject.clone());
        let known = self.0.locked().get(&owner);
        if let Some(catalogue) = known {
            // A new sign-in may have other scopes.
            let missing_scopes = missing_scopes(&launcher.scopes);
            return Ok(Arc::new(Catalogue { missing_scopes, ..Catalogue::clone(&catalogue) }));
        }
        let catalogue = Arc::new(load(state, launcher).await?);
        self.0.locked().insert(owner, catalogue.clone(), catalogue.memory_bytes());
        Ok(catalogue)
    }
}

async fn load(state: &AppState, launcher: &Launcher) -> Result<Catalogue, Error> {
    let list = |what: &'static str| choices(state, launcher, what);
    let models = list_of(state, launcher, "models");
    let (models, agents, tools, plugins) = tokio::join!(models, list("agents"), list("tools"), list("plugins"));
    let (models, default_model_id) = match models {
        Ok(list) => (Offer::of(list.items.iter().filter_map(model_choice)), list.default_model_id),
        Err(error) => (unavailable("models", error)?, None),
    };
    Ok(Catalogue {
        models,
        default_model_id,
        agents: agents?,
        tools: tools?,
        plugins: plugins?,
        metadata: metadata_in_use(state, launcher).await?,
        mcp_commands: state.peers.of(&launcher.caller.slug).commands.lines(),
        missing_scopes: missing_scopes(&launcher.scopes),
    })
}

/// Loads one list of the workspace.
pub async fn choices(state: &AppState, launcher: &Launcher, what: &str) -> Result<Offer<Choice>, Error> {
    match list_of(state, launcher, what).await {
        Ok(list) if what == "plugins" => Ok(Offer::of(list.items.iter().flat_map(plugin_choices))),
        Ok(list) => Ok(Offer::of(list.items.iter().filter_map(choice))),
        Err(error) => unavailable(what, error),
    }
}

async fn list_of(state: &AppState, launcher: &Launcher, what: &str) -> Result<CatalogueList, MantyxError> {
    let caller = &launcher.caller;
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
    let text = |field: &str| item[field].as_str().map(str::to_owned);
    let id = text("id").or_else(|| text("name"))?;
    Some(Choice {
        name: text("name").or_else(|| text("label")).unwrap_or_else(|| id.clone()),
        description: text("description").unwrap_or_default(),
        id,
    })
}

/// Returns a plugin's tools under the names that a spec uses.
fn plugin_choices(plugin: &Value) -> Vec<Choice> {
    let Some(tools) = plugin["tools"].as_array() else { return choice(plugin).into_iter().collect() };
    let owner = plugin["name"].as_str().or(plugin["id"].as_str()).unwrap_or_default().trim_start_matches('@');
    let named = tools.iter().filter_map(|tool| {
        let name = tool["name"].as_str().or(tool.as_str())?;
        let id = if name.starts_with('@') { name.to_owned() } else { format!("@{owner}/{name}") };
        let description = tool["description"].as_str().unwrap_or_default().to_owned();
        Some(Choice { id, name: name.to_owned(), description })
    });
    named.collect()
}

fn model_choice(model: &Value) -> Option<ModelChoice> {
    let text = |field: &str| model[field].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let id = text("id")?;
    Some(ModelChoice {
        label: text("label").unwrap_or_else(|| id.clone()),
        vendor_model_id: text("vendorModelId").unwrap_or_else(|| id.clone()),
        id,
        provider: text("provider").unwrap_or_default(),
        context_window_tokens: model["contextWindowTokens"].as_u64(),
        input_per_1m_usd: model["pricing"]["inputPer1MUsd"].as_f64(),
        output_per_1m_usd: model["pricing"]["outputPer1MUsd"].as_f64(),
    })
}

async fn metadata_in_use(state: &AppState, launcher: &Launcher) -> Result<Vec<MetadataInUse>, Error> {
    let mut in_use: Vec<MetadataInUse> = Vec::new();
    for (key, value) in state.store.metadata_in_use(launcher.caller.workspace_id).await? {
        match in_use.iter_mut().find(|known| known.key == key) {
            Some(known) if known.values.len() < MAX_VALUES => known.values.push(value),
            Some(_) => {}
            None => in_use.push(MetadataInUse { key, values: vec![value] }),
        }
    }
    Ok(in_use)
}

/// A grant without scopes is assumed to have all; otherwise MANTYX rejects the launch.
fn missing_scopes(granted: &str) -> Vec<String> {
    let granted: Vec<&str> = granted.split_whitespace().collect();
    let missing = NEEDED_SCOPES.iter().filter(|scope| !granted.is_empty() && !granted.contains(scope));
    missing.map(|scope| (*scope).to_owned()).collect()
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

    #[test]
    fn scopes_are_missing_only_if_the_grant_lists_its_scopes() {
        assert_eq!(missing_scopes("runs:read sessions:write"), ["runs:write"]);
        assert!(missing_scopes("").is_empty());
    }
}
