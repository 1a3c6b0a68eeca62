//! `sandbox/script`: a simulated model that executes the lines of the last user message.
//!
//! A batch of calls ends a turn, so the lines form turns. The model is stateless: the number of turns since that message
//! selects the next one. Abandoned turns count too: after `/fail`, a fallback model continues with the next line. If there
//! is at least one instruction, all other lines are ignored. A message without instructions may have a prepared response.

use std::time::Duration;

use futures::stream::BoxStream;
use protocol::json::preview;
use serde_json::Value;

use super::reply::{Reply, Step};
use super::{FinishReason, Piece, PreparedResponse, Provider, ProviderError, TurnRequest, prompt};
use crate::schema_example;

pub struct Script {
    pub prepared: Vec<PreparedResponse>,
}

const MAX_REPEATED_CALLS: usize = 10_000;

impl Provider for Script {
    fn turn(&self, request: TurnRequest<'_>) -> BoxStream<'static, Result<Piece, ProviderError>> {
        self.reply(&request).stream(&request)
    }
}

impl Script {
    fn reply(&self, request: &TurnRequest<'_>) -> Reply {
        let asked = prompt::last_user_text(request.messages);
        let mut turns = parse(asked);
        if turns.is_empty() {
            let context = request.context_window_tokens.unwrap_or(0);
            let prepared = self.prepared.iter().find_map(|response| response.respond(asked, context));
            turns = prepared.map_or(turns, |text| parse(&text));
        }
        reply(request, asked, turns)
    }
}

fn reply(request: &TurnRequest<'_>, asked: &str, mut turns: Vec<Reply>) -> Reply {
    let next = prompt::turns_taken(request.messages) + request.abandoned_turns;
    if !request.tools_enabled || next >= turns.len() {
        let answer = match request.output_schema {
            // A model that enforces the schema cannot answer otherwise.
            Some(schema) => schema_example::example(&schema["schema"], asked).to_string(),
            None if turns.is_empty() => plain_answer(asked, &prompt::last_user_files(request.messages)),
            None => closing_sentence(request),
        };
        return Reply::text(answer);
    }
    turns.swap_remove(next)
}

/// Parses a message into turns; none if it has no instruction.
fn parse(message: &str) -> Vec<Reply> {
    let mut turns = Vec::new();
    let mut steps = Vec::new();
    let mut batch = Vec::new();
    let mut repeat = 1;
    for line in message.lines() {
        let Some((word, rest)) = instruction(line) else { continue };
        if word != "/call" && !batch.is_empty() {
            turns.extend(batch_turns(&mut steps, &mut batch, std::mem::replace(&mut repeat, 1)));
        }
        match word {
            "/say" => steps.push(Step::Say(say(&steps, rest))),
            "/json" => steps.push(Step::Say(rest.to_owned())),
            "/think" => steps.push(Step::Think(rest.to_owned())),
            "/sleep" => steps.push(Step::Sleep(Duration::from_millis(rest.parse().unwrap_or(0).min(600_000)))),
            "/repeat" => repeat = rest.parse().unwrap_or(1).clamp(1, 200),
            "/call" => batch.push(call(rest)),
            _ => {
                let end = match word {
                    "/truncate" => Ok(FinishReason::MaxTokens),
                    "/refuse" => Ok(FinishReason::Refusal),
                    _ => Err(failure(rest)),
                };
                turns.push(Reply { steps: std::mem::take(&mut steps), end });
            }
        }
    }
    if !batch.is_empty() {
        turns.extend(batch_turns(&mut steps, &mut batch, repeat));
    }
    if !steps.is_empty() {
        turns.push(Reply { steps, end: Ok(FinishReason::EndTurn) });
    }
    turns
}

fn instruction(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let known = ["/say", "/think", "/call", "/repeat", "/json", "/sleep", "/truncate", "/refuse", "/fail"];
    known.contains(&word).then(|| (word, rest.trim()))
}

/// Appends text to the turn, on a new line.
fn say(before: &[Step], text: &str) -> String {
    if before.iter().any(|step| matches!(step, Step::Say(_))) { format!("\n{text}") } else { text.to_owned() }
}

fn call(rest: &str) -> Step {
    let (name, input) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let input = match input.trim() {
        "" => Value::Object(Default::default()),
        // Invalid JSON is kept, because a real model may write it too.
        text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
    };
    Step::Call { name: name.to_owned(), input }
}

fn batch_turns(steps: &mut Vec<Step>, batch: &mut Vec<Step>, times: usize) -> Vec<Reply> {
    let batch = std::mem::take(batch);
    let mut opening = std::mem::take(steps);
    // Limits the memory for a long batch that is repeated often.
    let times = times.min(MAX_REPEATED_CALLS / batch.len()).max(1);
    (0..times)
        .map(|_| {
            let mut steps = std::mem::take(&mut opening);
            steps.extend(batch.iter().cloned());
            Reply { steps, end: Ok(FinishReason::ToolUse) }
        })
        .collect()
}

fn failure(class: &str) -> ProviderError {
    let class = if protocol::ids::is_tool_name(class) { class } else { "unknown" };
    let message = match class {
        "rate_limit" => "The model provider answered 429: too many requests.",
        "overloaded" => "The model provider is overloaded.",
        "server" => "The model provider answered 500.",
        "context_window" => "The conversation is longer than the model can read.",
        "auth" => "The provider rejected the credentials.",
        "timeout" | "upstream_deadline" => "The model provider did not answer in time.",
        "invalid_request" => "The model provider refused the request as invalid.",
        "structured_output_schema_rejected" => "The model provider refused the output schema.",
        _ => "The model provider failed.",
    };
    ProviderError::new(class, message)
}

fn plain_answer(asked: &str, files: &[&str]) -> String {
    let with = if files.is_empty() { String::new() } else { format!(" You sent {}.", files.join(", ")) };
    format!("You asked: “{}”{with} This is the sandbox's scripted model; it has nothing to add.", preview(asked, 160))
}

fn closing_sentence(request: &TurnRequest<'_>) -> String {
    match prompt::last_results(request.messages).last() {
        Some((name, true, text)) if request.tools_enabled => format!("{name} answered: {}", preview(text, 200)),
        Some((name, ..)) => format!("I could not get further with {name}; this is what I have so far."),
        None => "That is all I have.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(name: &str, input: Value) -> Step {
        Step::Call { name: name.to_owned(), input }
    }

    #[test]
    fn neighbouring_calls_are_one_batch_and_end_the_turn() {
        let turns = parse("Please help.\n/say Looking\n/call a {\"x\":1}\n/call b\n/say Done\n/say really");
        assert_eq!(turns.len(), 2);
        assert_eq!(turns[0].steps, [Step::Say("Looking".into()), call("a", json!({ "x": 1 })), call("b", json!({}))]);
        assert_eq!(turns[1].steps, [Step::Say("Done".into()), Step::Say("\nreally".into())]);
    }

    #[test]
    fn a_repeated_batch_is_made_in_successive_turns() {
        let turns = parse("/say Once\n/repeat 3\n/call a\n/call b\n/call c");
        assert_eq!(turns.iter().map(|turn| turn.steps.len()).collect::<Vec<_>>(), [4, 3, 3]);
    }

    #[test]
    fn endings_end_their_turn() {
        let turns = parse("/json {\"a\":\n/truncate\n/refuse\n/fail rate_limit");
        assert_eq!(turns[0].end, Ok(FinishReason::MaxTokens));
        assert_eq!(turns[1].end, Ok(FinishReason::Refusal));
        assert_eq!(turns[2].end.as_ref().map_err(|error| error.class.as_str()), Err("rate_limit"));
    }

    #[test]
    fn a_message_without_instructions_is_no_script() {
        assert!(parse("What is /etc/hosts?\n/unknown line").is_empty());
    }
}
