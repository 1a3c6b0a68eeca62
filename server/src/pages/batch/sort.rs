//! The order of a batch's table, as its address names it.

use std::cmp::Ordering;

use super::Row;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Column {
    pub const ALL: [Self; 5] = [Self::Input, Self::Status, Self::Tokens, Self::Cost, Self::Duration];

    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Status => "status",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Duration => "duration",
        }
    }
}

impl Sort {
    /// Parses `cost` or `-cost`. Anything else is the order of the inputs.
    pub fn parse(text: Option<&str>) -> Self {
        let text = text.unwrap_or_default();
        let (name, descending) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
        match Column::ALL.into_iter().find(|column| column.name() == name) {
            Some(column) => Self { column, descending },
            None => Self { column: Column::Input, descending: false },
        }
    }

    /// The order after a click on a header: largest first, then smallest first.
    pub fn after_click(self, column: Column) -> String {
        let descending = match column {
            _ if self.column == column => !self.descending,
            Column::Input | Column::Status => false,
            _ => true,
        };
        format!("{}{}", if descending { "-" } else { "" }, column.name())
    }

    pub fn apply(self, rows: &mut [Row]) {
        rows.sort_by(|one, other| {
            let order = self.compare(one, other);
            order.then(one.number.cmp(&other.number))
        });
    }

    /// Unknown values come last in both directions.
    fn compare(self, one: &Row, other: &Row) -> Ordering {
        let number = |row: &Row| -> Option<u64> {
            let run = row.run.as_ref();
            match self.column {
                Column::Input => Some(row.number as u64),
                Column::Status => None,
                Column::Tokens => run?.tokens.map(|tokens| tokens.total()),
                Column::Cost => run?.cost_micros,
                Column::Duration => run?.duration_ms,
            }
        };
        let status = |row: &Row| row.run.as_ref().map(|run| run.status.as_str());
        let directed = |order: Ordering| if self.descending { order.reverse() } else { order };
        if self.column == Column::Status {
            return compare_known(status(one), status(other), directed);
        }
        compare_known(number(one), number(other), directed)
    }
}

fn compare_known<T: Ord>(one: Option<T>, other: Option<T>, directed: impl Fn(Ordering) -> Ordering) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) => directed(one.cmp(&other)),
        (one, other) => one.is_none().cmp(&other.is_none()),
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
