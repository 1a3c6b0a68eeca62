//! The models on offer and what they cost.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::provider::{Assistant, Provider, Script};

pub struct Model {
    pub id: &'static str,
    label: &'static str,
    vendor_model_id: &'static str,
    pub context_window_tokens: u64,
    /// US dollars per million tokens: fresh input, output, input read from the cache.
    price: (f64, f64, f64),
    behaviour: Behaviour,
}

enum Behaviour {
    Script,
    Assistant,
}

pub const DEFAULT_MODEL_ID: &str = "sandbox/script";

pub static MODELS: [Model; 4] = [
    Model {
        id: DEFAULT_MODEL_ID,
        label: "Sandbox · script",
        vendor_model_id: "script",
        context_window_tokens: 128_000,
        price: (1.0, 4.0, 0.1),
        behaviour: Behaviour::Script,
    },
    Model {
        id: "sandbox/script-mini",
        label: "Sandbox · script mini",
        vendor_model_id: "script-mini",
        context_window_tokens: 16_000,
        price: (0.15, 0.6, 0.015),
        behaviour: Behaviour::Script,
    },
    Model {
        id: "sandbox/script-large",
        label: "Sandbox · script large",
        vendor_model_id: "script-large",
        context_window_tokens: 400_000,
        price: (5.0, 25.0, 0.5),
        behaviour: Behaviour::Script,
    },
    Model {
        id: "sandbox/assistant",
        label: "Sandbox · assistant",
        vendor_model_id: "assistant",
        context_window_tokens: 64_000,
        price: (0.5, 2.0, 0.05),
        behaviour: Behaviour::Assistant,
    },
];

impl Model {
    pub fn provider(&self) -> Arc<dyn Provider> {
        match self.behaviour {
            Behaviour::Script => Arc::new(Script),
            Behaviour::Assistant => Arc::new(Assistant),
        }
    }

    /// As the catalogue lists it.
    pub fn catalogue_entry(&self) -> Value {
        let (input, output, cache_read) = self.price;
        json!({
            "id": self.id, "label": self.label, "provider": "sandbox", "vendorModelId": self.vendor_model_id,
            "source": "platform_offering", "contextWindowTokens": self.context_window_tokens,
            "pricing": { "inputPer1MUsd": input, "outputPer1MUsd": output, "cacheReadPer1MUsd": cache_read },
        })
    }

    /// As a finished run names it.
    pub fn wire(&self, spec: &Value) -> Value {
        let mut model = json!({ "id": self.id, "provider": "sandbox", "vendorModelId": self.vendor_model_id });
        if !spec["reasoningLevel"].is_null() {
            let effort = match protocol::spec::reasoning_level(spec) {
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

/// Finds a model by its catalogue id or by the vendor's bare id.
pub fn find(model_id: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.id == model_id || model.vendor_model_id == model_id)
}

pub fn default_model() -> &'static Model {
    &MODELS[0]
}
