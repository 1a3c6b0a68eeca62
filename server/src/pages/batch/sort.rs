//! The order of a batch's table, as its address names it.

use std::cmp::Reverse;

use domain::{from_word, word};
use serde::{Deserialize, Serialize};

use super::Row;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Column {
    Input,
    Status,
    Tokens,
    Cost,
    Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    pub column: Column,
    pub descending: bool,
}

impl Sort {
    /// Parses `cost` or `-cost`. Anything else is the order of the inputs.
    pub fn parse(text: Option<&str>) -> Self {
        let text = text.unwrap_or_default();
        let name = text.strip_prefix('-').unwrap_or(text);
        let column = from_word(name).unwrap_or(Column::Input);
        Self { column, descending: word(column) == name && name != text }
    }

    /// The order after a click on a header: largest first, then smallest first.
    pub fn after_click(self, column: Column) -> String {
        let descending = match column {
            _ if self.column == column => !self.descending,
            Column::Input | Column::Status => false,
            _ => true,
        };
        format!("{}{}", if descending { "-" } else { "" }, word(column))
    }

    /// Unknown values come last in both directions, and rows with equal values keep the order of the inputs.
    pub fn apply(self, rows: &mut [Row]) {
        rows.sort_by_key(|row| row.number);
        match self.descending {
            false => rows.sort_by_key(|row| (self.value(row).is_none(), self.value(row))),
            true => rows.sort_by_key(|row| (self.value(row).is_none(), Reverse(self.value(row)))),
        }
    }

    /// The value of a row in the column: a number, or a word.
    fn value(self, row: &Row) -> Option<(u64, &'static str)> {
        let run = row.run.as_ref();
        Some(match self.column {
            Column::Input => (row.number as u64, ""),
            Column::Status => (0, run?.status.as_str()),
            Column::Tokens => (run?.tokens?.total(), ""),
            Column::Cost => (run?.cost_micros?, ""),
            Column::Duration => (run?.duration_ms?, ""),
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::{BatchItem, BatchItemState};

    use super::*;

    fn row(number: usize, cost_micros: Option<u64>) -> Row {
        let run = cost_micros.map(|cost| {
            let json = serde_json::json!({
                "id": number.to_string(), "status": "succeeded", "createdAtMs": 0, "metadata": {},
                "marks": { "truncated": false, "looping": false, "over_budget": false }, "costMicros": cost,
            });
            serde_json::from_value(json).expect("a run")
        });
        let item = BatchItem { state: BatchItemState::Launched, run_id: None, problem: None };
        Row { number, input: None, item, run }
    }

    fn order(sort: &str) -> Vec<usize> {
        let mut rows = vec![row(1, Some(5)), row(2, None), row(3, Some(9)), row(4, Some(5))];
        Sort::parse(Some(sort)).apply(&mut rows);
        rows.iter().map(|row| row.number).collect()
    }

    #[test]
    fn rows_without_a_value_come_last_and_equal_ones_keep_their_order() {
        assert_eq!(order("cost"), [1, 4, 3, 2]);
        assert_eq!(order("-cost"), [3, 1, 4, 2]);
        assert_eq!(order("-input"), [4, 3, 2, 1]);
        assert_eq!(order("nonsense"), [1, 2, 3, 4]);
    }

    #[test]
    fn a_second_click_reverses_the_order() {
        let sort = Sort::parse(Some("-cost"));
        assert_eq!(
            (sort.after_click(Column::Cost).as_str(), sort.after_click(Column::Tokens).as_str()),
            ("cost", "-tokens")
        );
    }
}
