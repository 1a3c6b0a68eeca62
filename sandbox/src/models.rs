//! The model catalogue, with prices.

use std::sync::Arc;

use protocol::spec;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::demo;
use crate::provider::openai::{OpenAi, OpenAiModel};
use crate::provider::{Assistant, Provider, Script};

pub struct Model {
    pub id: String,
    label: String,
    vendor: &'static str,
    vendor_model_id: String,
    /// `None` for models of an API.
    pub context_window_tokens: Option<u64>,
    price: Option<Price>,
    /// The model can enforce an output schema.
    pub enforces_schemas: bool,
    pub provider: Arc<dyn Provider>,
}

/// US dollars per million tokens.
struct Price {
    input: f64,
    output: f64,
    cache_read: f64,
}

pub const DEFAULT_MODEL_ID: &str = "sandbox/script";
const OPENAI_PREFIX: &str = "openai/";

pub struct Catalogue {
    sandbox: Vec<Arc<Model>>,
    openai: Option<OpenAi>,
    /// Models of the API, listed once.
    listed: OnceCell<Vec<Arc<Model>>>,
    http: Client,
}

impl Catalogue {
    pub fn new(openai: Option<OpenAi>, http: Client) -> Self {
        let script: Arc<dyn Provider> = Arc::new(Script { prepared: demo::prepared_responses() });
        let sandbox = vec![
            sandbox_model("script", "Sandbox · script", 128_000, (1.0, 4.0, 0.1), script.clone()),
            sandbox_model("script-mini", "Sandbox · script mini", 16_000, (0.15, 0.6, 0.015), script.clone()),
            sandbox_model("script-large", "Sandbox · script large", 400_000, (5.0, 25.0, 0.5), script.clone()),
            // For trying out output schemas that are not enforced.
            Model {
                enforces_schemas: false,
                ..sandbox_model("script-plain", "Sandbox · script without schemas", 64_000, (0.3, 1.2, 0.03), script)
            },
            sandbox_model("assistant", "Sandbox · assistant", 64_000, (0.5, 2.0, 0.05), Arc::new(Assistant)),
        ];
        Self { sandbox: sandbox.into_iter().map(Arc::new).collect(), openai, listed: OnceCell::new(), http }
    }

    /// Finds a model by its catalogue id or by the vendor's id. Accepts any `openai/…`, because the list may be incomplete.
    pub fn find(&self, model_id: &str) -> Option<Arc<Model>> {
        if let Some(model) = self.sandbox.iter().find(|model| model.id == model_id || model.vendor_model_id == model_id)
        {
            return Some(model.clone());
        }
        let name = model_id.strip_prefix(OPENAI_PREFIX).filter(|name| !name.is_empty())?;
        self.openai.as_ref().map(|api| Arc::new(self.openai_model(api, name)))
    }

    pub fn default_model(&self) -> Arc<Model> {
        self.sandbox[0].clone()
    }

    /// Returns the known ids, without a request to the API.
    pub fn ids(&self) -> Vec<String> {
        let listed = self.listed.get().into_iter().flatten();
        self.sandbox.iter().chain(listed).map(|model| model.id.clone()).collect()
    }

    pub async fn list(&self) -> Vec<Arc<Model>> {
        let mut models = self.sandbox.clone();
        if let Some(api) = &self.openai {
            match self.listed.get_or_try_init(|| self.list_openai(api)).await {
                Ok(listed) => models.extend(listed.iter().cloned()),
                // Models of an API without a list can still be used.
                Err(error) => tracing::warn!(error = error.message, "the models of OPENAI_BASE_URL are not listed"),
            }
        }
        models
    }

    async fn list_openai(&self, api: &OpenAi) -> Result<Vec<Arc<Model>>, crate::provider::ProviderError> {
        let names = api.list_models(&self.http).await?;
        Ok(names.iter().map(|name| Arc::new(self.openai_model(api, name))).collect())
    }

    fn openai_model(&self, api: &OpenAi, name: &str) -> Model {
        Model {
            id: format!("{OPENAI_PREFIX}{name}"),
            label: format!("openai · {name}"),
            vendor: "openai",
            vendor_model_id: name.to_owned(),
            context_window_tokens: None,
            price: None,
            enforces_schemas: true,
            provider: Arc::new(OpenAiModel { api: api.clone(), http: self.http.clone(), model: name.to_owned() }),
        }
    }
}

impl Model {
    /// Returns the entry of `GET models`.
    pub fn catalogue_entry(&self) -> Value {
        let pricing = self.price.as_ref().map(|price| {
            json!({ "inputPer1MUsd": price.input, "outputPer1MUsd": price.output, "cacheReadPer1MUsd": price.cache_read })
        });
        let source = if self.vendor == "sandbox" { "platform_offering" } else { "workspace_provider" };
        json!({
            "id": self.id, "label": self.label, "provider": self.vendor, "vendorModelId": self.vendor_model_id,
            "source": source, "contextWindowTokens": self.context_window_tokens, "pricing": pricing,
        })
    }

    /// Returns the `model` field of events and runs.
    pub fn wire(&self, spec: &Value) -> Value {
        let mut model = json!({ "id": self.id, "provider": self.vendor, "vendorModelId": self.vendor_model_id });
        if !spec["reasoningLevel"].is_null() {
            let effort = match spec::reasoning_level(spec) {
                0 => "off",
                1..=35 => "low",
                36..=65 => "medium",
                _ => "high",
            };
            model["reasoningEffort"] = effort.into();
        }
        model
    }
}

fn sandbox_model(
    name: &str,
    label: &str,
    context_window_tokens: u64,
    (input, output, cache_read): (f64, f64, f64),
    provider: Arc<dyn Provider>,
) -> Model {
    Model {
        id: format!("sandbox/{name}"),
        label: label.to_owned(),
        vendor: "sandbox",
        vendor_model_id: name.to_owned(),
        context_window_tokens: Some(context_window_tokens),
        price: Some(Price { input, output, cache_read }),
        enforces_schemas: true,
        provider,
    }
}
