//! Chooses a larger model after a truncated run.
//!
//! The catalogue has the context window of a model and not its output limit. Both usually grow together, and the form says
//! so.

use app::format::grouped;
use protocol::json_pointer;
use serde_json::Value;

use super::model_record::{self, ModelRecord, Needs};
use crate::error::Error;
use crate::launch::{Catalogue, Launcher, ModelChoice};
use crate::state::AppState;

/// The most models whose runs are read.
const MAX_CANDIDATES: usize = 8;

/// Writes the next larger model that supports what the spec needs into it. Returns a sentence that says what was done, or
/// why nothing was.
pub async fn choose(
    state: &AppState,
    launcher: &Launcher,
    spec: &mut Value,
    catalogue: &Catalogue,
) -> Result<String, Error> {
    let needs = Needs::of(spec);
    let mut records = Vec::new();
    if !needs.is_none() {
        for (_, model) in larger_models(spec, catalogue) {
            records.push((model.id.clone(), model_record::load(state, launcher, model, needs).await?));
        }
    }
    Ok(write_larger(spec, catalogue, needs, &records))
}

fn write_larger(spec: &mut Value, catalogue: &Catalogue, needs: Needs, records: &[(String, ModelRecord)]) -> String {
    if let Some(why) = &catalogue.models.unavailable {
        return format!("{why} Enter the id of a model with a larger output limit.");
    }
    let Some(now) = current(spec, catalogue) else {
        return "The model of this run is not in the catalogue, so no larger one was chosen.".to_owned();
    };
    let record = |model: &ModelChoice| records.iter().find(|(id, _)| *id == model.id).map(|(_, record)| *record);
    let support = |model: &ModelChoice| record(model).unwrap_or_default().supports(needs);
    let candidates = larger_models(spec, catalogue).into_iter().filter(|(_, model)| support(model) != Some(false));
    // The first of those that are known to work, or else the first.
    let Some((reads, larger)) = candidates.min_by_key(|(_, model)| support(model).is_none()) else {
        return format!(
            "No larger model than {} in the catalogue supports what this run needs. Ask for a shorter answer, or for its \
             parts one by one.",
            now.id
        );
    };
    let unknown = match support(larger) {
        None => " No run shows yet whether it supports the tools and the output schema of this run.",
        Some(_) => "",
    };
    let done = format!(
        "The model is now {}, with a context of {} tokens instead of {}. The catalogue has no output limits; models with \
         larger context usually allow longer output.{unknown}",
        larger.id,
        grouped(reads),
        grouped(now.context_window_tokens.unwrap_or(0)),
    );
    let id = larger.id.clone();
    json_pointer::set(spec, "/modelId", id.into());
    done
}

fn current<'a>(spec: &Value, catalogue: &'a Catalogue) -> Option<&'a ModelChoice> {
    let id = spec["modelId"].as_str().or(catalogue.default_model_id.as_deref())?;
    catalogue.models.items.iter().find(|model| model.id == id)
}

/// Returns the larger models, those of the same provider first, then by size.
fn larger_models<'a>(spec: &Value, catalogue: &'a Catalogue) -> Vec<(u64, &'a ModelChoice)> {
    let Some((now, reads)) = current(spec, catalogue).and_then(|now| Some((now, now.context_window_tokens?))) else {
        return Vec::new();
    };
    let models = catalogue.models.items.iter().filter_map(|model| Some((model.context_window_tokens?, model)));
    let mut larger: Vec<_> = models.filter(|(more, _)| *more > reads).collect();
    larger.sort_by_key(|(more, model)| (model.provider != now.provider, *more));
    larger.truncate(MAX_CANDIDATES);
    larger
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::launch::Offer;

    const MODELS: [(&str, &str, u64); 4] =
        [("a/mini", "a", 16_000), ("b/mid", "b", 32_000), ("a/max", "a", 400_000), ("a/mid", "a", 64_000)];

    fn catalogue(models: &[(&str, &str, u64)]) -> Catalogue {
        let model = |(id, provider, reads): &(&str, &str, u64)| ModelChoice {
            id: (*id).to_owned(),
            label: (*id).to_owned(),
            provider: (*provider).to_owned(),
            vendor_model_id: (*id).to_owned(),
            context_window_tokens: Some(*reads),
            input_per_1m_usd: None,
            output_per_1m_usd: None,
        };
        let models = Offer { items: models.iter().map(model).collect(), unavailable: None };
        Catalogue { models, default_model_id: Some("a/mini".to_owned()), ..Catalogue::default() }
    }

    #[test]
    fn the_next_larger_of_the_same_provider_is_chosen() {
        for spec in [json!({ "modelId": "a/mini" }), json!({})] {
            let mut spec = spec;
            let said = write_larger(&mut spec, &catalogue(&MODELS), Needs::default(), &[]);
            assert_eq!(spec["modelId"], "a/mid");
            assert!(said.contains("64,000") && said.contains("16,000"), "{said}");
        }
    }

    #[test]
    fn a_model_that_lacks_something_is_not_chosen_and_a_known_one_comes_first() {
        let needs = Needs { schema: true, ..Needs::default() };
        let record = |id: &str, schema| (id.to_owned(), ModelRecord { schema, ..ModelRecord::default() });
        let choose = |records: &[(String, ModelRecord)]| {
            let mut spec = json!({ "outputSchema": {} });
            let said = write_larger(&mut spec, &catalogue(&MODELS), needs, records);
            (spec["modelId"].as_str().unwrap_or_default().to_owned(), said)
        };
        let (model, said) = choose(&[record("a/mid", Some(false))]);
        assert!(model == "a/max" && said.contains("No run shows yet"), "{model}: {said}");
        let (model, said) = choose(&[record("a/mid", None), record("b/mid", Some(true))]);
        assert!(model == "b/mid" && !said.contains("No run shows yet"), "{model}: {said}");
        let (model, said) = choose(&["a/mid", "a/max", "b/mid"].map(|id| record(id, Some(false))));
        assert!(model.is_empty() && said.contains("No larger model"), "{said}");
    }

    #[test]
    fn without_a_larger_model_the_spec_stays_and_the_message_says_why() {
        for (asked, words) in [("a/mini", "No larger model than a/mini"), ("c/other", "not in the catalogue")] {
            let mut spec = json!({ "modelId": asked });
            let said = write_larger(&mut spec, &catalogue(&[("a/mini", "a", 16_000)]), Needs::default(), &[]);
            assert!(said.contains(words), "{said}");
            assert_eq!(spec, json!({ "modelId": asked }));
        }
    }
}
