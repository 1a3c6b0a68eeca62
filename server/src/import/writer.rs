//! Stores small imports. One task writes them: imports that come while it writes share the next transaction.

use std::collections::HashMap;
use std::slice;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::store::{self, NewImport, Store, WorkspaceId};

/// Imports that wait for the task. Further ones wait for a place.
const MAX_WAITING: usize = 64;
/// Imports in one transaction.
const MAX_TOGETHER: usize = 64;
/// Imports after which the store learns from them again.
const LEARN_EVERY: usize = 200;

#[derive(Clone, Debug)]
pub struct ImportWriter {
    store: Store,
    queue: mpsc::Sender<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    workspace: WorkspaceId,
    import: NewImport,
    stored: oneshot::Sender<store::Result<()>>,
}

impl ImportWriter {
    /// Starts the task, which ends after the last handle to it.
    pub fn start(store: Store) -> Self {
        let (queue, waiting) = mpsc::channel(MAX_WAITING);
        tokio::spawn(write_all(store.clone(), waiting));
        Self { store, queue }
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Stores an import. Returns after the commit.
    pub async fn write(&self, workspace: WorkspaceId, import: NewImport) -> store::Result<()> {
        let (stored, outcome) = oneshot::channel();
        // If the task is gone, `stored` is dropped with what was not sent.
        let _ = self.queue.send(Waiting { workspace, import, stored }).await;
        outcome.await.unwrap_or(Err(store::Error::WorkerCrashed))
    }
}

async fn write_all(store: Store, mut queue: mpsc::Receiver<Waiting>) {
    let mut received = Vec::with_capacity(MAX_TOGETHER);
    let (mut unlearned, mut learning): (usize, Option<JoinHandle<()>>) = (0, None);
    while queue.recv_many(&mut received, MAX_TOGETHER).await > 0 {
        let mut groups: HashMap<WorkspaceId, Vec<Waiting>> = HashMap::new();
        for waiting in received.drain(..) {
            groups.entry(waiting.workspace).or_default().push(waiting);
        }
        for (workspace, group) in groups {
            unlearned += group.len();
            // A task of its own: a panic ends only this group, whose requests then fail.
            let _ = tokio::spawn(write_group(store.clone(), workspace, group)).await;
            if unlearned >= LEARN_EVERY && learning.as_ref().is_none_or(JoinHandle::is_finished) {
                unlearned = 0;
                learning = Some(tokio::spawn(learn(store.clone(), workspace)));
            }
        }
    }
}

/// Stores imports in one transaction. If that fails, each gets a transaction of its own, so that one that cannot be stored
/// does not affect the others.
async fn write_group(store: Store, workspace: WorkspaceId, group: Vec<Waiting>) {
    let (imports, requests): (Vec<_>, Vec<_>) =
        group.into_iter().map(|waiting| (waiting.import, waiting.stored)).unzip();
    let is_stored = store.store_imports(workspace, &imports).await.is_ok();
    for (import, request) in imports.iter().zip(requests) {
        let outcome = match is_stored {
            true => Ok(()),
            false => store.store_imports(workspace, slice::from_ref(import)).await,
        };
        let _ = request.send(outcome);
    }
}

/// Chooses a compression dictionary and the words that are too common for the index, as the sync does for its runs.
async fn learn(store: Store, workspace: WorkspaceId) {
    let learned = async {
        store.train_dictionary().await?;
        store.choose_common_words(workspace).await
    };
    match learned.await {
        // The process ends.
        Ok(()) | Err(store::Error::PoolClosed) => {}
        Err(error) => tracing::warn!(%error, %workspace, "cannot choose a dictionary or common words"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::ImportReport;
    use futures::future::try_join_all;

    use super::*;
    use crate::seed::Seeder;

    const RUNS: u64 = 700;
    const PATIENCE: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn imports_are_compressed_with_a_dictionary_of_their_own() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, RUNS, 1_790_000_000_000, store.packer().clone());
        let writer = ImportWriter::start(store.clone());
        let write = async |index| -> anyhow::Result<()> {
            let import = NewImport { update: seeder.run(index)?.0, report: ImportReport::default(), entry: None };
            Ok(writer.write(workspace, import).await?)
        };
        try_join_all((0..RUNS).map(write)).await?;
        assert_eq!(store.count_runs(workspace).await?, RUNS as i64);
        let trained = async {
            while !store.packer().is_trained() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, trained).await?;
        Ok(())
    }
}
