//! Checks of the catalogues.

use anyhow::{Result, ensure};

use super::checks;
use super::probe::{Probe, list};

checks!(false:
    "models have an id, a label, a provider and a source" => models,
    "the default model is in the catalogue" => default_model,
);

async fn models(probe: &Probe) -> Result<String> {
    let catalogue = probe.get("/models").await?.expect(200)?.body;
    let models = list(&catalogue["models"]);
    ensure!(!models.is_empty(), "no models in {catalogue}");
    for model in models {
        let complete = ["id", "label", "provider", "vendorModelId"].iter().all(|field| model[*field].is_string());
        let source = matches!(model["source"].as_str(), Some("workspace_provider" | "platform_offering"));
        ensure!(complete && source, "incomplete: {model}");
    }
    Ok(format!("{} models", models.len()))
}

async fn default_model(probe: &Probe) -> Result<String> {
    let catalogue = probe.get("/models").await?.expect(200)?.body;
    let Some(id) = catalogue["defaultModelId"].as_str() else { return Ok("none".to_owned()) };
    ensure!(list(&catalogue["models"]).iter().any(|model| model["id"] == id), "{id} is not in the catalogue");
    Ok(id.to_owned())
}
