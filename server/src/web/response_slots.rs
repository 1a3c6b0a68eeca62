//! Limits responses that hold memory until their client has read them: large timelines, reports and logs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::AppError;
use domain::LockExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::error::Error;
use crate::store::WorkspaceId;

/// Slots of all workspaces, and of one, so that its slow clients do not keep others waiting.
const SLOTS: usize = 32;
const SLOTS_OF_WORKSPACE: usize = 8;
/// A report is in memory as a whole, the others a part at a time.
pub const PART: u32 = 1;
pub const WHOLE: u32 = 4;
/// Time to wait for slots.
const MAX_WAIT: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
pub struct ResponseSlots {
    all: Arc<Semaphore>,
    of_workspace: Arc<Mutex<HashMap<WorkspaceId, Arc<Semaphore>>>>,
    max_wait: Duration,
}

/// Held until the response is sent.
#[derive(Debug)]
pub struct ResponseSlot {
    _of_workspace: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl Default for ResponseSlots {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(SLOTS)), of_workspace: Arc::default(), max_wait: MAX_WAIT }
    }
}

impl ResponseSlots {
    pub async fn acquire(&self, workspace: WorkspaceId, slots: u32) -> Result<ResponseSlot, Error> {
        let of_workspace = self.of_workspace.locked().entry(workspace).or_insert_with(new_semaphore).clone();
        let both = async {
            let of_workspace = of_workspace.acquire_many_owned(slots).await.ok()?;
            let of_all = self.all.clone().acquire_many_owned(slots).await.ok()?;
            Some(ResponseSlot { _of_workspace: of_workspace, _of_all: of_all })
        };
        timeout(self.max_wait, both).await.ok().flatten().ok_or_else(|| AppError::Busy.into())
    }
}

fn new_semaphore() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(SLOTS_OF_WORKSPACE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[tokio::test]
    async fn slow_clients_of_one_workspace_do_not_keep_another_waiting() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let (one, other) = (store.workspace_from_slug("one").await?, store.workspace_from_slug("other").await?);
        let slots = ResponseSlots { max_wait: Duration::ZERO, ..ResponseSlots::default() };
        let (first, second) = (slots.acquire(one, WHOLE).await, slots.acquire(one, WHOLE).await);
        assert!(first.is_ok() && second.is_ok());
        assert!(matches!(slots.acquire(one, PART).await, Err(Error::App(AppError::Busy))));
        assert!(slots.acquire(other, WHOLE).await.is_ok());
        drop(first);
        assert!(slots.acquire(one, PART).await.is_ok());
        Ok(())
    }
}
