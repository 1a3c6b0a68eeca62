//! Prices of models from MANTYX's catalogue, and the cost of a run.

use std::collections::HashMap;

use protocol::messages::{ModelList, Tokens};
use serde_json::Value;
use sqlx::{AnyConnection, Row};

use super::{Result, Store, WorkspaceId};

/// US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Price {
    pub id: i64,
    input: f64,
    output: f64,
    cache_read: f64,
}

#[derive(Debug, Default)]
pub(super) struct Prices {
    by_id: HashMap<i64, Price>,
    newest: HashMap<String, i64>,
}

impl Prices {
    pub async fn load(connection: &mut AnyConnection, workspace: WorkspaceId) -> Result<Self> {
        let rows = sqlx::query("SELECT id, model, pricing FROM price WHERE workspace_id = $1 ORDER BY id")
            .bind(workspace.0)
            .fetch_all(connection)
            .await?;
        let mut prices = Self::default();
        for row in rows {
            let (id, model, pricing): (i64, String, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            if let Some(price) = read(id, &pricing) {
                prices.by_id.insert(id, price);
                prices.newest.insert(model, id);
            }
        }
        Ok(prices)
    }

    /// The price that a run got before, otherwise the newest price of its model.
    pub fn for_run(&self, given: Option<i64>, model: &str) -> Option<Price> {
        self.by_id.get(&given.or_else(|| self.newest.get(model).copied())?).copied()
    }
}

/// The cost in millionths of a dollar: dollars per million tokens are millionths of a dollar per token.
pub(super) fn cost_micros(price: Price, tokens: Tokens) -> u64 {
    let fresh = tokens.input_tokens.saturating_sub(tokens.cached_tokens);
    let cost = fresh as f64 * price.input
        + tokens.cached_tokens as f64 * price.cache_read
        + tokens.output_tokens as f64 * price.output;
    cost.round().max(0.0) as u64
}

fn read(id: i64, pricing: &str) -> Option<Price> {
    let pricing: Value = serde_json::from_str(pricing).ok()?;
    let input = pricing["inputPer1MUsd"].as_f64()?;
    let output = pricing["outputPer1MUsd"].as_f64()?;
    let cache_read = pricing["cacheReadPer1MUsd"].as_f64().unwrap_or(input);
    Some(Price { id, input, output, cache_read })
}

impl Store {
    /// Stores prices of the catalogue that changed.
    pub async fn record_prices(&self, workspace: WorkspaceId, models: &ModelList, now_ms: i64) -> Result<()> {
        for model in models.models() {
            let (Some(id), Some(pricing)) = (model.id(), model.pricing()) else { continue };
            let pricing = protocol::json::canonical(pricing);
            let known: Option<String> = sqlx::query_scalar(
                "SELECT pricing FROM price WHERE workspace_id = $1 AND model = $2 ORDER BY id DESC LIMIT 1",
            )
            .bind(workspace.0)
            .bind(id)
            .fetch_optional(&self.reader)
            .await?;
            if known.as_ref() == Some(&pricing) {
                continue;
            }
            sqlx::query("INSERT INTO price (workspace_id, model, pricing, seen_at) VALUES ($1, $2, $3, $4)")
                .bind(workspace.0)
                .bind(id)
                .bind(pricing)
                .bind(now_ms)
                .execute(&self.writer)
                .await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_input_has_its_own_price() {
        let pricing = r#"{"inputPer1MUsd":3.0,"outputPer1MUsd":15.0,"cacheReadPer1MUsd":0.3}"#;
        let price = read(1, pricing).expect("reads");
        let tokens = Tokens { input_tokens: 1_000, cached_tokens: 400, reasoning_tokens: 0, output_tokens: 100 };
        assert_eq!(cost_micros(price, tokens), 600 * 3 + 120 + 100 * 15);
        assert_eq!(read(1, "{}"), None);
    }
}
