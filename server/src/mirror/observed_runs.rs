//! Follows the newest runs in progress although nobody views them, so that their events get arrival times.

use std::collections::{HashMap, HashSet};

use tokio::sync::watch;

use crate::auth::Caller;
use crate::error::Error;
use crate::live::Progress;
use crate::state::AppState;

/// Runs of one workspace that are followed at a time. Each is a stream from MANTYX.
const MAX_OBSERVED: u32 = 20;

#[derive(Default)]
pub struct ObservedRuns(HashMap<String, watch::Receiver<Progress>>);

impl ObservedRuns {
    /// Follows the newest runs in progress that are stored, and no longer those that have ended or are older: runs that wait for
    /// days must not keep newer ones from being followed.
    pub async fn update(&mut self, state: &AppState, caller: &Caller) -> Result<(), Error> {
        let newest = state.store.unfinished_runs(caller.workspace_id, None, MAX_OBSERVED).await?;
        let newest: HashSet<String> = newest.into_iter().map(|(_, run_id)| run_id).collect();
        self.0.retain(|run_id, progress| newest.contains(run_id) && !progress.borrow().ended);
        for run_id in newest {
            let follow = || state.live.follow(state, caller, &run_id);
            self.0.entry(run_id.clone()).or_insert_with(follow);
        }
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
