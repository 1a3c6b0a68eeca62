//! Says where the words of a filter are in a run, if neither its row nor its preview shows them: in a tool call.

use app::model::run::RunView;
use domain::RunSummary;
use leptos::prelude::*;
use protocol::Query;
use protocol::query::{Term, words};
use protocol::timeline::{Timeline, ToolCall};

use crate::html;
use crate::masking::shown;

/// Words that are explained.
const MAX_WORDS: usize = 3;

/// HTML: a line for each word of the filter that is only in a tool call.
pub fn hidden_matches(query: &Query, run: &RunSummary, prompt: Option<&str>, timeline: &Timeline) -> String {
    let visible = visible_text(run, prompt, timeline);
    let hidden = wanted(query).filter(|wanted| !wanted.is_in(&visible));
    let found = hidden.filter_map(|wanted| Some((find(&wanted, timeline)?, wanted))).take(MAX_WORDS);
    let lines = found.map(|((call, seq, place), wanted)| {
        let href = RunView::default().focused(seq).href(&run.id);
        let (text, tool) = (shown(wanted.text).into_owned(), shown(&call.name).into_owned());
        view! { <p class="hint match-place">{format!("“{text}” is in the {place} of ")}<code>{tool}</code>" "<a href=href>"#"{seq}</a></p> }
    });
    // An empty line must be empty, and marks of hydration are not needed.
    html::render(lines.collect_view()).replace("<!>", "")
}

/// A word or phrase of the filter.
struct Wanted<'a> {
    text: &'a str,
    /// What the words of a text must contain.
    parts: Vec<String>,
}

impl Wanted<'_> {
    fn is_in(&self, text: &str) -> bool {
        let words: Vec<String> = words(text).collect();
        let text = format!(" {} ", words.join(" "));
        !self.parts.is_empty() && self.parts.iter().all(|part| text.contains(part.as_str()))
    }
}

fn wanted(query: &Query) -> impl Iterator<Item = Wanted<'_>> {
    let clauses = query.clauses.iter().filter(|clause| !clause.negated);
    clauses.flat_map(|clause| std::iter::once(&clause.term).chain(&clause.or)).filter_map(|term| match term {
        // The last word is a beginning.
        Term::Word(text) => {
            let mut parts: Vec<String> = words(text).map(|word| format!(" {word} ")).collect();
            if let Some(last) = parts.last_mut() {
                last.truncate(last.trim_end().len());
            }
            Some(Wanted { text, parts })
        }
        Term::Phrase(text) => {
            let words: Vec<String> = words(text).collect();
            let parts = if words.is_empty() { Vec::new() } else { vec![format!(" {} ", words.join(" "))] };
            Some(Wanted { text, parts })
        }
        _ => None,
    })
}

/// The texts of the row and of the preview.
fn visible_text(run: &RunSummary, prompt: Option<&str>, timeline: &Timeline) -> String {
    let fields = [&run.name, &run.agent_id, &run.model, &run.reason, &run.error];
    let metadata = run.metadata.iter().flat_map(|(key, value)| [key.as_str(), value.as_str()]);
    let texts = fields.into_iter().filter_map(|field| field.as_deref()).chain(prompt).chain(metadata);
    texts.chain([timeline.answer()]).collect::<Vec<_>>().join("\n")
}

/// The first call that contains it, the event, and the part of the call.
fn find<'a>(wanted: &Wanted<'_>, timeline: &'a Timeline) -> Option<(&'a ToolCall, u64, &'static str)> {
    timeline.calls().find_map(|call| {
        if wanted.is_in(&call.name) {
            return Some((call, call.seq, "name"));
        }
        if wanted.is_in(&call.input.to_string()) {
            return Some((call, call.seq, "arguments"));
        }
        let answer = call.answer.as_ref().filter(|answer| wanted.is_in(&answer.text()))?;
        Some((call, answer.seq, "result"))
    })
}

#[cfg(test)]
mod tests {
    use protocol::Event;
    use serde_json::json;

    use super::*;

    fn explained(query: &str) -> String {
        let call = json!({ "text": "Done.", "toolCalls": [{ "id": "a", "name": "crm_lookup", "input": { "email": "ada@umbrella.test" } }] });
        let result = json!({ "toolUseId": "a", "name": "crm_lookup", "result": "Account A-8841, refunds allowed" });
        let timeline =
            Timeline::from_events(&[Event::new(1, "assistant_message", call), Event::new(2, "tool_result", result)]);
        let run = json!({
            "id": "run_1", "status": "succeeded", "name": "triage", "createdAtMs": 0, "metadata": {},
            "marks": { "truncated": false, "looping": false, "over_budget": false },
        });
        let run: RunSummary = serde_json::from_value(run).expect("a run");
        hidden_matches(&Query::parse(query).expect("a valid query"), &run, Some("Look into the refund."), &timeline)
    }

    #[test]
    fn words_that_are_only_in_a_call_are_explained() {
        let result = explained("8841");
        assert!(result.contains("“8841” is in the result of <code>crm_lookup</code>"), "{result}");
        assert!(result.contains("/runs/run_1?focus=2"), "{result}");
        assert!(explained("umbrel").contains("in the arguments of"));
        assert!(explained("crm_look").contains("in the name of"));
        assert!(explained("\"refunds allowed\"").contains("in the result of"));
    }

    #[test]
    fn words_on_screen_and_words_that_are_excluded_need_no_explanation() {
        for query in ["triage", "refun", "done", "-8841", "name:triage", "nowhere", ""] {
            assert_eq!(explained(query), "", "{query}");
        }
    }
}
