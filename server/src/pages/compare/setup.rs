//! The differences between the set-ups of two runs: name, prompt, model, metadata and the other fields of the spec.

use std::collections::BTreeSet;

use app::model::compare::SetupDifference;
use domain::RunSummary;
use protocol::fields::SPEC_FIELDS;
use protocol::timeline::changes;
use serde_json::Value;

use super::excerpt::excerpts;
use crate::masking::masked;

const MAX_DIFFERENCES: usize = 100;
const VALUE_CHARS: usize = 240;

/// A run and its spec, if that is known. Secrets are masked.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    pub run: &'a RunSummary,
    pub spec: Option<&'a Value>,
}

/// Returns what differs, the most important first.
pub fn differences(left: Setup<'_>, right: Setup<'_>) -> Vec<SetupDifference> {
    let mut found = Vec::new();
    let mut compare = |field: String, one: Option<String>, other: Option<String>| {
        if one != other {
            let (left, right) = excerpts(one.as_deref(), other.as_deref(), VALUE_CHARS);
            found.push(SetupDifference { field: masked(&field).into_owned(), left, right });
        }
    };
    let both_specs = left.spec.zip(right.spec);
    let prompts = match both_specs {
        Some((one, other)) => [one, other].map(|spec| Some(protocol::spec::prompt_text(spec).to_owned())),
        None => [left, right].map(|setup| setup.run.input_preview.clone()),
    };
    let [one, other] = prompts.map(|prompt| prompt.filter(|prompt| !prompt.is_empty()));
    compare("Prompt".to_owned(), one, other);
    compare("Model".to_owned(), left.run.model.clone(), right.run.model.clone());
    compare("Name".to_owned(), left.run.name.clone(), right.run.name.clone());
    compare("Agent".to_owned(), left.run.agent_id.clone(), right.run.agent_id.clone());
    let keys: BTreeSet<&String> = left.run.metadata.keys().chain(right.run.metadata.keys()).collect();
    for key in keys {
        compare(format!("Metadata, {key}"), left.run.metadata.get(key).cloned(), right.run.metadata.get(key).cloned());
    }
    if let Some((one, other)) = both_specs {
        for change in changes(one, other).into_iter().filter(|change| !is_compared(&change.pointer)) {
            let text = |value: Option<Value>| value.map(|value| value.to_string());
            compare(SPEC_FIELDS.describe(&Value::Null, &change.pointer), text(change.before), text(change.after));
        }
    }
    found.truncate(MAX_DIFFERENCES);
    found
}

/// Returns true for fields that every run has, and that are compared without the spec.
fn is_compared(pointer: &str) -> bool {
    matches!(pointer, "/prompt" | "/modelId" | "/name" | "/agentId") || pointer.starts_with("/metadata")
}
