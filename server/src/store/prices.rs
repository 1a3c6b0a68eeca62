//! Prices of models from MANTYX's catalogue, own prices of a workspace where it has none, and the cost of a run.

use std::collections::{BTreeMap, HashMap};

use domain::{ModelPrice, ModelPrices};
use protocol::messages::{ModelList, Tokens};
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::audit::{self, NewAuditEntry};
use super::{Result, Store, WorkspaceId};

/// US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Price {
    /// Negative for an own price.
    pub id: i64,
    input: f64,
    output: f64,
    cache_read: f64,
}

#[derive(Debug, Default)]
pub(super) struct Prices {
    by_id: HashMap<i64, Price>,
    newest: HashMap<String, i64>,
    newest_own: HashMap<String, i64>,
}

const OWN_PRICES: &str = "SELECT id, model, pricing FROM own_price WHERE workspace_id = $1 ORDER BY id";
const CATALOGUE_PRICES: &str = "SELECT id, model, pricing FROM price WHERE workspace_id = $1 ORDER BY id";

impl Prices {
    pub async fn load(connection: &mut AnyConnection, workspace: WorkspaceId) -> Result<Self> {
        let mut prices = Self::default();
        let rows = sqlx::query(CATALOGUE_PRICES).bind(workspace.0).fetch_all(&mut *connection).await?;
        for (id, model, pricing) in rows.iter().map(read_row).collect::<Result<Vec<_>>>()? {
            if let Some(price) = read(id, &pricing) {
                prices.by_id.insert(id, price);
                prices.newest.insert(model, id);
            }
        }
        let rows = sqlx::query(OWN_PRICES).bind(workspace.0).fetch_all(connection).await?;
        for (id, model, pricing) in rows.iter().map(read_row).collect::<Result<Vec<_>>>()? {
            match read(-id, &pricing) {
                Some(price) => {
                    prices.by_id.insert(-id, price);
                    prices.newest_own.insert(model, -id);
                }
                // It was removed. Runs that have it keep it.
                None => drop(prices.newest_own.remove(&model)),
            }
        }
        Ok(prices)
    }

    /// The price that a run got before, otherwise the newest price of its model: of the catalogue, or an own one.
    pub fn for_run(&self, given: Option<i64>, model: &str) -> Option<Price> {
        let newest = || self.newest.get(model).or_else(|| self.newest_own.get(model)).copied();
        self.by_id.get(&given.or_else(newest)?).copied()
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

fn read_row(row: &AnyRow) -> Result<(i64, String, String)> {
    Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
}

fn read(id: i64, pricing: &str) -> Option<Price> {
    let pricing: Value = serde_json::from_str(pricing).ok()?;
    let input = pricing["inputPer1MUsd"].as_f64()?;
    let output = pricing["outputPer1MUsd"].as_f64()?;
    let cache_read = pricing["cacheReadPer1MUsd"].as_f64().unwrap_or(input);
    Some(Price { id, input, output, cache_read })
}

/// The newest price of each model, in the order of their ids.
fn newest_prices(rows: &[AnyRow]) -> Result<Vec<ModelPrice>> {
    let mut newest: BTreeMap<String, ModelPrice> = BTreeMap::new();
    for (id, model, pricing) in rows.iter().map(read_row).collect::<Result<Vec<_>>>()? {
        let Some(price) = read(id, &pricing) else {
            newest.remove(&model);
            continue;
        };
        let cached = (price.cache_read != price.input).then_some(price.cache_read);
        let price = ModelPrice {
            model: model.clone(),
            input_per_1m_usd: price.input,
            output_per_1m_usd: price.output,
            cached_input_per_1m_usd: cached,
        };
        newest.insert(model, price);
    }
    Ok(newest.into_values().collect())
}

impl Store {
    pub async fn model_prices(&self, workspace: WorkspaceId) -> Result<ModelPrices> {
        let catalogue = sqlx::query(CATALOGUE_PRICES).bind(workspace.0).fetch_all(&self.reader).await?;
        let own = sqlx::query(OWN_PRICES).bind(workspace.0).fetch_all(&self.reader).await?;
        Ok(ModelPrices { catalogue: newest_prices(&catalogue)?, own: newest_prices(&own)? })
    }

    /// The models of the stored runs, most used first.
    pub async fn models_in_use(&self, workspace: WorkspaceId) -> Result<Vec<String>> {
        let sql =
            "SELECT value FROM tag WHERE workspace_id = $1 AND key = 'model' AND runs > 0 ORDER BY runs DESC, value";
        sqlx::query_scalar(sql).bind(workspace.0).fetch_all(&self.reader).await
    }

    /// Replaces the own prices. Those that stay as they are get no new row.
    pub async fn set_own_prices(
        &self,
        workspace: WorkspaceId,
        own: &[ModelPrice],
        entry: &NewAuditEntry,
    ) -> Result<()> {
        let mut tx = self.begin_writing(workspace).await?;
        let rows = sqlx::query(OWN_PRICES).bind(workspace.0).fetch_all(&mut *tx).await?;
        let known = newest_prices(&rows)?;
        let changed = own.iter().filter(|price| !known.contains(price)).map(|price| (&price.model, pricing_of(price)));
        let is_gone = |price: &&ModelPrice| own.iter().all(|new| new.model != price.model);
        let removed = known.iter().filter(is_gone).map(|price| (&price.model, String::new()));
        let changes: Vec<(&String, String)> = changed.chain(removed).collect();
        if changes.is_empty() {
            return Ok(());
        }
        for (model, pricing) in changes {
            sqlx::query(
                "INSERT INTO own_price (workspace_id, model, pricing, set_at, set_by) VALUES ($1, $2, $3, $4, $5)",
            )
            .bind(workspace.0)
            .bind(model)
            .bind(pricing)
            .bind(entry.at_ms)
            .bind(&entry.actor)
            .execute(&mut *tx)
            .await?;
        }
        audit::add(&mut tx, workspace, entry).await?;
        tx.commit().await
    }

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

/// The price as the catalogue would write it.
fn pricing_of(price: &ModelPrice) -> String {
    let mut pricing = serde_json::json!({
        "inputPer1MUsd": price.input_per_1m_usd,
        "outputPer1MUsd": price.output_per_1m_usd,
    });
    if let Some(cached) = price.cached_input_per_1m_usd {
        pricing["cacheReadPer1MUsd"] = cached.into();
    }
    protocol::json::canonical(&pricing)
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

    #[tokio::test]
    async fn an_own_price_fills_a_gap_until_the_catalogue_has_one_and_stays_with_its_runs() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let entry = crate::audit::Actor::default().entry(domain::AuditAction::ChangePrices);
        let price = |input| ModelPrice { model: "m".to_owned(), input_per_1m_usd: input, ..ModelPrice::default() };
        let prices = async || {
            let mut connection = store.reader.acquire().await?;
            Prices::load(&mut connection, workspace).await
        };
        store.set_own_prices(workspace, &[price(1.0)], &entry).await?;
        store.set_own_prices(workspace, &[price(1.0)], &entry).await?;
        let first = prices().await?.for_run(None, "m").expect("a price");
        assert!(first.id == -1 && first.input == 1.0 && prices().await?.for_run(None, "other").is_none());
        store.set_own_prices(workspace, &[price(2.0)], &entry).await?;
        assert_eq!(prices().await?.for_run(None, "m").map(|price| price.input), Some(2.0));
        assert_eq!(prices().await?.for_run(Some(first.id), "m"), Some(first), "a run keeps its price");
        store.set_own_prices(workspace, &[], &entry).await?;
        assert!(prices().await?.for_run(None, "m").is_none() && store.model_prices(workspace).await?.own.is_empty());
        assert_eq!(prices().await?.for_run(Some(first.id), "m"), Some(first));
        store.set_own_prices(workspace, &[price(3.0)], &entry).await?;
        let catalogue: ModelList = serde_json::from_value(serde_json::json!({
            "models": [{ "id": "m", "pricing": { "inputPer1MUsd": 9.0, "outputPer1MUsd": 9.0 } }]
        }))?;
        store.record_prices(workspace, &catalogue, 0).await?;
        assert_eq!(prices().await?.for_run(None, "m").map(|price| price.input), Some(9.0));
        Ok(())
    }
}
