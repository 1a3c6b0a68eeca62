//! The chart of runs over time: bars of their number, stacked by status, or of another number. Each is a link to its time
//! range.
//!
//! ```text
//!  slots ─▶ x, one unit each          heights: 0 at the top, 100 for the fullest slot
//! ```

use serde::{Deserialize, Serialize};

use super::runs::RangeLink;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chart {
    pub slots: Vec<ChartSlot>,
    /// The list's URL without a time range, ending where one can be appended.
    pub base: String,
    /// What the chart covers, for screen readers.
    pub label: String,
    pub ticks: Vec<ChartTick>,
    /// The number of the tallest bar.
    pub peak: String,
    /// Bars are divided by status.
    pub by_status: bool,
    /// What else the chart can show. Empty if there is no choice.
    pub choices: Vec<RangeLink>,
    /// Set when only some runs were counted.
    pub note: Option<String>,
}

/// A time on the axis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChartTick {
    /// The place, in ten-thousandths of the chart's width.
    pub at: u32,
    /// Empty if there is no room for it.
    pub label: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChartSlot {
    /// Start (inclusive) and end (exclusive), as the filter writes times.
    pub since: String,
    pub before: String,
    /// Empty when the slot has no runs.
    pub title: String,
    pub parts: Vec<ChartPart>,
}

/// The share of one status, or the whole bar of a number, in hundredths of the tallest bar.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChartPart {
    pub status: String,
    pub y: u32,
    pub height: u32,
}

impl Chart {
    /// The URL of the list for the time range between two slots, given in either order.
    pub fn range(&self, one: usize, other: usize) -> Option<String> {
        let (first, last) = (self.slots.get(one.min(other))?, self.slots.get(one.max(other))?);
        Some(format!("{}since:{}+before:{}", self.base, first.since, last.before))
    }
}
