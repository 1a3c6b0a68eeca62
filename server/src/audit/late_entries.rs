//! Entries of the audit log that could not be written. They wait in memory until the database can be written again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::{Backoff, LockExt};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::store::{self, NewAuditEntry, Store, WorkspaceId};

/// Entries that wait. More are lost, and the server's log says so.
const MAX_ENTRIES: usize = 10_000;
const RETRY: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(30));

#[derive(Clone, Debug, Default)]
pub struct LateEntries {
    /// The oldest first.
    entries: Arc<Mutex<VecDeque<(WorkspaceId, NewAuditEntry)>>>,
    added: Arc<Notify>,
}

impl LateEntries {
    pub fn add(&self, workspace: WorkspaceId, entry: NewAuditEntry) {
        let mut entries = self.entries.locked();
        if entries.len() < MAX_ENTRIES {
            entries.push_back((workspace, entry));
        } else {
            tracing::error!(action = entry.action.as_str(), %workspace, "an entry of the audit log is lost");
        }
        drop(entries);
        self.added.notify_one();
    }

    /// A background task that writes the entries, until the server stops.
    pub async fn run(self, store: Store, shutdown: CancellationToken) {
        let mut retry = RETRY;
        loop {
            let wait = match self.write(&store).await {
                Ok(()) => {
                    retry.reset();
                    None
                }
                Err(_) => Some(retry.next_delay()),
            };
            tokio::select! {
                () = self.added.notified(), if wait.is_none() => {}
                () = tokio::time::sleep(wait.unwrap_or_default()), if wait.is_some() => {}
                () = shutdown.cancelled() => break,
            }
        }
        if let Err(error) = self.write(&store).await {
            tracing::error!(%error, entries = self.entries.locked().len(), "entries of the audit log are lost");
        }
    }

    /// Writes entries in their order, until one fails.
    async fn write(&self, store: &Store) -> store::Result<()> {
        loop {
            let Some((workspace, entry)) = self.first() else { return Ok(()) };
            store.add_audit_entry(workspace, &entry).await?;
            self.entries.locked().pop_front();
        }
    }

    fn first(&self) -> Option<(WorkspaceId, NewAuditEntry)> {
        self.entries.locked().front().cloned()
    }
}
