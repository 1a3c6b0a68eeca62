//! Verdicts by rule, for judge models that do not follow instructions.
//!
//! A run is off track if it repeats a call, if its last calls all failed, or if different calls keep returning the same
//! result. The first time it is redirected; if the next review finds the same, it has to finish.

use std::collections::{BTreeMap, HashMap};

use protocol::json::{canonical, preview};

use super::{Action, Verdict};
use crate::provider::Message;

/// Consecutive failures or equal results that count as a problem.
const IN_A_ROW: usize = 3;
/// Repetitions of a sentence that count as circular reasoning.
const SENTENCE_REPEATS: usize = 3;

/// Reviews the messages since the last review.
pub fn review_turns(recent: &[Message], redirected_before: bool) -> Verdict {
    let calls = recent.iter().filter_map(|message| match message {
        Message::Assistant { calls, .. } => Some(calls),
        _ => None,
    });
    let mut seen: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for call in calls.flatten() {
        *seen.entry((&call.name, canonical(&call.input))).or_default() += 1;
    }
    let results: Vec<(&str, bool, &str)> = recent
        .iter()
        .filter_map(|message| match message {
            Message::ToolResult { name, ok, text, .. } => Some((name.as_str(), *ok, text.as_str())),
            _ => None,
        })
        .collect();
    let last = &results[results.len().saturating_sub(IN_A_ROW)..];
    let repeated = seen.iter().find(|(_, times)| **times > 1);

    let problem = if let Some(((name, _), times)) = repeated {
        Some((
            format!("{name} was called {times} times with the same arguments."),
            format!("Do not call {name} again with the same arguments. Answer from what you have, or try another way."),
        ))
    } else if last.len() == IN_A_ROW && last.iter().all(|(_, ok, _)| !ok) {
        Some((
            format!("The last {IN_A_ROW} calls failed."),
            "These tools keep failing. Go on without them, and say what is missing.".to_owned(),
        ))
    } else if last.len() == IN_A_ROW && last.iter().all(|(.., text)| *text == last[0].2) {
        Some((
            format!("The last {IN_A_ROW} calls all returned “{}”.", preview(last[0].2, 60)),
            "More of these calls will not add anything new. Answer from what you have.".to_owned(),
        ))
    } else {
        None
    };
    let progress = match results.len() {
        0 => "No tools were used since the last review.".to_owned(),
        1 => "One tool answered since the last review.".to_owned(),
        count => format!("{count} tools answered since the last review."),
    };
    verdict(problem, redirected_before, progress)
}

/// Reviews long reasoning.
pub fn review_reasoning(thought: &str, redirected_before: bool) -> Verdict {
    let sentences = thought.split_inclusive(['.', '!', '?', '\n']).map(str::trim).filter(|text| text.len() > 8);
    let mut times: HashMap<&str, usize> = HashMap::new();
    let circle = sentences.into_iter().find(|sentence| {
        let count = times.entry(sentence).or_default();
        *count += 1;
        *count >= SENTENCE_REPEATS
    });
    let problem = circle.map(|sentence| {
        (
            format!("The model thinks in circles: “{}”", preview(sentence, 80)),
            "You have thought about this enough. Commit to the plain approach and answer.".to_owned(),
        )
    });
    verdict(problem, redirected_before, "The model is still getting somewhere.".to_owned())
}

fn verdict(problem: Option<(String, String)>, redirected_before: bool, progress: String) -> Verdict {
    match problem {
        None => Verdict { action: Action::OnTrack, reason: progress },
        Some((reason, _)) if redirected_before => Verdict { action: Action::Finalize, reason },
        Some((reason, redirect)) => Verdict { action: Action::Redirect(redirect), reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::ToolCall;
    use serde_json::json;

    fn call(query: &str, ok: bool, answer: &str) -> [Message; 2] {
        let call = ToolCall { id: "c".into(), name: "search".into(), input: json!({ "query": query }) };
        [
            Message::Assistant { text: String::new(), calls: vec![call] },
            Message::ToolResult { call_id: "c".into(), name: "search".into(), ok, text: answer.into() },
        ]
    }

    fn review(calls: &[(&str, bool, &str)], redirected_before: bool) -> &'static str {
        let messages: Vec<Message> = calls.iter().flat_map(|(query, ok, answer)| call(query, *ok, answer)).collect();
        match review_turns(&messages, redirected_before).action {
            Action::OnTrack => "on_track",
            Action::Redirect(_) => "redirect",
            Action::Finalize => "finalize",
        }
    }

    #[test]
    fn different_questions_with_different_answers_are_on_track() {
        assert_eq!(review(&[("a", true, "1"), ("b", true, "2"), ("c", true, "3")], false), "on_track");
        assert_eq!(review(&[], true), "on_track");
    }

    #[test]
    fn repeating_failing_and_learning_nothing_are_redirected_once_then_ended() {
        let repeating: &[_] = &[("a", true, "1"), ("a", true, "2")];
        let failing: &[_] = &[("a", false, "x"), ("b", false, "y"), ("c", false, "z")];
        let fruitless: &[_] = &[("a", true, "No matches."), ("b", true, "No matches."), ("c", true, "No matches.")];
        for calls in [repeating, failing, fruitless] {
            assert_eq!(review(calls, false), "redirect", "{calls:?}");
            assert_eq!(review(calls, true), "finalize", "{calls:?}");
        }
    }

    #[test]
    fn circular_reasoning_differs_from_long_reasoning() {
        let long: String = (0..200).map(|i| format!("Step {i} follows from the one before. ")).collect();
        assert_eq!(review_reasoning(&long, false).action, Action::OnTrack);
        let circle = "But wait, what about the edge case? ".repeat(3);
        assert!(matches!(review_reasoning(&circle, false).action, Action::Redirect(_)));
        assert_eq!(review_reasoning(&circle, true).action, Action::Finalize);
    }
}
