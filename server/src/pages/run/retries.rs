//! Finds calls that retry a failed one.

use std::collections::HashMap;

use protocol::timeline::{Timeline, ToolCall};

pub struct Retries<'a>(HashMap<&'a str, Vec<&'a ToolCall>>);

impl<'a> Retries<'a> {
    pub fn of(timeline: &'a Timeline) -> Self {
        let mut failed: HashMap<&str, Vec<&ToolCall>> = HashMap::new();
        for call in timeline.calls().filter(|call| call.failed()) {
            failed.entry(&call.name).or_default().push(call);
        }
        Self(failed)
    }

    /// The last failed call of the same tool with the same arguments.
    pub fn before(&self, call: &ToolCall) -> Option<u64> {
        let failed = self.0.get(call.name.as_str())?;
        failed.iter().rev().find(|before| before.seq < call.seq && before.input == call.input).map(|before| before.seq)
    }
}

#[cfg(test)]
mod tests {
    use protocol::Event;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_that_repeats_a_failed_one_is_a_retry() {
        let mut events = Vec::new();
        for (turn, (query, failed)) in [("a", true), ("b", false), ("a", false), ("a", false)].iter().enumerate() {
            let id = format!("c{turn}");
            let call = json!({ "id": id, "name": "look", "input": { "q": query } });
            let seq = events.len() as u64;
            events.push(Event::new(seq + 1, "assistant_message", json!({ "text": "", "toolCalls": [call] })));
            let answer = json!({ "toolUseId": id, "name": "look", "ok": !failed, "summary": "said" });
            events.push(Event::new(seq + 2, "tool_result", answer));
        }
        let timeline = Timeline::from_events(&events);
        let retries = Retries::of(&timeline);
        let found: Vec<Option<u64>> = timeline.calls().map(|call| retries.before(call)).collect();
        assert_eq!(found, [None, None, Some(1), Some(1)]);
    }
}
