//! Background tasks that lease pending work, so that one process works on each item.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::abandoned_leases::AbandonedLeases;
use crate::clock::now_ms;
use crate::state::AppState;
use crate::store::{self, Leased};

const SWEEP_EVERY: Duration = Duration::from_secs(5);

/// Wakes a worker when there is something new, so that it does not wait for the next sweep.
#[derive(Clone, Debug, Default)]
pub struct LeaseWorker(Arc<Notify>);

impl LeaseWorker {
    pub fn wake(&self) {
        self.0.notify_one();
    }

    /// Leases what no process holds and spawns the work on it, until the server stops. `claim` gets the new owner, the time
    /// and the end of the leases.
    pub async fn run<T, C, W>(
        self,
        state: AppState,
        (what, lease_ms): (Leased, i64),
        claim: impl Fn(String, i64, i64) -> C,
        work: impl Fn(T) -> W,
    ) where
        C: Future<Output = store::Result<Vec<T>>>,
        W: Future<Output = ()> + Send + 'static,
    {
        let mut abandoned = AbandonedLeases::new(what, lease_ms);
        loop {
            // A new owner for each sweep: what an earlier lease of this process left unfinished is then recognised.
            let owner = crate::random::reference();
            let now = now_ms();
            if let Err(error) = abandoned.end(&state.store, now + lease_ms).await {
                tracing::warn!(?what, %error, "cannot look for abandoned leases");
            }
            match claim(owner, now, now + lease_ms).await {
                Ok(claimed) => claimed.into_iter().for_each(|one| drop(state.tasks.spawn(work(one)))),
                Err(error) => tracing::warn!(?what, %error, "cannot look for work without a lease"),
            }
            tokio::select! {
                () = self.0.notified() => {}
                () = tokio::time::sleep(SWEEP_EVERY) => {}
                () = state.shutdown.cancelled() => return,
            }
        }
    }
}
