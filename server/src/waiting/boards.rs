//! The boards of all workspaces: each is read once for everyone who looks, and again after a change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::LockExt;
use tokio::sync::{OwnedMutexGuard, watch};

use super::board::Board;
use crate::bounded_cache::BoundedCache;
use crate::error::Error;
use crate::keyed_locks::KeyedLocks;
use crate::state::AppState;
use crate::store::WorkspaceId;

/// Memory for boards. A larger one is read for each viewer, or for those who come at the same time.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// A board is reused for this long. Changes by other processes are seen after it.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Boards with the number of changes before they were read.
type RecentBoards = BoundedCache<WorkspaceId, (u64, Arc<Board>)>;

#[derive(Clone, Debug)]
pub struct Boards {
    /// The number of changes, for each workspace that has been looked at.
    changes: Arc<Mutex<HashMap<WorkspaceId, watch::Sender<u64>>>>,
    reading: KeyedLocks<WorkspaceId>,
    recent: Arc<Mutex<RecentBoards>>,
    /// Answers of people: one at a time for each call.
    answering: KeyedLocks<(WorkspaceId, String, String)>,
    pub(super) syncs: super::sync::RecentSyncs,
}

impl Default for Boards {
    fn default() -> Self {
        let recent = Arc::new(Mutex::new(BoundedCache::new(MAX_BYTES, MAX_AGE)));
        Self {
            changes: Arc::default(),
            reading: KeyedLocks::default(),
            recent,
            answering: KeyedLocks::default(),
            syncs: Default::default(),
        }
    }
}

impl Boards {
    /// Returns the board of a workspace as far as its runs are stored.
    pub async fn load(&self, state: &AppState, workspace: WorkspaceId) -> Result<Arc<Board>, Error> {
        let _one_at_a_time = self.reading.lock(workspace).await;
        let changes = *self.watch(workspace).borrow();
        if let Some((before, board)) = self.recent.locked().get(&workspace)
            && before == changes
        {
            return Ok(board);
        }
        let board = Arc::new(Board::read(state, workspace).await?);
        let bytes = board.memory_bytes();
        self.recent.locked().insert(workspace, (changes, board.clone()), bytes);
        Ok(board)
    }

    /// Says that the calls of a workspace may have changed.
    pub fn changed(&self, workspace: WorkspaceId) {
        if let Some(changes) = self.changes.locked().get(&workspace) {
            changes.send_modify(|changes| *changes += 1);
        }
    }

    /// Waits until no other person is answering this call at this server.
    pub async fn lock_call(&self, workspace: WorkspaceId, run_id: &str, tool_use_id: &str) -> OwnedMutexGuard<()> {
        self.answering.lock((workspace, run_id.to_owned(), tool_use_id.to_owned())).await
    }

    /// Returns a receiver that is notified of changes.
    pub fn watch(&self, workspace: WorkspaceId) -> watch::Receiver<u64> {
        self.changes.locked().entry(workspace).or_insert_with(|| watch::channel(0).0).subscribe()
    }
}
