//! Whether the answer has the shape that was asked for.

use protocol::schema;
use protocol::timeline::{Ending, Timeline};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaFit {
    /// It breaks no rule that was judged.
    Fits,
    /// The answer is no JSON at all.
    NotJson,
    /// Where it breaks a rule: JSON pointer and reason.
    Breaks(Vec<(String, String)>),
}

/// None where no schema was asked for, or where there is no final answer to judge.
pub fn schema_fit(timeline: &Timeline, spec: Option<&Value>) -> Option<SchemaFit> {
    let schema = spec.map(|spec| &spec["outputSchema"]["schema"]).filter(|schema| schema.is_object())?;
    timeline.outcome.as_ref().filter(|outcome| outcome.ending == Ending::Succeeded)?;
    Some(match serde_json::from_str::<Value>(timeline.answer()) {
        Err(_) => SchemaFit::NotJson,
        Ok(answer) => match schema::check(schema, &answer) {
            faults if faults.is_empty() => SchemaFit::Fits,
            faults => SchemaFit::Breaks(faults.into_iter().map(|fault| (fault.path, fault.message)).collect()),
        },
    })
}

#[cfg(test)]
mod tests {
    use protocol::Event;
    use serde_json::json;

    use super::*;

    fn fit(answer: &str) -> Option<SchemaFit> {
        let spec = json!({ "outputSchema": { "schema": { "type": "object", "required": ["city"] } } });
        let timeline = Timeline::from_events(&[Event::new(1, "result", json!({ "text": answer }))]);
        schema_fit(&timeline, Some(&spec))
    }

    #[test]
    fn an_answer_fits_breaks_rules_or_is_no_json() {
        assert_eq!(fit(r#"{"city":"Bern"}"#), Some(SchemaFit::Fits));
        assert!(matches!(fit("{}"), Some(SchemaFit::Breaks(faults)) if faults.len() == 1));
        assert_eq!(fit("Bern"), Some(SchemaFit::NotJson));
    }
}
