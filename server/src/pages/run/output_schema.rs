//! Checks the answer against the output schema of the spec.

use protocol::schema;
use protocol::timeline::{Ending, Timeline};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaResult {
    Valid,
    NotJson,
    /// JSON Pointer and message of each violation.
    Invalid(Vec<(String, String)>),
}

/// Returns `None` if the spec has no output schema, or if the run has no final answer.
pub fn check_output(timeline: &Timeline, spec: Option<&Value>) -> Option<SchemaResult> {
    let schema = spec.map(|spec| &spec["outputSchema"]["schema"]).filter(|schema| schema.is_object())?;
    timeline.outcome.as_ref().filter(|outcome| outcome.ending == Ending::Succeeded)?;
    Some(match serde_json::from_str::<Value>(timeline.answer()) {
        Err(_) => SchemaResult::NotJson,
        Ok(answer) => match schema::check(schema, &answer) {
            violations if violations.is_empty() => SchemaResult::Valid,
            violations => SchemaResult::Invalid(
                violations.into_iter().map(|violation| (violation.path, violation.message)).collect(),
            ),
        },
    })
}

#[cfg(test)]
mod tests {
    use protocol::Event;
    use serde_json::json;

    use super::*;

    fn check(answer: &str) -> Option<SchemaResult> {
        let spec = json!({ "outputSchema": { "schema": { "type": "object", "required": ["city"] } } });
        let timeline = Timeline::from_events(&[Event::new(1, "result", json!({ "text": answer }))]);
        check_output(&timeline, Some(&spec))
    }

    #[test]
    fn an_answer_is_valid_invalid_or_not_json() {
        assert_eq!(check(r#"{"city":"Bern"}"#), Some(SchemaResult::Valid));
        assert!(matches!(check("{}"), Some(SchemaResult::Invalid(violations)) if violations.len() == 1));
        assert_eq!(check("Bern"), Some(SchemaResult::NotJson));
    }
}
