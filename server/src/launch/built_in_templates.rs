//! The built-in templates. The sandbox has prepared responses to their prompts, so that each shows its feature reliably.

use std::sync::LazyLock;

use domain::ToolAnswerers;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::LaunchContent;
use super::templates::{Template, TemplateOwner};

#[derive(Deserialize)]
struct BuiltIn {
    id: String,
    name: String,
    notes: String,
    prompt: String,
    spec: Map<String, Value>,
    #[serde(default)]
    answers: ToolAnswerers,
}

static BUILT_INS: LazyLock<Vec<BuiltIn>> =
    LazyLock::new(|| serde_json::from_str(include_str!("built_in_templates.json")).expect("valid templates"));

/// `sandbox` is the address of the embedded sandbox, if it is in use.
pub fn list(sandbox: Option<&str>) -> impl Iterator<Item = Template> {
    BUILT_INS.iter().map(move |built_in| Template {
        id: format!("built-in-{}", built_in.id),
        name: built_in.name.clone(),
        notes: built_in.notes.clone(),
        shared: true,
        owner: TemplateOwner::BuiltIn,
        content: LaunchContent { spec: built_in.spec(sandbox), answers: built_in.answers.clone() },
    })
}

impl BuiltIn {
    fn spec(&self, sandbox: Option<&str>) -> Value {
        let mut spec = json!({
            "name": self.id,
            "systemPrompt": "You are a helpful assistant. Use the tools that you have.",
            "prompt": self.prompt,
            "metadata": { "template": self.id },
        });
        for (field, value) in &self.spec {
            spec[field] = value.clone();
        }
        if let Some(address) = sandbox {
            spec["modelId"] = "sandbox/script".into();
            if spec["tools"][0]["kind"] == "mcp" {
                spec["tools"][0]["url"] = format!("{address}/demo/mcp").into();
            }
        }
        spec
    }
}

#[cfg(test)]
mod tests {
    use app::launch::LaunchMode;

    use super::super::{LaunchRequest, validation};
    use super::*;

    #[test]
    fn every_template_is_valid() {
        for template in list(Some("http://127.0.0.1:3001")).chain(list(None)) {
            let LaunchContent { spec, answers } = template.content;
            let prompt = spec["prompt"].as_str().unwrap_or_default();
            assert!(!prompt.is_empty() && !prompt.contains('/'), "reads like work, not like a script: {prompt}");
            let (key, mode) = ("a-key-for-tests".to_owned(), LaunchMode::OneShot);
            let request = LaunchRequest { key, mode, spec, answers, origin_run_id: None };
            assert_eq!(validation::check_request(&request), Ok(()), "{}", template.name);
        }
    }
}
