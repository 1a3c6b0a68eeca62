//! Prices of models: those of MANTYX's catalogue, and own ones of a workspace for models that have none there.

use std::collections::HashSet;

use app::AppError;
use domain::{AuditAction, ModelPrice, ModelPrices};
use protocol::validate::FieldError;

use crate::auth::Caller;
use crate::error::Error;
use crate::state::AppState;

const MAX_OWN_PRICES: usize = 100;
/// US dollars per million tokens.
const MAX_PRICE: f64 = 1_000_000.0;
pub const INVALID_PRICE: &str = "Use a number from 0 to 1,000,000, for example 2.50.";

pub async fn load(state: &AppState, caller: &Caller) -> Result<ModelPrices, Error> {
    Ok(state.store.model_prices(caller.workspace_id).await?)
}

/// Replaces the own prices. What is so already gets no entry in the audit log.
pub async fn change(state: &AppState, caller: &Caller, own: Vec<ModelPrice>) -> Result<ModelPrices, Error> {
    let known = load(state, caller).await?;
    let in_use: HashSet<String> = state.store.models_in_use(caller.workspace_id).await?.into_iter().collect();
    let errors = check(&own, &known, &in_use);
    if !errors.is_empty() {
        return Err(AppError::Fields { errors }.into());
    }
    let counted = format!("{} {}", own.len(), if own.len() == 1 { "price" } else { "prices" });
    let entry = caller.actor.entry(AuditAction::ChangePrices).with_detail(counted);
    state.store.set_own_prices(caller.workspace_id, &own, &entry).await?;
    load(state, caller).await
}

/// The errors of own prices, each with the JSON Pointer of its field.
fn check(own: &[ModelPrice], known: &ModelPrices, in_use: &HashSet<String>) -> Vec<FieldError> {
    if own.len() > MAX_OWN_PRICES {
        let message = format!("A workspace can set up to {MAX_OWN_PRICES} prices. Remove some.");
        return vec![FieldError::new("/own", "too_many", message)];
    }
    let has_price = |prices: &[ModelPrice], model: &str| prices.iter().any(|price| price.model == model);
    let mut errors = Vec::new();
    for (index, price) in own.iter().enumerate() {
        let model = price.model.as_str();
        let mut refuse = |field: &str, code: &str, message: &str| {
            errors.push(FieldError::new(format!("/own/{index}/{field}"), code, message));
        };
        if model.is_empty() {
            refuse("model", "required", "Enter the model's id.");
        } else if has_price(&own[..index], model) {
            refuse("model", "duplicate", "This model is listed twice. Remove one of its prices.");
        } else if has_price(&known.catalogue, model) {
            refuse(
                "model",
                "in_catalogue",
                "MANTYX's catalogue has a price for this model, which is used. Remove this one.",
            );
        } else if !in_use.contains(model) && !has_price(&known.own, model) {
            refuse("model", "unknown", "No run in this workspace uses this model. Check its id.");
        }
        let fields = [
            ("inputPer1MUsd", Some(price.input_per_1m_usd)),
            ("outputPer1MUsd", Some(price.output_per_1m_usd)),
            ("cacheReadPer1MUsd", price.cached_input_per_1m_usd),
        ];
        for (field, price) in fields {
            if price.is_some_and(|price| !(0.0..=MAX_PRICE).contains(&price)) {
                refuse(field, "price", INVALID_PRICE);
            }
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(model: &str, input: f64) -> ModelPrice {
        ModelPrice { model: model.to_owned(), input_per_1m_usd: input, ..ModelPrice::default() }
    }

    #[test]
    fn each_wrong_price_has_its_own_error() {
        let known = ModelPrices { catalogue: vec![price("listed", 1.0)], own: vec![price("gone", 1.0)] };
        let in_use = HashSet::from(["used".to_owned(), "listed".to_owned()]);
        let codes = |own: &[ModelPrice]| -> Vec<(String, String)> {
            check(own, &known, &in_use).into_iter().map(|error| (error.path, error.code)).collect()
        };
        assert_eq!(codes(&[price("used", 0.0), price("gone", 2.0)]), []);
        let own = [price("used", -1.0), price("used", f64::NAN), price("listed", 1.0), price("x", 1.0), price("", 2e6)];
        let expected = [
            ("/own/0/inputPer1MUsd", "price"),
            ("/own/1/model", "duplicate"),
            ("/own/1/inputPer1MUsd", "price"),
            ("/own/2/model", "in_catalogue"),
            ("/own/3/model", "unknown"),
            ("/own/4/model", "required"),
            ("/own/4/inputPer1MUsd", "price"),
        ];
        assert_eq!(codes(&own), expected.map(|(path, code)| (path.to_owned(), code.to_owned())));
        assert_eq!(codes(&vec![price("used", 1.0); 101]), [("/own".to_owned(), "too_many".to_owned())]);
    }
}
