//! The hub of live runs: one stream from MANTYX for each watched run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::LockExt;
use tokio::sync::watch;
use tracing::Instrument;

use super::follower::{Start, Viewers, follow_run};
use crate::auth::Caller;
use crate::mirror::CATCH_UP_PAUSE;
use crate::state::AppState;
use crate::store::WorkspaceId;

/// Time that a page waits for the rest of an ended run's log.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// Time that a launched run is followed for, until its page or the syncer follows it.
const LAUNCH_FOLLOWED_FOR: Duration = Duration::from_secs(30);

type Followed = HashMap<(WorkspaceId, String), FollowedRun>;

#[derive(Clone, Debug)]
struct FollowedRun {
    progress: watch::Sender<Progress>,
    viewers: Viewers,
}

#[derive(Clone, Debug, Default)]
pub struct Hub {
    followed: Arc<Mutex<Followed>>,
}

/// The progress of one followed run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of batches stored.
    pub batches: u64,
    /// Nothing more will come: the run has ended, or it can no longer be read.
    pub ended: bool,
    /// MANTYX's stream broke and is not connected again yet.
    pub disconnected: bool,
}

impl Hub {
    /// Returns the number of watchers, and of runs that they watch.
    pub fn count_watchers(&self) -> (usize, usize) {
        let followed = self.followed.locked();
        let watchers = followed.values().map(|run| run.progress.receiver_count()).filter(|count| *count > 0);
        watchers.fold((0, 0), |(streams, runs), count| (streams + count, runs + 1))
    }

    /// Follows a run. All followers share one stream from MANTYX, which stays open until the last receiver is dropped. It is
    /// read with the credential of one of them, or of another user of the workspace who may read runs.
    pub fn follow(&self, state: &AppState, caller: &Caller, run_id: &str) -> watch::Receiver<Progress> {
        self.follow_from(state, caller, run_id, Start::Earlier)
    }

    /// Follows a run that this server has just launched, so that its first events get times too: a call that waits for an
    /// answer is often among them. Stops after a while, unless something else follows the run by then.
    pub fn follow_launched(&self, state: &AppState, caller: &Caller, run_id: &str) {
        let mut progress = self.follow_from(state, caller, run_id, Start::JustNow);
        tokio::spawn(async move {
            // Also if it is followed no longer: the receiver is dropped here.
            let _ = tokio::time::timeout(LAUNCH_FOLLOWED_FOR, progress.wait_for(|progress| progress.ended)).await;
        });
    }

    fn follow_from(&self, state: &AppState, caller: &Caller, run_id: &str, start: Start) -> watch::Receiver<Progress> {
        let mut followed = self.followed.locked();
        followed.retain(|_, run| run.progress.receiver_count() > 0);
        let key = (caller.workspace_id, run_id.to_owned());
        if let Some(run) = followed.get(&key)
            && !run.progress.borrow().ended
        {
            run.viewers.add(caller);
            return run.progress.subscribe();
        }
        let (progress, receiver) = watch::channel(Progress::default());
        let viewers = Viewers::new(caller);
        followed.insert(key, FollowedRun { progress: progress.clone(), viewers: viewers.clone() });
        let span = tracing::info_span!("follow run", run_id, workspace = %caller.workspace_id);
        let follow = follow_run(state.clone(), caller.workspace_id, viewers, run_id.to_owned(), progress, start);
        tokio::spawn(follow.instrument(span));
        receiver
    }

    /// Returns true while a run is followed.
    pub fn follows(&self, workspace: WorkspaceId, run_id: &str) -> bool {
        self.subscribe(workspace, run_id).is_some()
    }

    /// Waits for a moment until a followed run has events in the store: its first batch or, if it has ended, its last.
    pub async fn wait_until_stored(&self, workspace: WorkspaceId, run_id: &str, in_progress: bool) {
        let Some(mut progress) = self.subscribe(workspace, run_id) else { return };
        let timeout = if in_progress { CATCH_UP_PAUSE } else { END_TIMEOUT };
        let is_stored = |progress: &Progress| progress.ended || (in_progress && progress.batches > 0);
        // On timeout the page shows what is stored, and the relay sends the rest.
        let _ = tokio::time::timeout(timeout, progress.wait_for(is_stored)).await;
    }

    fn subscribe(&self, workspace: WorkspaceId, run_id: &str) -> Option<watch::Receiver<Progress>> {
        let followed = self.followed.locked();
        let progress = &followed.get(&(workspace, run_id.to_owned()))?.progress;
        (progress.receiver_count() > 0 && !progress.borrow().ended).then(|| progress.subscribe())
    }
}
