//! Prices of models as HTML: those of MANTYX's catalogue, and a form for own ones.

use domain::{ModelPrice, ModelPrices};
use leptos::prelude::*;
use protocol::validate::FieldError;
use serde::{Deserialize, Serialize};

use super::{error_id, field_error};
use crate::auth::scopes::RUNS_READ;
use crate::error::Error;
use crate::masking::{is_redacted, shown};
use crate::prices;
use crate::workspace::SignedInWorkspace;

/// Models that the form suggests.
const MAX_SUGGESTED: usize = 100;

/// The form as it was sent.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct PriceDraft {
    pub rows: Vec<PriceRow>,
    pub errors: Vec<FieldError>,
}

/// A row of the form: what was typed.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceRow {
    pub model: String,
    pub input: String,
    pub output: String,
    pub cached: String,
}

impl PriceRow {
    fn of(price: &ModelPrice) -> Self {
        let cached = price.cached_input_per_1m_usd.map(|price| price.to_string()).unwrap_or_default();
        let (input, output) = (price.input_per_1m_usd.to_string(), price.output_per_1m_usd.to_string());
        Self { model: price.model.clone(), input, output, cached }
    }

    /// What is no number becomes NaN, which is refused.
    pub fn price(&self) -> ModelPrice {
        let number = |text: &str| text.parse().unwrap_or(f64::NAN);
        ModelPrice {
            model: self.model.clone(),
            input_per_1m_usd: number(&self.input),
            output_per_1m_usd: number(&self.output),
            cached_input_per_1m_usd: (!self.cached.is_empty()).then(|| number(&self.cached)),
        }
    }
}

pub async fn load(workspace: &SignedInWorkspace, draft: Option<PriceDraft>) -> Result<String, Error> {
    if !workspace.has_scope(RUNS_READ) {
        return Ok(
            view! { <p class="hint">"Your sign-in does not include runs:read, so prices are not shown."</p> }.to_html()
        );
    }
    let saved = prices::load(&workspace.state, &workspace.caller).await?;
    let own = match super::refusal(workspace, "Setting prices") {
        Some(refusal) => read_only(&saved.own, refusal),
        None => {
            let models = workspace.state.store.models_in_use(workspace.caller.workspace_id).await?;
            form(draft, &saved, models)
        }
    };
    Ok(view! { <h3>"MANTYX's catalogue"</h3>{catalogue(&saved.catalogue)}<h3>"Own prices"</h3>{own} }.to_html())
}

fn catalogue(prices: &[ModelPrice]) -> AnyView {
    if prices.is_empty() {
        return view! { <p class="hint">"MANTYX has listed no prices yet."</p> }.into_any();
    }
    view! { <p class="hint">"Read-only. US dollars per million tokens."</p>{table("Prices of MANTYX's catalogue", prices)} }.into_any()
}

fn read_only(own: &[ModelPrice], refusal: String) -> AnyView {
    let table = (!own.is_empty()).then(|| table("Own prices", own));
    view! { {table}<p class="hint">{refusal}</p> }.into_any()
}

fn table(label: &'static str, prices: &[ModelPrice]) -> AnyView {
    let row = |price: &ModelPrice| {
        let cached = price.cached_input_per_1m_usd.unwrap_or(price.input_per_1m_usd).to_string();
        let (input, output) = (price.input_per_1m_usd.to_string(), price.output_per_1m_usd.to_string());
        let model = shown(&price.model).into_owned();
        view! { <tr><th scope="row"><code>{model}</code></th><td class="number">{input}</td><td class="number">{output}</td><td class="number">{cached}</td></tr> }
    };
    view! {
        <div class="table-scroll" role="region" aria-label=label tabindex="0">
            <table class="tools">
                {head("number")}
                <tbody>{prices.iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn head(class: &'static str) -> AnyView {
    view! {
        <thead>
            <tr>
                <th scope="col">"Model"</th>
                <th scope="col" class=class>"Input"</th>
                <th scope="col" class=class>"Output"</th>
                <th scope="col" class=class>"Cached input"</th>
            </tr>
        </thead>
    }
    .into_any()
}

fn form(draft: Option<PriceDraft>, saved: &ModelPrices, models: Vec<String>) -> AnyView {
    let PriceDraft { mut rows, errors } =
        draft.unwrap_or_else(|| PriceDraft { rows: saved.own.iter().map(PriceRow::of).collect(), errors: Vec::new() });
    rows.push(PriceRow::default());
    let has_no_price = |model: &String| saved.catalogue.iter().all(|price| price.model != *model);
    let suggested = models.into_iter().filter(has_no_price).filter(|model| !is_redacted(model)).take(MAX_SUGGESTED);
    let suggested = suggested.map(|model| view! { <option value=model></option> }).collect_view();
    let rows = rows.iter().enumerate().map(|(index, row)| form_row(index, row, &errors)).collect_view();
    view! {
        <p class="hint">
            "For models without a price in the catalogue, in US dollars per million tokens. Runs whose cost is unknown get an \
            estimate when Runlens reads them from MANTYX again or imports them; costs that are known stay as they are. Without a \
            price for cached input, it costs as much as other input. Clear a row to remove its price."
        </p>
        <form class="view-form" method="post" action="/settings/prices">
            {field_error(&errors, "/own")}
            <div class="table-scroll" role="region" aria-label="Own prices" tabindex="0">
                <table class="tools">{head("")}<tbody>{rows}</tbody></table>
            </div>
            <datalist id="models-without-price">{suggested}</datalist>
            <div class="form-buttons"><button class="button primary" type="submit">"Save prices"</button></div>
        </form>
    }
    .into_any()
}

fn form_row(index: usize, row: &PriceRow, errors: &[FieldError]) -> AnyView {
    let number = index + 1;
    let field = |name: &'static str, label: &str, pointer: &str, value: &str| {
        let path = format!("/own/{index}/{pointer}");
        let error = field_error(errors, &path);
        let is_invalid = error.is_some().then_some("true");
        let described_by = error.is_some().then(|| error_id(&path));
        let list = (name == "model").then_some("models-without-price");
        let mode = (name != "model").then_some("decimal");
        let label = format!("{label} {number}");
        view! {
            <td>
                <input type="text" name=name value=value.to_owned() maxlength="200" size="9" list=list inputmode=mode autocomplete="off" aria-label=label aria-invalid=is_invalid
                    aria-describedby=described_by />
                {error}
            </td>
        }
    };
    view! {
        <tr>
            {field("model", "Model", "model", &row.model)}
            {field("input", "Input price", "inputPer1MUsd", &row.input)}
            {field("output", "Output price", "outputPer1MUsd", &row.output)}
            {field("cached", "Price of cached input", "cacheReadPer1MUsd", &row.cached)}
        </tr>
    }
    .into_any()
}
