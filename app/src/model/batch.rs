//! A batch, with its runs to compare.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchModel {
    /// How many inputs were launched.
    pub progress: String,
    /// The reason why it waits.
    pub problem: Option<String>,
    /// Inputs that were launched or could not be, and all inputs.
    pub settled: usize,
    pub all: usize,
    /// Inputs wait to be launched, or runs have not ended.
    pub in_progress: bool,
    /// Name and formatted value of each total.
    pub figures: Vec<(String, String)>,
    /// The address of the list with its runs.
    pub runs_href: String,
    /// HTML: one row per input.
    pub table: String,
}
