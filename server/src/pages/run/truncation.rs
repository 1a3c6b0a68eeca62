//! The facts about a truncated answer: the limit, the place of the cut, and the part of a JSON document that is usable.

use protocol::json::preview;
use protocol::partial_json::{self, Content, End, Label, PartialJson};
use protocol::timeline::Timeline;
use serde_json::Value;

/// Lines of the partial document; the ones before the cut matter most.
const MAX_LINES: usize = 300;
const VALUE_CHARS: usize = 200;

#[derive(Clone, Debug, PartialEq)]
pub struct Truncation {
    pub seq: u64,
    /// The model that reached its limit.
    pub model: Option<String>,
    pub output_tokens: Option<u64>,
    pub reasoning_tokens: u64,
    /// The number of turns that the tokens were spent in.
    pub turns: u64,
    pub thinking_chars: u64,
    pub answer_chars: u64,
    /// Set if the answer is an incomplete JSON document.
    pub partial: Option<PartialTree>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartialTree {
    pub lines: Vec<PartialLine>,
    pub left_out: usize,
    /// The JSON Pointer of the value that was being written at the cut.
    pub open_path: Option<String>,
    /// JSON Pointers of required fields that are missing.
    pub missing: Vec<String>,
    pub closed: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PartialLine {
    pub depth: usize,
    pub label: String,
    pub value: String,
    pub closed: bool,
}

/// Returns `None` for a run that was not truncated.
pub fn truncation(timeline: &Timeline, spec: Option<&Value>) -> Option<Truncation> {
    let seq = timeline.truncation_seq()?;
    let outcome = timeline.outcome.as_ref()?;
    let text = timeline.answer();
    let schema = spec.map(|spec| &spec["outputSchema"]["schema"]).filter(|schema| schema.is_object());
    Some(Truncation {
        seq,
        model: outcome.model.clone(),
        reasoning_tokens: outcome.tokens.map_or(0, |tokens| tokens.reasoning_tokens),
        turns: timeline.turns.len() as u64,
        output_tokens: outcome.tokens.map(|tokens| tokens.output_tokens).filter(|tokens| *tokens > 0),
        thinking_chars: timeline.turns.last().map_or(0, |turn| turn.thinking.chars().count() as u64),
        answer_chars: text.chars().count() as u64,
        partial: partial_json::read(text).filter(|read| read.end != End::Closed).map(|read| tree(&read, schema)),
    })
}

fn tree(read: &PartialJson, schema: Option<&Value>) -> PartialTree {
    let left_out = read.nodes.len().saturating_sub(MAX_LINES);
    // The cut is at the end, so lines in the middle are left out.
    let skipped = MAX_LINES / 2..MAX_LINES / 2 + left_out;
    let shown = read.nodes.iter().enumerate().filter(|(index, _)| left_out == 0 || !skipped.contains(index));
    let mut lines: Vec<PartialLine> = shown
        .map(|(_, node)| PartialLine {
            depth: node.depth.min(12),
            label: match &node.label {
                Label::Root => String::new(),
                Label::Field(name) => name.clone(),
                Label::Item(at) => at.to_string(),
            },
            value: match &node.content {
                Content::Object => "{".to_owned(),
                Content::Array => "[".to_owned(),
                Content::Text(text) => {
                    format!("\"{}{}", preview(text, VALUE_CHARS), if node.is_closed { "\"" } else { "" })
                }
                Content::Number(written) | Content::Word(written) => written.clone(),
            },
            closed: node.is_closed,
        })
        .collect();
    if let Some(field) = &read.begun_field {
        let depth = lines.iter().rev().find(|line| !line.closed && matches!(line.value.as_str(), "{" | "["));
        let depth = depth.map_or(1, |line| line.depth + 1);
        lines.push(PartialLine { depth, label: field.name.clone(), value: String::new(), closed: false });
    }
    PartialTree {
        lines,
        left_out,
        open_path: read.open_path(),
        missing: schema.map(|schema| read.missing_fields(schema)).unwrap_or_default(),
        closed: read.nodes.iter().filter(|node| node.is_closed && !node.is_container()).count(),
    }
}

#[cfg(test)]
mod tests {
    use protocol::Event;
    use serde_json::json;

    use super::*;

    fn cut(text: &str) -> Timeline {
        Timeline::from_events(&[
            Event::new(1, "thinking_delta", json!({ "text": "Hm." })),
            Event::new(2, "assistant_message", json!({ "text": text, "finishReason": "max_tokens" })),
            Event::new(3, "error", json!({ "error": "cut", "errorClass": "truncation", "partialText": text })),
        ])
    }

    #[test]
    fn an_incomplete_document_is_a_tree_with_its_cut_and_missing_fields() {
        let spec = json!({ "outputSchema": { "schema": { "type": "object", "required": ["city", "summary"] } } });
        let card = truncation(&cut(r#"{"city": "Bern", "days": [{"high": 21}, {"hi"#), Some(&spec)).expect("truncated");
        assert_eq!((card.seq, card.thinking_chars, card.answer_chars), (3, 3, 44));
        let tree = card.partial.expect("an incomplete document");
        assert_eq!(tree.missing, ["/summary"]);
        assert_eq!(tree.open_path.as_deref(), Some("/days/1"));
        let last = tree.lines.last().expect("lines");
        assert_eq!((last.label.as_str(), last.closed, last.depth), ("hi", false, 3));
    }

    #[test]
    fn plain_text_has_no_tree() {
        let card = truncation(&cut(&"Bärn. ".repeat(100)), None).expect("truncated");
        assert_eq!((card.answer_chars, card.partial), (600, None));
    }

    #[test]
    fn a_truncated_answer_of_a_successful_run_is_shown() {
        let timeline = Timeline::from_events(&[
            Event::new(1, "assistant_message", json!({ "text": "It began in", "finishReason": "max_tokens" })),
            Event::new(2, "result", json!({ "subtype": "success", "text": "It began in" })),
        ]);
        let card = truncation(&timeline, None).expect("truncated");
        assert_eq!((card.seq, card.answer_chars), (1, 11));
    }

    #[test]
    fn a_successful_run_has_no_truncation() {
        let timeline = Timeline::from_events(&[Event::new(1, "result", json!({ "text": "Done." }))]);
        assert_eq!(truncation(&timeline, None), None);
    }
}
