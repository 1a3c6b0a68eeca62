//! `POST /settings/redaction` and `POST /settings/prices`: forms of the settings page. A form with errors comes back with what
//! was typed.

use app::AppError;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Form};
use domain::{RedactionChange, RedactionMode, RedactionPattern};
use protocol::validate::FieldError;

use super::form_notice::NoticeStore;
use crate::api::ApiCaller;
use crate::error::Error;
use crate::pages::settings::{PriceDraft, PriceRow, RedactionDraft, SettingsDraft};
use crate::state::AppState;
use crate::{prices, redaction};

const REDACTION: &str = "/settings#redaction";
const PRICES: &str = "/settings#prices";
const NOT_SAVED: &str = "Nothing was saved. Correct the marked fields.";
const MAX_SAMPLE_CHARS: usize = 5_000;

/// Names and texts of a form's controls, in the order of the page.
type Controls = Vec<(String, String)>;

pub async fn change_redaction(
    State(state): State<AppState>,
    Extension(notices): Extension<NoticeStore>,
    ApiCaller(caller): ApiCaller,
    Form(controls): Form<Controls>,
) -> Response {
    let is_test = controls.iter().any(|(name, value)| name == "action" && value == "test");
    let mut draft = redaction_draft(controls);
    if is_test {
        draft.errors = redaction::check(&draft.patterns);
        let message = match draft.errors.is_empty() {
            true => match redaction::preview(&state, &caller, &draft.patterns, &draft.sample).await {
                Ok(shown) => {
                    draft.tested = Some(shown);
                    "Tested. Nothing is saved yet.".to_owned()
                }
                Err(error) => AppError::from(error).to_string(),
            },
            false => NOT_SAVED.to_owned(),
        };
        return notices.return_draft(&message, &of_redaction(draft), REDACTION).await;
    }
    let change = RedactionChange { patterns: draft.patterns.clone(), replaces_version: Some(draft.replaces_version) };
    let changed = redaction::change(&state, &caller, change).await;
    let with = |errors| of_redaction(RedactionDraft { errors, ..draft });
    respond(&notices, changed, "Redaction patterns saved. They apply from now on.", with, REDACTION).await
}

pub async fn change_prices(
    State(state): State<AppState>,
    Extension(notices): Extension<NoticeStore>,
    ApiCaller(caller): ApiCaller,
    Form(controls): Form<Controls>,
) -> Response {
    let draft = price_draft(controls);
    let own = draft.rows.iter().map(PriceRow::price).collect();
    let changed = prices::change(&state, &caller, own).await;
    let with = |errors| SettingsDraft { redaction: None, prices: Some(PriceDraft { errors, ..draft }) };
    let saved = "Prices saved. Runs without a cost get one when they are read again.";
    respond(&notices, changed, saved, with, PRICES).await
}

/// Leads back to the page: to what was saved, or to the form with what is wrong with it.
async fn respond<T>(
    notices: &NoticeStore,
    changed: Result<T, Error>,
    saved: &str,
    draft_with: impl FnOnce(Vec<FieldError>) -> SettingsDraft,
    place: &'static str,
) -> Response {
    let (message, errors) = match changed.map_err(AppError::from) {
        Ok(_) => {
            notices.announce(saved).await;
            return Redirect::to(place).into_response();
        }
        Err(AppError::Fields { errors }) => (NOT_SAVED.to_owned(), errors),
        Err(error) => (error.to_string(), Vec::new()),
    };
    notices.return_draft(&message, &draft_with(errors), place).await
}

fn of_redaction(draft: RedactionDraft) -> SettingsDraft {
    SettingsDraft { redaction: Some(draft), prices: None }
}

/// An empty pattern is a row that is removed, or was not used.
fn redaction_draft(controls: Controls) -> RedactionDraft {
    let mut draft = RedactionDraft::default();
    for (name, value) in controls {
        match name.as_str() {
            "pattern" => draft.patterns.push(RedactionPattern { pattern: value, mode: RedactionMode::Hide }),
            "mode" if value == "hash" => {
                if let Some(last) = draft.patterns.last_mut() {
                    last.mode = RedactionMode::Hash;
                }
            }
            "replaces_version" => draft.replaces_version = value.parse().unwrap_or_default(),
            "sample" => draft.sample = value.chars().take(MAX_SAMPLE_CHARS).collect(),
            _ => {}
        }
    }
    draft.patterns.retain(|pattern| !pattern.pattern.is_empty());
    draft
}

fn price_draft(controls: Controls) -> PriceDraft {
    let mut draft = PriceDraft::default();
    for (name, value) in controls {
        let value = value.trim().to_owned();
        if name == "model" {
            draft.rows.push(PriceRow::default());
        }
        let Some(row) = draft.rows.last_mut() else { continue };
        match name.as_str() {
            "model" => row.model = value,
            "input" => row.input = value,
            "output" => row.output = value,
            "cached" => row.cached = value,
            _ => {}
        }
    }
    draft.rows.retain(|row| *row != PriceRow::default());
    draft
}

#[cfg(test)]
mod tests {
    use super::*;

    fn controls(controls: &[(&str, &str)]) -> Controls {
        controls.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn controls_become_rows_and_empty_rows_are_left_out() {
        let form = [("replaces_version", "3"), ("pattern", "a"), ("mode", "hash"), ("pattern", ""), ("mode", "hash")];
        let draft = redaction_draft(controls(&form));
        assert_eq!((draft.patterns.len(), draft.patterns[0].mode, draft.replaces_version), (1, RedactionMode::Hash, 3));
        let form = [("model", " m "), ("input", "1.5"), ("output", "x"), ("model", ""), ("input", "")];
        let draft = price_draft(controls(&form));
        assert_eq!((draft.rows.len(), draft.rows[0].model.as_str()), (1, "m"));
        let price = draft.rows[0].price();
        assert!(price.input_per_1m_usd == 1.5 && price.output_per_1m_usd.is_nan());
    }
}
