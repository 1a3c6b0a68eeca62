//! The loop guard and the tool budgets, which stop a run that repeats itself.

use std::collections::{BTreeMap, HashMap};

use protocol::json::canonical;
use protocol::spec::{self, LoopThresholds};
use serde_json::Value;

/// Counts consecutive equal batches of calls.
pub struct LoopGuard {
    thresholds: Option<LoopThresholds>,
    last_signature: String,
    pub consecutive_count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopVerdict {
    Proceed,
    /// The batch is not executed. The first time in a row, the model also gets an instruction to change course.
    Skip {
        nudge: bool,
    },
    GiveUp,
}

/// Counts attempts to call each tool over the whole run.
pub struct ToolBudgets {
    max_calls: BTreeMap<String, u64>,
    attempts: HashMap<String, u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Counted from 1 in the whole run, including blocked calls.
    pub call_index: u64,
    /// The budget, if this call exceeds it.
    pub exceeded: Option<u64>,
}

impl LoopGuard {
    pub fn new(spec: &Value) -> Self {
        Self { thresholds: spec::loop_thresholds(spec), last_signature: String::new(), consecutive_count: 0 }
    }

    pub fn check<'a>(&mut self, batch: impl Iterator<Item = (&'a str, &'a Value)>) -> LoopVerdict {
        let signature = signature(batch);
        if signature == self.last_signature {
            self.consecutive_count += 1;
        } else {
            self.last_signature = signature;
            self.consecutive_count = 1;
        }
        match self.thresholds {
            Some(LoopThresholds { give_up_at, .. }) if self.consecutive_count >= give_up_at => LoopVerdict::GiveUp,
            Some(LoopThresholds { nudge_at, .. }) if self.consecutive_count >= nudge_at => {
                LoopVerdict::Skip { nudge: self.consecutive_count == nudge_at }
            }
            _ => LoopVerdict::Proceed,
        }
    }
}

impl ToolBudgets {
    pub fn new(spec: &Value) -> Self {
        Self { max_calls: spec::tool_budgets(spec), attempts: HashMap::new() }
    }

    pub fn attempt(&mut self, tool: &str) -> Attempt {
        let attempts = self.attempts.entry(tool.to_owned()).or_default();
        *attempts += 1;
        let call_index = *attempts;
        let exceeded = self.max_calls.get(tool).copied().filter(|max_calls| call_index > *max_calls);
        Attempt { call_index, exceeded }
    }

    /// Returns the number of calls of a tool so far.
    pub fn attempts(&self, tool: &str) -> u64 {
        self.attempts.get(tool).copied().unwrap_or(0)
    }
}

/// Returns equal text for batches with the same calls, in any order of calls and arguments.
fn signature<'a>(batch: impl Iterator<Item = (&'a str, &'a Value)>) -> String {
    let mut calls: Vec<String> = batch.map(|(name, input)| format!("{name} {}", canonical(input))).collect();
    calls.sort_unstable();
    calls.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(guard: &mut LoopGuard, batch: &[(&str, Value)]) -> LoopVerdict {
        guard.check(batch.iter().map(|(name, input)| (*name, input)))
    }

    #[test]
    fn equal_batches_are_nudged_then_stopped() {
        let mut guard = LoopGuard::new(&json!({}));
        let batch = [("recall", json!({ "q": "x" }))];
        let verdicts: Vec<_> = (0..6).map(|_| check(&mut guard, &batch)).collect();
        use LoopVerdict::{GiveUp, Proceed, Skip};
        let (nudged, skipped) = (Skip { nudge: true }, Skip { nudge: false });
        assert_eq!(verdicts, [Proceed, Proceed, nudged, skipped, skipped, GiveUp]);
    }

    #[test]
    fn order_does_not_matter_and_a_change_starts_over() {
        let mut guard = LoopGuard::new(&json!({ "loopDetection": { "consecutiveThreshold": 2 } }));
        let (a, b) = (("a", json!({ "x": 1, "y": 2 })), ("b", json!({})));
        assert_eq!(check(&mut guard, &[a.clone(), b.clone()]), LoopVerdict::Proceed);
        assert_eq!(
            check(&mut guard, &[b.clone(), ("a", json!({ "y": 2, "x": 1 }))]),
            LoopVerdict::Skip { nudge: true }
        );
        assert_eq!(check(&mut guard, &[a]), LoopVerdict::Proceed);
    }

    #[test]
    fn a_disabled_guard_allows_everything() {
        let mut guard = LoopGuard::new(&json!({ "loopDetection": false }));
        assert!((0..20).all(|_| check(&mut guard, &[("a", json!({}))]) == LoopVerdict::Proceed));
    }

    #[test]
    fn budgets_count_attempts_per_tool() {
        let mut budgets =
            ToolBudgets::new(&json!({ "toolBudgets": { "a": { "maxCalls": 1 }, "b": { "maxCalls": 0 } } }));
        assert_eq!(budgets.attempt("a"), Attempt { call_index: 1, exceeded: None });
        assert_eq!(budgets.attempt("a"), Attempt { call_index: 2, exceeded: Some(1) });
        assert_eq!(budgets.attempt("b"), Attempt { call_index: 1, exceeded: Some(0) });
        assert_eq!(budgets.attempt("c"), Attempt { call_index: 1, exceeded: None });
    }
}
