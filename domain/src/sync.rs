//! The progress of the sync of a workspace.

use serde::{Deserialize, Serialize};

/// How far a workspace is mirrored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncProgress {
    /// Runs stored here.
    pub runs: u64,
    /// How many MANTYX said there are, where it did.
    pub total: Option<u64>,
    pub history: HistoryState,
    /// Ended runs whose log is here, or cannot be had any more.
    pub logs: u64,
    /// Ended runs whose log is still to come; some thousands stand for any more.
    pub logs_missing: u64,
    pub paused: bool,
    /// This MANTYX has no list of runs: only those that were opened, launched or imported here are listed.
    pub can_list: bool,
    pub synced_at_ms: Option<i64>,
    pub last_error: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HistoryState {
    #[default]
    NotBegun,
    UnderWay,
    Complete,
}

/// What of a workspace's runs is not here yet: a list may lack runs that match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Incomplete {
    /// Older runs that are still to come; `None` where nobody said how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_missing: Option<u64>,
    /// Ended runs whose log is still to come: what only a log tells is not known of them.
    pub logs_missing: u64,
}

impl SyncProgress {
    pub fn incomplete(&self) -> Option<Incomplete> {
        let runs_missing = match self.history {
            // A MANTYX without a list has no history that could be brought in.
            _ if !self.can_list => Some(0),
            HistoryState::Complete => Some(0),
            // Imported runs are counted as well: there may be more runs here than MANTYX has.
            _ => self.total.and_then(|total| total.checked_sub(self.runs)).filter(|missing| *missing > 0),
        };
        let logs_missing = self.logs_missing;
        (runs_missing != Some(0) || logs_missing > 0).then_some(Incomplete { runs_missing, logs_missing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_as_far_as_it_is_known() {
        let sync = SyncProgress { runs: 6_201, total: Some(6_351), can_list: true, ..SyncProgress::default() };
        let missing =
            |sync: SyncProgress| sync.incomplete().map(|missing| (missing.runs_missing, missing.logs_missing));
        assert_eq!(missing(sync.clone()), Some((Some(150), 0)));
        assert_eq!(missing(SyncProgress { total: None, ..sync.clone() }), Some((None, 0)));
        assert_eq!(missing(SyncProgress { total: Some(6_000), ..sync.clone() }), Some((None, 0)));
        let complete = SyncProgress { history: HistoryState::Complete, ..sync.clone() };
        assert_eq!(missing(complete.clone()), None);
        assert_eq!(missing(SyncProgress { logs_missing: 3, ..complete }), Some((Some(0), 3)));
        assert_eq!(missing(SyncProgress { can_list: false, ..sync }), None);
    }
}
