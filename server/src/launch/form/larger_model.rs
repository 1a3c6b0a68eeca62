//! Chooses a larger model after a truncated run.
//!
//! The catalogue has the context window of a model and not its output limit. Both usually grow together, and the form says
//! so. It doesn't say either whether a model supports tools and output schemas; the workspace's earlier runs show that.

use app::format::grouped;
use domain::RunSort;
use protocol::{Query, json_pointer};
use serde_json::Value;

use crate::clock::now_ms;
use crate::error::Error;
use crate::launch::{Catalogue, Launcher, ModelChoice};

/// The most models whose runs are read.
const MAX_CANDIDATES: usize = 8;
/// The newest runs of a model that are read.
const MAX_RUNS: u32 = 20;

/// Writes the next larger model that supports what the spec needs into it. Returns a sentence that says what was done, or
/// why nothing was.
pub async fn choose(launcher: &Launcher<'_>, spec: &mut Value, catalogue: &Catalogue) -> Result<String, Error> {
    let mut candidates = Vec::new();
    for model in larger_models(spec, catalogue) {
        candidates.push((model, supports(launcher, model, spec).await?));
    }
    Ok(write_larger(spec, catalogue, &candidates))
}

/// Returns whether runs show that a model supports the tools and the output schema of a spec. `None` if no run shows it.
async fn supports(launcher: &Launcher<'_>, model: &ModelChoice, spec: &Value) -> Result<Option<bool>, Error> {
    let needs_tools = spec["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let needs_schema = spec["outputSchema"].is_object();
    let (mut tools, mut schema) = ((!needs_tools).then_some(true), (!needs_schema).then_some(true));
    let (state, workspace) = (launcher.state, launcher.caller.workspace_id);
    let query = Query::parse(&format!("model:\"{}\"", model.vendor_model_id));
    let Some(query) = query.ok().filter(|_| needs_tools || needs_schema) else { return Ok(tools.and(schema)) };
    let plan = state.store.plan(workspace, &query, now_ms()).await?;
    for run in state.store.list_runs(&plan, RunSort::default(), None, MAX_RUNS).await?.runs {
        if run.tool_calls.is_some_and(|calls| calls > 0) {
            tools = Some(true);
        }
        if schema.is_none() && run.status.is_terminal() {
            let replay = state.timelines.load(&state.store, workspace, &run.id).await?;
            let outcome = replay.latest().outcome.clone();
            schema = outcome.as_deref().and_then(|outcome| match &outcome.schema {
                Some(report) => Some(report.enforced && !report.fell_back),
                None => (outcome.error_class.as_deref() == Some("structured_output_not_supported")).then_some(false),
            });
        }
        if schema == Some(false) || tools.and(schema).is_some() {
            return Ok(schema);
        }
    }
    Ok(None)
}

/// `candidates` are larger models, and whether they support what the run needs.
fn write_larger(spec: &mut Value, catalogue: &Catalogue, candidates: &[(&ModelChoice, Option<bool>)]) -> String {
    if let Some(why) = &catalogue.models.unavailable {
        return format!("{why} Enter the id of a model with a larger output limit.");
    }
    let Some(now) = current(spec, catalogue) else {
        return "The model of this run is not in the catalogue, so no larger one was chosen.".to_owned();
    };
    let usable = candidates.iter().filter(|(_, supports)| *supports != Some(false));
    // The first of those that are known to work, or else the first.
    let Some((larger, supports)) = usable.min_by_key(|(_, supports)| supports.is_none()) else {
        return format!(
            "No larger model than {} in the catalogue supports what this run needs. Ask for a shorter answer, or for its \
             parts one by one.",
            now.id
        );
    };
    let unknown = match supports {
        None => " No run shows yet whether it supports the tools and the output schema of this run.",
        Some(_) => "",
    };
    json_pointer::set(spec, "/modelId", larger.id.as_str().into());
    let window = |model: &ModelChoice| grouped(model.context_window_tokens.unwrap_or(0));
    format!(
        "The model is now {}, with a context of {} tokens instead of {}. The catalogue has no output limits; models with \
         larger context usually allow longer output.{unknown}",
        larger.id,
        window(larger),
        window(now),
    )
}

fn current<'a>(spec: &Value, catalogue: &'a Catalogue) -> Option<&'a ModelChoice> {
    let id = spec["modelId"].as_str().or(catalogue.default_model_id.as_deref())?;
    catalogue.models.items.iter().find(|model| model.id == id)
}

/// Returns the larger models, those of the same provider first, then by size.
fn larger_models<'a>(spec: &Value, catalogue: &'a Catalogue) -> Vec<&'a ModelChoice> {
    let Some(now) = current(spec, catalogue).filter(|now| now.context_window_tokens.is_some()) else {
        return Vec::new();
    };
    let is_larger = |model: &&ModelChoice| model.context_window_tokens > now.context_window_tokens;
    let mut larger: Vec<_> = catalogue.models.items.iter().filter(is_larger).collect();
    larger.sort_by_key(|model| (model.provider != now.provider, model.context_window_tokens));
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
            provider: (*provider).to_owned(),
            context_window_tokens: Some(*reads),
            ..ModelChoice::default()
        };
        let models = Offer { items: models.iter().map(model).collect(), unavailable: None };
        Catalogue { models, default_model_id: Some("a/mini".to_owned()), ..Catalogue::default() }
    }

    /// Returns the chosen model and the sentence. `known` are models with what runs show; of others nothing is known.
    fn choose(mut spec: Value, models: &[(&str, &str, u64)], known: &[(&str, bool)]) -> (Value, String) {
        let catalogue = catalogue(models);
        let support = |model: &ModelChoice| known.iter().find(|(id, _)| *id == model.id).map(|(_, known)| *known);
        let larger = larger_models(&spec, &catalogue);
        let candidates: Vec<_> = larger.into_iter().map(|model| (model, support(model))).collect();
        let said = write_larger(&mut spec, &catalogue, &candidates);
        (spec["modelId"].clone(), said)
    }

    #[test]
    fn the_next_larger_of_the_same_provider_is_chosen() {
        for spec in [json!({ "modelId": "a/mini" }), json!({})] {
            let (model, said) = choose(spec, &MODELS, &[("a/mid", true)]);
            assert_eq!(model, "a/mid");
            assert!(said.contains("64,000") && said.contains("16,000"), "{said}");
        }
    }

    #[test]
    fn a_model_that_lacks_something_is_not_chosen_and_a_known_one_comes_first() {
        let (model, said) = choose(json!({}), &MODELS, &[("a/mid", false)]);
        assert!(model == "a/max" && said.contains("No run shows yet"), "{model}: {said}");
        let (model, said) = choose(json!({}), &MODELS, &[("b/mid", true)]);
        assert!(model == "b/mid" && !said.contains("No run shows yet"), "{model}: {said}");
        let (model, said) = choose(json!({}), &MODELS, &[("a/mid", false), ("a/max", false), ("b/mid", false)]);
        assert!(model.is_null() && said.contains("No larger model"), "{said}");
    }

    #[test]
    fn without_a_larger_model_the_spec_stays_and_the_message_says_why() {
        for (asked, words) in [("a/mini", "No larger model than a/mini"), ("c/other", "not in the catalogue")] {
            let (model, said) = choose(json!({ "modelId": asked }), &[("a/mini", "a", 16_000)], &[]);
            assert!(model == asked && said.contains(words), "{said}");
        }
    }
}
