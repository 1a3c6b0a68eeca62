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
    /// Turns before those that are drawn: all of them are the same.
    pub alike_before: usize,
    pub turns: Vec<ComparedTurn>,
    /// Turns after those that are drawn.
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
    pub answer: Excerpt,
}

/// What is shown of a text that another one is compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt(pub Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub text: String,
    /// The other text has something else here.
    pub differs: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parting {
    pub text: String,
    pub left_seq: Option<u64>,
    pub right_seq: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedTurn {
    pub same: bool,
    /// The first that is not the same.
    pub parts_here: bool,
    pub left: Option<TurnLines>,
    pub right: Option<TurnLines>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnLines {
    /// Among the turns of its own run.
    pub number: usize,
    pub seq: u64,
    pub text: Excerpt,
    pub calls: Vec<ComparedCall>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedCall {
    pub call: Excerpt,
    pub answer: Excerpt,
    pub same_call: bool,
    pub same_answer: bool,
}

/// A place of the spec that is not the same; `None` where one of them has nothing there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecDifference {
    pub pointer: String,
    pub left: Option<Excerpt>,
    pub right: Option<Excerpt>,
}
