//! Finds repeated identical batches, whether or not the server reported a loop.
//!
//! A batch is the calls of one turn. Two are identical if they have the same tools with the same arguments, in any order.
//! The order of keys in JSON objects does not matter.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ToolCall, Turn};

/// Several turns in a row with the same calls. All but the first are wasted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repetition {
    pub first_turn: usize,
    pub last_turn: usize,
    /// The number of turns with this batch, including the first.
    pub turns: usize,
    /// The first call of the first batch.
    pub first_seq: u64,
    /// The first call of the second batch: the first wasted step.
    pub first_wasted_seq: u64,
    pub last_seq: u64,
    /// The tools of one batch, each once, in alphabetical order.
    pub tools: Vec<String>,
    pub calls_per_turn: usize,
}

impl Repetition {
    pub fn wasted_calls(&self) -> usize {
        self.calls_per_turn * (self.turns - 1)
    }

    pub fn contains_turn(&self, turn: usize) -> bool {
        (self.first_turn..=self.last_turn).contains(&turn)
    }
}

/// Collects repetitions from [`Turn::repeats`].
pub(super) fn repetitions(turns: &[Arc<Turn>]) -> Vec<Repetition> {
    let mut found = Vec::new();
    let mut first: Option<&Turn> = None;
    for turn in turns.iter().filter(|turn| batch(turn).next().is_some()) {
        match first {
            Some(first) if turn.repeats > 0 => {
                if turn.repeats == 1 {
                    found.push(begin(first, turn));
                } else if let Some(repetition) = found.last_mut() {
                    repetition.turns = turn.repeats + 1;
                    repetition.last_turn = turn.index;
                    repetition.last_seq = turn.last_seq;
                }
            }
            _ => first = Some(turn),
        }
    }
    found
}

fn begin(first: &Turn, second: &Turn) -> Repetition {
    let mut tools: Vec<String> = batch(first).map(|call| call.name.clone()).collect();
    let calls_per_turn = tools.len();
    tools.sort();
    tools.dedup();
    Repetition {
        first_turn: first.index,
        last_turn: second.index,
        turns: 2,
        first_seq: first.anchor_seq(),
        first_wasted_seq: second.anchor_seq(),
        last_seq: second.last_seq,
        tools,
        calls_per_turn,
    }
}

pub(super) fn has_batch(turn: &Turn) -> bool {
    batch(turn).next().is_some()
}

/// Returns whether two turns made the same calls.
pub fn same_batch(one: &Turn, other: &Turn) -> bool {
    let (one, other): (Vec<_>, Vec<_>) = (batch(one).collect(), batch(other).collect());
    if one.len() != other.len() {
        return false;
    }
    let same = |(a, b): (&&ToolCall, &&ToolCall)| a.name == b.name && a.input == b.input;
    // Most batches are repeated in the same order.
    if one.iter().zip(&other).all(same) {
        return true;
    }
    one.len() > 1 && sorted(one).iter().zip(&sorted(other)).all(same)
}

/// Returns the calls of a turn. An orphan result is left out: its arguments are not known.
fn batch(turn: &Turn) -> impl Iterator<Item = &ToolCall> {
    turn.calls().filter(|call| !call.is_orphan_result())
}

/// Sorts calls by their contents.
fn sorted(mut calls: Vec<&ToolCall>) -> Vec<&ToolCall> {
    calls.sort_by_cached_key(|call| (call.name.as_str(), fingerprint(&call.input)));
    calls
}

/// Returns equal hashes for equal JSON: maps are hashed in the order of their keys.
fn fingerprint(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
