//! `sandbox/assistant`: a simulated model that chooses tools by the words of the prompt and answers from their results.

use futures::stream::BoxStream;
use protocol::json::preview;
use serde_json::{Value, json};

use super::reply::{Reply, Step};
use super::{FinishReason, OfferedTool, PLAN_SCHEMA_NAME, Piece, Provider, ProviderError, TurnRequest, prompt};
use crate::schema_example;

pub struct Assistant;

impl Provider for Assistant {
    fn turn(&self, request: TurnRequest<'_>) -> BoxStream<'static, Result<Piece, ProviderError>> {
        reply(&request).stream(&request)
    }
}

/// Words of a prompt that suggest a built-in tool.
const HINTS: [(&str, &[&str]); 7] = [
    ("clock", &["time", "date", "today", "now", "when"]),
    ("calculator", &["calculate", "sum", "total", "plus", "minus", "times", "divided", "percent"]),
    ("document_search", &["document", "policy", "guide", "how", "find", "search", "look", "refund", "release"]),
    ("web_search", &["web", "news", "search", "latest"]),
    ("recall", &["remember", "recall", "earlier", "previously", "memory"]),
    ("flaky_lookup", &["lookup", "account", "customer", "order"]),
    ("slow_report", &["report", "export"]),
];

fn reply(request: &TurnRequest<'_>) -> Reply {
    let asked = prompt::last_user_text(request.messages);
    let calls: Vec<Step> = match prompt::turns_taken(request.messages) {
        0 if request.tools_enabled => request.tools.iter().filter_map(|tool| choose(tool, asked)).take(3).collect(),
        _ => Vec::new(),
    };
    if calls.is_empty() {
        let answer = match request.output_schema {
            Some(schema) if schema["name"] == PLAN_SCHEMA_NAME => plan(asked).to_string(),
            Some(schema) => schema_example::example(&schema["schema"], asked).to_string(),
            None => answer(request, asked),
        };
        return Reply::text(answer);
    }
    let mut steps = vec![
        Step::Think(format!("The request is “{}”. I should look before I answer.", preview(asked, 80))),
        Step::Say("Let me check.".to_owned()),
    ];
    steps.extend(calls);
    Reply { steps, end: Ok(FinishReason::ToolUse) }
}

/// Returns a plan with one step per sentence or clause.
fn plan(asked: &str) -> Value {
    let clauses = asked.split(['.', ';', '\n', '!', '?']).flat_map(|sentence| sentence.split(", then "));
    let steps: Vec<&str> = clauses.map(str::trim).filter(|clause| clause.len() > 3).collect();
    json!({ "brief": preview(asked, 120), "steps": steps })
}

fn choose(tool: &OfferedTool, asked: &str) -> Option<Step> {
    let words: Vec<String> = words(asked);
    let hints = HINTS.iter().find(|(name, _)| *name == tool.name).map(|(_, hints)| *hints);
    let wanted = match hints {
        Some(hints) => words.iter().any(|word| hints.contains(&word.as_str())),
        // Any other tool is chosen if the prompt has a word of its name.
        None => tool.name.split('_').any(|part| part.len() > 2 && words.iter().any(|word| word == part)),
    };
    wanted.then(|| Step::Call { name: tool.name.clone(), input: input(tool, asked) })
}

fn input(tool: &OfferedTool, asked: &str) -> Value {
    match tool.name.as_str() {
        "calculator" => json!({ "expression": expression(asked) }),
        "clock" => json!({}),
        "document_search" | "web_search" | "recall" => json!({ "query": preview(asked, 120) }),
        _ => schema_example::example(&tool.parameters, asked),
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Extracts the arithmetic expression of a prompt.
fn expression(asked: &str) -> String {
    let arithmetic = |c: char| c.is_ascii_digit() || "+-*/(). ".contains(c);
    let candidates = asked.split(|c| !arithmetic(c)).map(str::trim);
    candidates
        .filter(|part| part.contains(|c: char| c.is_ascii_digit()))
        .max_by_key(|part| part.len())
        .unwrap_or("0")
        .into()
}

fn answer(request: &TurnRequest<'_>, asked: &str) -> String {
    let results = prompt::last_results(request.messages);
    if results.is_empty() {
        return format!("I read your message: “{}” None of the tools I was given helps with it.", preview(asked, 120));
    }
    let lines = results.iter().map(|(name, ok, text)| {
        let outcome = if *ok { "says" } else { "failed" };
        format!("- `{name}` {outcome}: {}", preview(text, 240))
    });
    format!("Here is what I found:\n\n{}", lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_chosen_by_the_words_of_the_prompt() {
        let tool = |name: &str| OfferedTool { name: name.into(), description: String::new(), parameters: json!({}) };
        let chosen = |name: &str, asked: &str| choose(&tool(name), asked).is_some();
        assert!(chosen("clock", "What time is it?"));
        assert!(!chosen("clock", "Add 2 and 2"));
        assert!(chosen("approve_refund", "Please refund order 7"));
        assert_eq!(expression("Calculate 12 * (3 + 4) please"), "12 * (3 + 4)");
    }
}
