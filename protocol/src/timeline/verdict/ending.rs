//! The ending of the run with the limit that caused it, or its current state.

use serde_json::Value;

use super::Sentence;
use crate::spec;
use crate::timeline::format::{count, duration, quoted, tools};
use crate::timeline::{Ending, NoteKind, Outcome, Timeline, failure};

pub(super) fn sentences(timeline: &Timeline, spec: Option<&Value>) -> Vec<Sentence> {
    let sentence = match &timeline.outcome {
        None if timeline.lacks_end() => no_end(timeline),
        None => running(timeline),
        Some(outcome) => match (outcome.ending, timeline.refusal_seq()) {
            (_, Some(seq)) => {
                Sentence::new(format!("The model declined to answer in turn {}.", timeline.totals.turns.max(1)), [seq])
            }
            (Ending::Succeeded, None) if timeline.truncation_seq().is_some() => truncated_success(timeline, outcome),
            (Ending::Succeeded, None) => succeeded(timeline, outcome),
            (Ending::Failed, None) => failed(timeline, outcome, spec),
            (Ending::Cancelled, None) => cancelled(timeline, outcome),
        },
    };
    vec![sentence]
}

fn succeeded(timeline: &Timeline, outcome: &Outcome) -> Sentence {
    let text = match &timeline.plan {
        Some(plan) if timeline.totals.turns == 0 => {
            format!(
                "Wrote a plan of {} and stopped there, without carrying it out.",
                count(plan.steps.len() as u64, "step")
            )
        }
        _ if timeline.answer().trim().is_empty() => format!("Ended without an answer {}.", after(timeline)),
        _ if timeline.made_calls() == 0 => {
            format!("Answered in {}, without tools.", count(timeline.totals.turns.max(1), "turn"))
        }
        _ => format!("Answered {}.", after(timeline)),
    };
    Sentence::new(text, [outcome.seq])
}

/// The server reports success, but the last message stops at the output limit.
fn truncated_success(timeline: &Timeline, outcome: &Outcome) -> Sentence {
    let text = format!(
        "Output truncated in turn {}: {}{}. The run still counts as succeeded.",
        timeline.totals.turns.max(1),
        failure::describe("truncation"),
        after_output_tokens(outcome),
    );
    Sentence::new(text, timeline.truncation_seq().into_iter().chain([outcome.seq]).collect::<Vec<_>>())
}

fn after_output_tokens(outcome: &Outcome) -> String {
    let tokens = outcome.tokens.map(|tokens| tokens.output_tokens).filter(|tokens| *tokens > 0);
    tokens.map(|tokens| format!(" after {}", count(tokens, "output token"))).unwrap_or_default()
}

fn failed(timeline: &Timeline, outcome: &Outcome, spec: Option<&Value>) -> Sentence {
    let class = outcome.error_class.as_deref().unwrap_or("unknown");
    let turn = timeline.totals.turns.max(1);
    let words = failure::describe(class);
    let mut seqs = vec![outcome.seq];
    let text = if timeline.truncation_seq().is_some() {
        format!("Output truncated in turn {turn}: {words}{}.", after_output_tokens(outcome))
    } else if class == failure::MAX_TOOL_TURNS {
        let limit = spec.map(|spec| format!(" (the limit is {})", spec::max_tool_turns(spec))).unwrap_or_default();
        format!("Failed {}: {words}{limit}.", after(timeline))
    } else if class == "local_timeout" {
        let waiting: Vec<_> = timeline.waiting_calls().collect();
        seqs.extend(waiting.iter().map(|call| call.seq).take(3));
        let within = spec.map(|spec| format!(" within {}", duration(spec::local_tool_timeout_ms(spec))));
        let within = within.unwrap_or_else(|| " in time".to_owned());
        format!(
            "Failed {}: nobody answered {}{within}.",
            after(timeline),
            tools(waiting.iter().map(|call| call.name.as_str()))
        )
    } else {
        let message = outcome.error.as_deref().filter(|_| !failure::is_documented(class));
        let message = message.map(|message| format!(" It said: {}", quoted(message, 160))).unwrap_or_default();
        format!("Failed {}: {words}.{message}", after(timeline))
    };
    Sentence::new(text, seqs)
}

fn cancelled(timeline: &Timeline, outcome: &Outcome) -> Sentence {
    let (by, reason) = match outcome.reason.as_deref() {
        Some("user") => (" by a user", String::new()),
        Some(reason) => ("", format!(" (reason: {})", quoted(reason, 80))),
        None => ("", String::new()),
    };
    let waiting: Vec<_> = timeline.waiting_calls().collect();
    let meanwhile = match waiting.is_empty() {
        true => String::new(),
        false => format!(", while it waited for {}", tools(waiting.iter().map(|call| call.name.as_str()))),
    };
    let seqs: Vec<u64> = std::iter::once(outcome.seq).chain(waiting.iter().map(|call| call.seq).take(3)).collect();
    Sentence::new(format!("Cancelled{by} {}{reason}{meanwhile}.", after(timeline)), seqs)
}

fn running(timeline: &Timeline) -> Sentence {
    if timeline.integrity.events == 0 {
        return Sentence::new("Nothing has been logged yet.", []);
    }
    let waiting: Vec<_> = timeline.waiting_calls().collect();
    match waiting.first() {
        Some(first) => {
            let names = tools(waiting.iter().map(|call| call.name.as_str()));
            Sentence::new(
                format!("Not finished: waiting for an answer from {names}, {} so far.", figures(timeline)),
                [first.seq],
            )
        }
        None if timeline.notes().any(|note| matches!(note.kind, NoteKind::Message { .. })) => {
            Sentence::new(format!("The conversation has {} so far.", figures(timeline)), [timeline.last_seq()])
        }
        None => Sentence::new(format!("Not finished: {} so far.", figures(timeline)), [timeline.last_seq()]),
    }
}

fn no_end(timeline: &Timeline) -> Sentence {
    let status = timeline.status().as_str();
    if timeline.integrity.events == 0 {
        return Sentence::new(format!("The run is over ({status}), but its log is empty."), []);
    }
    let last = timeline.last_seq();
    let text = match timeline.is_cut_off() {
        true => format!("The log is incomplete, {}; how the run ended is not known.", after(timeline)),
        false => format!("The run is over ({status}), but its log stops before the end, {}.", after(timeline)),
    };
    Sentence::new(text, [last])
}

fn after(timeline: &Timeline) -> String {
    match timeline.totals.turns {
        0 if timeline.made_calls() == 0 => {
            let called = timeline.outcome.as_ref().is_some_and(|outcome| outcome.turns > Some(0));
            if called { "in the first turn".to_owned() } else { "before the first turn".to_owned() }
        }
        _ => format!("after {}", figures(timeline)),
    }
}

/// «3 turns and 2 tool calls».
fn figures(timeline: &Timeline) -> String {
    let turns = count(timeline.totals.turns, "turn");
    match timeline.made_calls() {
        0 => turns,
        calls => format!("{turns} and {}", count(calls, "tool call")),
    }
}
