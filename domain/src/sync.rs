//! The progress of the sync of a workspace.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncProgress {
    /// Runs stored here.
    pub runs: u64,
    /// The number of runs at MANTYX, if it reported one.
    pub total: Option<u64>,
    pub history: HistoryState,
    /// Ended runs whose log is stored here, or is gone from MANTYX.
    pub logs: u64,
    /// Ended runs whose log is not synced yet. The count is capped.
    pub logs_missing: u64,
    pub paused: bool,
    /// False if this MANTYX has no list of runs: only runs that were opened, launched or imported here are shown.
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

/// The part of a workspace that is not synced yet. Lists may lack matching runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Incomplete {
    /// Older runs that are not synced yet. `None` if the number is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_missing: Option<u64>,
    /// Ended runs whose log is not synced yet: values that only a log has are unknown.
    pub logs_missing: u64,
}

impl SyncProgress {
    pub fn incomplete(&self) -> Option<Incomplete> {
        let runs_missing = match self.history {
            // A MANTYX without a list has no history to sync.
            _ if !self.can_list => Some(0),
            HistoryState::Complete => Some(0),
            // Imported runs count too, so there may be more runs here than at MANTYX.
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
    fn missing_runs_and_logs_are_counted_if_known() {
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
