//! Prices of models in US dollars per million tokens: MANTYX's, and those that a workspace set where MANTYX has none.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrices {
    /// From MANTYX's catalogue.
    pub catalogue: Vec<ModelPrice>,
    /// Used for models that the catalogue has no price for.
    pub own: Vec<ModelPrice>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelPrice {
    pub model: String,
    #[serde(rename = "inputPer1MUsd")]
    pub input_per_1m_usd: f64,
    #[serde(rename = "outputPer1MUsd")]
    pub output_per_1m_usd: f64,
    /// Without it, cached input costs as much as other input.
    #[serde(default, rename = "cacheReadPer1MUsd")]
    pub cached_input_per_1m_usd: Option<f64>,
}

/// Own prices that replace the present ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPriceChange {
    pub own: Vec<ModelPrice>,
}
