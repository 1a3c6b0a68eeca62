//! Generated logs: thirteen steps, with texts of random words.

use serde_json::{Value, json};

use crate::torture::Random;

const VOCABULARY: usize = 2_500;
/// With seven turns, a run has thirteen steps.
const CALLS: u64 = 6;
/// Words of each text, of which a tool result is the longest.
const TURN_WORDS: u64 = 60;
const QUERY_WORDS: u64 = 6;
const RESULT_WORDS: u64 = 240;
const TOOLS: [&str; 6] =
    ["search_orders", "get_customer", "list_invoices", "read_document", "check_stock", "send_note"];

pub struct Generator {
    random: Random,
    words: Vec<String>,
}

impl Generator {
    /// The same seed gives the same logs.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let words = (0..VOCABULARY).map(|_| word(&mut random)).collect();
        Self { random, words }
    }

    /// The next log, as NDJSON.
    pub fn log(&mut self) -> String {
        let (mut log, mut seq) = (String::new(), 0);
        let mut push = |kind: &str, data: Value| {
            seq += 1;
            log += &format!("{}\n", json!({ "seq": seq, "type": kind, "data": data }));
        };
        for turn in 0..CALLS {
            let id = format!("toolu_{:016x}", self.random.next());
            let name = self.random.pick(&TOOLS).copied().unwrap_or_default();
            let input = json!({ "query": self.text(QUERY_WORDS), "limit": 10 });
            let call = json!({ "id": id, "name": name, "input": input });
            let text = self.text(TURN_WORDS);
            push(
                "assistant_message",
                json!({ "text": text, "turn": turn, "finishReason": "tool_use", "toolCalls": [call] }),
            );
            push("tool_call", json!({ "toolUseId": id, "name": name, "input": input }));
            push("tool_result", json!({ "toolUseId": id, "name": name, "result": self.text(RESULT_WORDS) }));
        }
        let answer = self.text(TURN_WORDS);
        push("assistant_message", json!({ "text": answer, "turn": CALLS, "finishReason": "end_turn" }));
        push("result", json!({ "subtype": "success", "ok": true, "text": answer, "turns": CALLS + 1 }));
        log
    }

    fn text(&mut self, words: u64) -> String {
        let picked = (0..words).filter_map(|_| self.random.pick(&self.words).map(String::as_str));
        picked.collect::<Vec<_>>().join(" ")
    }
}

/// A word of two to four syllables.
fn word(random: &mut Random) -> String {
    let syllables = 2 + random.below(3);
    let mut letter = |letters: &[u8]| char::from(random.pick(letters).copied().unwrap_or(b'a'));
    (0..syllables).flat_map(|_| [letter(b"bcdfghklmnprstvz"), letter(b"aeiou")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_have_the_size_that_they_should() {
        let logs = |seed| {
            let mut generator = Generator::new(seed);
            (0..50).map(|_| generator.log()).collect::<Vec<_>>()
        };
        assert_eq!(logs(1), logs(1));
        assert_ne!(logs(1), logs(2));
        let bytes = logs(1).iter().map(String::len).sum::<usize>() / 50;
        assert!((16_500..16_900).contains(&bytes), "{bytes}");
        let steps = logs(1)[0].lines().filter(|line| line.contains("_message\"") || line.contains("_result\"")).count();
        assert_eq!(steps, 13);
    }
}
