//! Chooses a larger model after a truncated run.
//!
//! The catalogue has the context window of a model and not its output limit. Both usually grow together, and the form says
//! so.

use app::format::grouped;
use protocol::json_pointer;
use serde_json::Value;

use crate::launch::{Catalogue, ModelChoice};

/// Writes the next larger model into the spec. Returns a sentence that says what was done, or why nothing was.
pub fn choose(spec: &mut Value, catalogue: &Catalogue) -> String {
    let asked = spec["modelId"].as_str().or(catalogue.default_model_id.as_deref()).unwrap_or_default();
    if let Some(why) = &catalogue.models.unavailable {
        return format!("{why} Choose a model with a larger output limit by its id.");
    }
    let Some(now) = catalogue.models.items.iter().find(|model| model.id == asked) else {
        return format!("The catalogue does not have “{asked}”, so no larger model could be chosen for you.");
    };
    let Some((reads, larger)) = next_larger(now, &catalogue.models.items) else {
        return format!(
            "No model of the catalogue reads more than {}. Ask for a shorter answer instead, or for its parts one by one.",
            now.id
        );
    };
    let done = format!(
        "The model is now {}: it reads {} tokens, and {} reads {}. How much a model may write is not in the catalogue; one \
         that reads more mostly may write more.",
        larger.id,
        grouped(reads),
        now.id,
        grouped(now.context_window_tokens.unwrap_or(0)),
    );
    json_pointer::set(spec, "/modelId", larger.id.clone().into());
    done
}

/// Returns the smallest of the larger models, of the same provider if possible.
fn next_larger<'a>(now: &ModelChoice, models: &'a [ModelChoice]) -> Option<(u64, &'a ModelChoice)> {
    let reads = now.context_window_tokens?;
    let larger = models.iter().filter_map(|model| Some((model.context_window_tokens?, model)));
    larger.filter(|(more, _)| *more > reads).min_by_key(|(more, model)| (model.provider != now.provider, *more))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::launch::Offer;

    fn catalogue(models: &[(&str, &str, u64)]) -> Catalogue {
        let model = |(id, provider, reads): &(&str, &str, u64)| ModelChoice {
            id: (*id).to_owned(),
            label: (*id).to_owned(),
            provider: (*provider).to_owned(),
            context_window_tokens: Some(*reads),
            input_per_1m_usd: None,
            output_per_1m_usd: None,
        };
        let models = Offer { items: models.iter().map(model).collect(), unavailable: None };
        Catalogue { models, default_model_id: Some("a/mini".to_owned()), ..Catalogue::default() }
    }

    #[test]
    fn the_next_larger_of_the_same_provider_is_chosen() {
        let models = [("a/mini", "a", 16_000), ("b/mid", "b", 32_000), ("a/max", "a", 400_000), ("a/mid", "a", 64_000)];
        for spec in [json!({ "modelId": "a/mini" }), json!({})] {
            let mut spec = spec;
            let said = choose(&mut spec, &catalogue(&models));
            assert_eq!(spec["modelId"], "a/mid");
            assert!(said.contains("64,000") && said.contains("16,000"), "{said}");
        }
    }

    #[test]
    fn without_a_larger_model_the_spec_stays_and_the_message_says_why() {
        for (asked, words) in [("a/mini", "reads more than a/mini"), ("c/other", "does not have “c/other”")] {
            let mut spec = json!({ "modelId": asked });
            let said = choose(&mut spec, &catalogue(&[("a/mini", "a", 16_000)]));
            assert!(said.contains(words), "{said}");
            assert_eq!(spec, json!({ "modelId": asked }));
        }
    }
}
