//! Logs that were looked at lately, folded and ready to be shown as of any point.

use std::sync::{Arc, Mutex};

use domain::LockExt;
use protocol::timeline::Replay;

use crate::auth::Caller;
use crate::error::Error;
use crate::state::AppState;
use crate::store::{Origin, WorkspaceId};

/// Events kept in memory, over all logs: about 100 bytes and the payload each.
const MAX_EVENTS: usize = 250_000;

/// Events read from the database at a time.
const CHUNK: u32 = 5_000;

#[derive(Clone, Debug, Default)]
pub struct Timelines(Arc<Mutex<Vec<Kept>>>);

/// The least recently used log stands first.
#[derive(Debug)]
struct Kept {
    workspace: WorkspaceId,
    run_id: String,
    replay: Arc<Replay>,
}

/// A log without its end is looked at again: the run may have ended meanwhile, though the log has not.
fn is_current(replay: &Replay, last_seq: u64) -> bool {
    replay.latest().last_seq() == last_seq && replay.latest().status().is_terminal()
}

impl Timelines {
    /// A run's log as far as it is stored.
    pub async fn replay(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<Arc<Replay>, Error> {
        let workspace = caller.workspace_id;
        let last_seq = state.store.last_seq(workspace, run_id).await?;
        let kept = self.take_out(workspace, run_id);
        if let Some(replay) = kept.as_ref().filter(|replay| is_current(replay, last_seq)) {
            self.keep(workspace, run_id, replay.clone());
            return Ok(replay.clone());
        }
        // A log that has grown is read on from where it was.
        let mut replay = kept.map_or_else(|| Replay::new(Vec::new()), Arc::unwrap_or_clone);
        loop {
            let after = replay.latest().last_seq();
            let events = state.store.events_after(workspace, run_id, after, CHUNK).await?;
            if events.is_empty() {
                break;
            }
            events.into_iter().for_each(|event| replay.push(event));
        }
        // A run that has ended though its log has not: the page says so.
        if let Some(run) = state.store.run(workspace, run_id).await? {
            match run.origin {
                Origin::Imported if run.status.is_terminal() => replay.set_cut_off(),
                _ => replay.set_known_end(run.status),
            }
        }
        let replay = Arc::new(replay);
        self.keep(workspace, run_id, replay.clone());
        Ok(replay)
    }

    fn take_out(&self, workspace: WorkspaceId, run_id: &str) -> Option<Arc<Replay>> {
        let mut kept = self.lock();
        let at = kept.iter().position(|kept| kept.workspace == workspace && kept.run_id == run_id)?;
        Some(kept.remove(at).replay)
    }

    fn keep(&self, workspace: WorkspaceId, run_id: &str, replay: Arc<Replay>) {
        let mut kept = self.lock();
        kept.retain(|kept| kept.workspace != workspace || kept.run_id != run_id);
        kept.push(Kept { workspace, run_id: run_id.to_owned(), replay });
        let mut events: usize = kept.iter().map(|kept| kept.replay.len()).sum();
        // One log stays, however long it is: whoever looks at it will look again.
        while events > MAX_EVENTS && kept.len() > 1 {
            events -= kept.remove(0).replay.len();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Kept>> {
        self.0.locked()
    }
}
