//! The comparison of two runs.

use protocol::RunStatus;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonModel {
    pub left: ComparedRun,
    /// `None` if there is no run to compare with.
    pub right: Option<ComparedRun>,
    /// Why the right run was proposed, if it was not chosen.
    pub reason: Option<String>,
    /// The first difference, with the event on each side.
    pub first_difference: Option<FirstDifference>,
    /// The number of identical turns before the ones shown.
    pub same_before: usize,
    pub turns: Vec<TurnGroup>,
    /// The number of turns after the ones shown.
    pub more_after: usize,
    /// Where the time went in each run, if it is known in one.
    pub times: Vec<ComparedTime>,
    /// What differs between the set-ups: prompt, model, metadata and the other fields of the spec.
    pub setup: Vec<SetupDifference>,
    /// Why the specs can't be compared.
    pub spec_unknown: Option<String>,
    /// For each side, whether its spec is known and the run can be relaunched.
    pub launchable: (bool, bool),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedRun {
    pub id: String,
    pub title: String,
    pub status: RunStatus,
    /// Name and formatted value.
    pub figures: Vec<(String, String)>,
    pub answer: Excerpt,
}

/// An excerpt of a text, with the parts that differ from the other side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt(pub Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub text: String,
    /// The other side differs here.
    pub differs: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstDifference {
    pub text: String,
    pub left_seq: Option<u64>,
    pub right_seq: Option<u64>,
}

/// A pair of turns, and the pairs after it that repeat its calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnGroup {
    pub first: ComparedTurn,
    pub repeats: Vec<ComparedTurn>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedTurn {
    pub same: bool,
    /// The first turn that differs.
    pub is_first_difference: bool,
    pub left: Option<TurnLines>,
    pub right: Option<TurnLines>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnLines {
    /// Counted within its own run.
    pub number: usize,
    pub seq: u64,
    pub text: Excerpt,
    pub calls: Vec<ComparedCall>,
    /// Formatted, if it is known.
    pub took: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedCall {
    pub call: Excerpt,
    pub answer: Excerpt,
    pub same_call: bool,
    pub same_answer: bool,
    /// Formatted, if it is known.
    pub took: Option<String>,
}

/// The time that one kind of step took, formatted; `None` on a side whose times are not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedTime {
    /// In words.
    pub step: String,
    pub left: Option<String>,
    pub right: Option<String>,
    /// How much longer or shorter it took on the right.
    pub change: Option<String>,
}

/// A field that differs; `None` on a side that doesn't have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupDifference {
    /// In words.
    pub field: String,
    pub left: Option<Excerpt>,
    pub right: Option<Excerpt>,
}
