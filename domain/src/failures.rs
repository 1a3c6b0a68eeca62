//! Failure groups: runs that failed alike.

use serde::{Deserialize, Serialize};

/// Part of the JSON API: never rename one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureState {
    #[default]
    Open,
    /// A new run opens it again.
    Resolved,
    /// New runs change nothing.
    Muted,
}

impl FailureState {
    pub const ALL: [Self; 3] = [Self::Open, Self::Resolved, Self::Muted];
    pub const NAMES: [&'static str; 3] = ["open", "resolved", "muted"];

    pub fn as_str(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// A failure group in a time range. `first_seen_at_ms` and `last_seen_at_ms` are those of all its runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureGroup {
    /// The value of `group:` in a filter.
    pub id: String,
    /// What happened, in words.
    pub title: String,
    pub state: FailureState,
    /// Runs in the time range.
    pub runs: u64,
    /// When its first and its newest run were created. `None` if all its runs are deleted.
    pub first_seen_at_ms: Option<i64>,
    pub last_seen_at_ms: Option<i64>,
    pub trend: Trend,
    /// Values that most of its newest runs have.
    pub affected: Vec<AffectedValue>,
    /// The number of newest runs whose values were counted. `None` if all were.
    pub counted_newest: Option<u64>,
    pub next_step: String,
    /// Who set the state, and when. `None` if it is the first one.
    pub changed_by: Option<String>,
    pub changed_at_ms: Option<i64>,
    /// The new run that opened the resolved group again.
    pub reopened_by_run_id: Option<String>,
    pub note: Option<FailureNote>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureNote {
    pub text: String,
    pub by: String,
    pub at_ms: i64,
}

/// Runs over time, in steps of equal length from the beginning of the time range.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trend {
    pub start_ms: i64,
    pub step_ms: i64,
    pub runs: Vec<u64>,
}

/// A value of runs of a group. `key` is the key in the query language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AffectedValue {
    pub key: String,
    pub value: String,
    pub runs: u64,
}

/// A page of failure groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureGroups {
    pub groups: Vec<FailureGroup>,
    pub next_cursor: Option<String>,
    /// Groups with runs in the time range, by state.
    pub counts: FailureCounts,
    /// The number of groups, those that were seen last, that the list and the counts come from. `None` if there are no others.
    pub counted_newest: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureCounts {
    pub open: u64,
    pub resolved: u64,
    pub muted: u64,
}

impl FailureCounts {
    pub fn of(self, state: FailureState) -> u64 {
        match state {
            FailureState::Open => self.open,
            FailureState::Resolved => self.resolved,
            FailureState::Muted => self.muted,
        }
    }

    pub fn add(&mut self, state: FailureState) {
        match state {
            FailureState::Open => self.open += 1,
            FailureState::Resolved => self.resolved += 1,
            FailureState::Muted => self.muted += 1,
        }
    }
}

/// The order of failure groups, the largest or latest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureSort {
    /// By runs in the time range.
    #[default]
    Runs,
    LastSeen,
    FirstSeen,
}

impl FailureSort {
    pub const ALL: [Self; 3] = [Self::Runs, Self::LastSeen, Self::FirstSeen];
    pub const NAMES: [&'static str; 3] = ["runs", "last-seen", "first-seen"];

    pub fn as_str(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sort| sort.as_str() == name)
    }
}

/// A change of a group. `None` leaves the value as it is; an empty note removes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailureChange {
    #[serde(default)]
    pub state: Option<FailureState>,
    #[serde(default)]
    pub note: Option<String>,
    /// The time of the note that this one replaces, 0 for none. If it is another one by now, nothing is changed.
    #[serde(default)]
    pub replaces_note_at_ms: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_and_order_has_one_name() {
        for state in FailureState::ALL {
            assert_eq!(serde_json::to_value(state).ok(), Some(state.as_str().into()));
            assert_eq!(FailureState::parse(state.as_str()), Some(state));
        }
        for sort in FailureSort::ALL {
            assert_eq!(FailureSort::parse(sort.as_str()), Some(sort));
        }
        assert_eq!((FailureState::parse("closed"), FailureSort::parse("")), (None, None));
    }
}
