//! Generated runs: a support desk whose agent calls tools and answers.

use domain::{Marks, Origin, RunSummary};
use protocol::messages::Tokens;
use protocol::{Event, RunStatus, Timeline};
use serde_json::{Value, json};

use super::rng::Rng;
use super::words::{ENDINGS, WORDS};
use crate::store::{NewLog, Packer, RunUpdate};

/// Tool calls in a run. With seven turns, a run has thirteen steps.
const CALLS: u64 = 6;
/// The approximate size of a tool result.
const RESULT_BYTES: usize = 1_000;
/// The average time between two runs.
const GAP_MS: u64 = 2_000;

const MODELS: [&str; 4] = ["sandbox/script", "sandbox/script-mini", "sandbox/script-large", "sandbox/assistant"];
const AGENTS: [&str; 5] = ["support-desk", "order-clerk", "invoice-reader", "travel-planner", "release-helper"];
const TOOLS: [&str; 8] = [
    "search_orders",
    "get_customer",
    "recall",
    "list_invoices",
    "read_document",
    "check_stock",
    "convert_currency",
    "send_note",
];
const ERRORS: [(&str, &str); 4] = [
    ("rate_limit", "The provider asks to slow down."),
    ("truncation", "The answer was cut off at the output limit."),
    ("server", "The provider failed."),
    ("timeout", "The provider did not answer in time."),
];
pub struct Seeder {
    seed: u64,
    runs: u64,
    until_ms: i64,
    packer: Packer,
}

impl Seeder {
    pub fn new(seed: u64, runs: u64, until_ms: i64, packer: Packer) -> Self {
        Self { seed, runs, until_ms, packer }
    }

    /// Generates a run with its compressed log. The oldest has index 0.
    pub fn run(&self, index: u64) -> anyhow::Result<(RunUpdate, Vec<Event>)> {
        let mut rng = Rng::new(self.seed, index);
        let age_ms = (self.runs - 1 - index.min(self.runs - 1)) * GAP_MS + rng.below(GAP_MS);
        let created_at_ms = self.until_ms - i64::try_from(age_ms).unwrap_or(0);
        let id = format!("run_seed_{:04x}{index:08x}", self.seed & 0xffff);
        // With a million runs, each order occurs in ten of them.
        let order = format!("A{}", rng.below(self.runs.max(100_000) / 10));
        let prompt = format!("{} Order {order}.", sentence(&mut rng, 16));
        let agent = rng.pick_skewed(&AGENTS);
        let model = rng.pick_skewed(&MODELS);
        let failed = rng.one_in(20).then(|| ERRORS[usize::try_from(rng.below(4)).unwrap_or(0)]);
        let looping = failed.is_none() && rng.one_in(50);
        let (mut events, answer) = log(&mut rng, failed, looping);
        let tokens = Tokens {
            input_tokens: 2_000 + rng.below(6_000),
            cached_tokens: rng.below(1_500),
            reasoning_tokens: 0,
            output_tokens: 200 + rng.below(900),
        };
        let duration_ms = 3_000 + rng.below(60_000);
        observe(&mut events, created_at_ms, duration_ms);
        let metadata = [
            ("customer".to_owned(), format!("customer-{:02}", rng.below(50))),
            ("env".to_owned(), rng.pick_skewed(&["prod", "staging", "dev"]).to_owned()),
            ("team".to_owned(), format!("team-{:02}", rng.below(50))),
            ("order".to_owned(), order),
        ];
        let spec = json!({
            "name": agent, "modelId": model, "prompt": prompt,
            "systemPrompt": "You answer for the support desk. Look up what you need, then answer in two sentences.",
            "metadata": metadata.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "tools": TOOLS.map(|name| json!({ "kind": "mantyx_plugin", "name": name })),
        });
        let update = RunUpdate {
            completed_at_ms: Some(created_at_ms + i64::try_from(duration_ms).unwrap_or(0)),
            log: NewLog::new(&self.packer, &events, &Timeline::from_events(&events), Some(&spec))?,
            spec: Some(spec.to_string()),
            summary: RunSummary {
                id,
                session_id: None,
                status: if failed.is_some() { RunStatus::Failed } else { RunStatus::Succeeded },
                name: Some(agent.to_owned()),
                agent_id: None,
                model: Some(model.to_owned()),
                input_preview: Some(protocol::json::preview(&prompt, 200)),
                output_preview: Some(protocol::json::preview(&answer, 200)),
                error: failed.map(|(_, message)| message.to_owned()),
                reason: None,
                tokens: Some(tokens),
                turns: Some(CALLS + 1),
                tool_calls: Some(CALLS),
                duration_ms: Some(duration_ms),
                waited_ms: None,
                cost_micros: None,
                error_class: None,
                group: None,
                created_at_ms,
                metadata: metadata.into(),
                marks: Marks::default(),
                origin: Origin::Seeded,
            },
        };
        Ok((update, events))
    }
}

/// A log of seven turns and six calls, with its terminal event.
fn log(rng: &mut Rng, failed: Option<(&str, &str)>, looping: bool) -> (Vec<Event>, String) {
    let mut events = Vec::new();
    let mut push = |kind: &str, data: Value| events.push(Event::new(events.len() as u64 + 1, kind, data));
    for turn in 0..CALLS {
        let id = format!("toolu_{:016x}", rng.next_u64());
        let name = if looping { "recall" } else { rng.pick(&TOOLS) };
        let query = if looping { "the same again".to_owned() } else { sentence(rng, 4) };
        let call = json!({ "id": id, "name": name, "input": { "query": query, "limit": 10 } });
        push(
            "assistant_message",
            json!({ "text": sentence(rng, 12), "turn": turn, "finishReason": "tool_use", "toolCalls": [call] }),
        );
        push("tool_call", json!({ "toolUseId": id, "name": name, "input": { "query": query, "limit": 10 } }));
        push("tool_result", json!({ "toolUseId": id, "name": name, "result": tool_result(rng) }));
        if looping && turn == 3 {
            push("loop_detected", json!({ "consecutiveCount": 3, "hardCutoff": false, "tools": ["recall"] }));
        }
    }
    let answer = sentence(rng, 30);
    let ended = if failed.is_some_and(|(class, _)| class == "truncation") { "max_tokens" } else { "end_turn" };
    push("assistant_message", json!({ "text": answer, "turn": CALLS, "finishReason": ended }));
    match failed {
        Some((class, message)) => {
            push(
                "error",
                json!({ "error": message, "errorClass": class, "finishReason": ended, "partialText": answer }),
            );
        }
        None => push("result", json!({ "subtype": "success", "ok": true, "text": answer, "turns": CALLS + 1 })),
    }
    (events, answer)
}

/// Sets the arrival times of events, as if the run had been followed: some steps take longer than others.
fn observe(events: &mut [Event], created_at_ms: i64, duration_ms: u64) {
    let weight = |event: &Event| 1 + (event.seq * 7 + duration_ms) % 11;
    let total: u64 = events.iter().map(weight).sum();
    let mut elapsed = 0;
    for event in events {
        elapsed += weight(event);
        event.observed_at_ms = Some(created_at_ms.saturating_add_unsigned(duration_ms * elapsed / total.max(1)));
    }
}

/// A tool result of about a kilobyte, like records of a shop.
fn tool_result(rng: &mut Rng) -> String {
    let (mut items, mut total) = (String::new(), 0);
    while items.len() < RESULT_BYTES - 120 {
        let item = json!({
            "id": format!("A{}", rng.below(1_000_000)),
            "status": rng.pick_skewed(&["open", "paid", "shipped", "returned", "cancelled"]),
            "amount": rng.below(100_000) as f64 / 100.0,
            "updatedAt": format!("2026-{:02}-{:02}T{:02}:{:02}:00Z", 1 + rng.below(12), 1 + rng.below(28), rng.below(24), rng.below(60)),
            "note": sentence(rng, 8),
        });
        items += &format!("{item},");
        total += 1;
    }
    format!("{{\"items\":[{}],\"total\":{total}}}", items.trim_end_matches(','))
}

fn sentence(rng: &mut Rng, words: u64) -> String {
    let mut text = String::new();
    for i in 0..words {
        if i > 0 {
            text.push(' ');
        }
        text.push_str(rng.pick_skewed(&WORDS));
        if rng.one_in(3) {
            // A vocabulary of some thousand words, so that logs do not compress better than real ones.
            text.push_str(rng.pick_skewed(&ENDINGS));
        }
    }
    text.push('.');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_generates_the_same_runs_ordered_by_time() {
        let seeder = |seed| Seeder::new(seed, 100, 1_000_000_000, Packer::default());
        let (one, two) = (seeder(7), seeder(7));
        let run = |seeder: &Seeder, index| seeder.run(index).expect("makes");
        assert_eq!(run(&one, 5).1, run(&two, 5).1);
        assert_ne!(run(&one, 5).1, run(&seeder(8), 5).1);
        assert!(run(&one, 5).0.summary.created_at_ms < run(&one, 7).0.summary.created_at_ms);
    }

    #[test]
    fn a_run_has_thirteen_steps_and_kilobyte_results() {
        let (update, events) = Seeder::new(1, 10, 0, Packer::default()).run(3).expect("makes");
        let results: Vec<usize> = events
            .iter()
            .filter(|event| event.kind == "tool_result")
            .map(|event| event.data["result"].as_str().map_or(0, str::len))
            .collect();
        let turns = events.iter().filter(|event| event.kind == "assistant_message").count();
        assert_eq!(results.len() + turns, 13);
        assert!(results.iter().all(|length| (800..1_300).contains(length)), "{results:?}");
        assert!(update.log.is_some_and(|log| log.summary.complete));
    }
}
