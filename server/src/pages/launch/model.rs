//! The model's label, and the estimate of what the input costs.

use serde_json::Value;

use super::controls::PageBuilder;
use crate::launch::ModelChoice;

/// An average over languages and models, good enough for an estimate.
const CHARS_PER_TOKEN: u64 = 4;

impl PageBuilder<'_> {
    /// Estimates the cost of the prompt, and says whether it is too long.
    pub fn estimate(&self) -> String {
        let session = self.draft.session_spec().and_then(|session| session["modelId"].as_str());
        let id = self.spec()["modelId"].as_str().or(session).or(self.catalogue.default_model_id.as_deref());
        let Some(model) = self.catalogue.models.items.iter().find(|model| Some(model.id.as_str()) == id) else {
            return String::new();
        };
        let tokens = input_chars(self.spec()).div_ceil(CHARS_PER_TOKEN);
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let cost = match model.input_per_1m_usd.map(|price| price * tokens as f64 / 1e6) {
            Some(usd) if usd >= 0.0001 => format!("Sending the input once costs about ${usd:.4}. "),
            Some(usd) if usd > 0.0 => "Sending the input once costs less than $0.0001. ".to_owned(),
            _ => String::new(),
        };
        let is_too_long = model.context_window_tokens.is_some_and(|window| tokens > window);
        format!("{cost}{}", if is_too_long { "It is likely too long for this model." } else { "" })
    }
}

pub fn describe(model: &ModelChoice) -> String {
    let mut label = model.label.clone();
    if let Some(window) = model.context_window_tokens {
        label.push_str(&format!(" · {} tokens", app::format::compact_number(window)));
    }
    if let (Some(input), Some(output)) = (model.input_per_1m_usd, model.output_per_1m_usd) {
        label.push_str(&format!(" · ${input} in, ${output} out per 1M"));
    }
    label
}

fn input_chars(spec: &Value) -> u64 {
    let count = |value: &Value| value.as_str().map_or(0, |text| text.chars().count() as u64);
    let messages = spec["messages"].as_array().into_iter().flatten();
    count(&spec["prompt"])
        + count(&spec["systemPrompt"])
        + messages.map(|message| count(&message["content"])).sum::<u64>()
}
