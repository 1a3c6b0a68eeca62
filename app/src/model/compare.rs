//! Two runs side by side.

use protocol::RunStatus;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub left: ComparedRun,
    /// None where there is nothing to compare with.
    pub right: Option<ComparedRun>,
    /// Why the right one was proposed, where nobody chose it.
    pub reason: Option<String>,
    /// Where they part, in words, with the event on each side.
    pub divergence: Option<Parting>,
    pub turns: Vec<ComparedTurn>,
    /// Turns that are not drawn.
    pub left_out: usize,
    pub spec: Vec<SpecDifference>,
    /// Why nobody can tell whether the specs differ.
    pub spec_unknown: Option<String>,
    /// Which of the two can be launched again: those whose spec is known.
    pub launchable: (bool, bool),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedRun {
    pub id: String,
    pub title: String,
    pub status: RunStatus,
    /// Name and value, ready to be drawn.
    pub figures: Vec<(String, String)>,
    pub answer: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parting {
    pub text: String,
    pub left_seq: Option<u64>,
    pub right_seq: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedTurn {
    pub number: usize,
    pub same: bool,
    /// The first that is not the same.
    pub parts_here: bool,
    pub left: Option<TurnLines>,
    pub right: Option<TurnLines>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnLines {
    pub seq: u64,
    pub text: String,
    pub calls: Vec<ComparedCall>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedCall {
    pub call: String,
    pub answer: String,
    pub same_call: bool,
    pub same_answer: bool,
}

/// A place of the spec that is not the same; `None` where one of them has nothing there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecDifference {
    pub pointer: String,
    pub left: Option<String>,
    pub right: Option<String>,
}
