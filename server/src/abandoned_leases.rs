//! Ends leases of dead processes that end far in the future, because the clock was ahead when they were taken.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::store::{self, Leased, OverlongLease, Store};

/// Leases that end too late, with the time at which each was seen first.
pub struct AbandonedLeases {
    what: Leased,
    /// A process that lives renews its lease within this time, which changes its end.
    lease: Duration,
    seen: HashMap<OverlongLease, Instant>,
}

impl AbandonedLeases {
    pub fn new(what: Leased, lease_ms: i64) -> Self {
        let lease = Duration::from_millis(u64::try_from(lease_ms).unwrap_or_default());
        Self { what, lease, seen: HashMap::new() }
    }

    /// Ends those that did not change for the time of a lease. This does not depend on the clock.
    pub async fn end(&mut self, store: &Store, lease_until_ms: i64) -> Result<(), store::Error> {
        let far = store.leases_after(self.what, lease_until_ms).await?;
        self.seen.retain(|lease, _| far.contains(lease));
        for lease in far {
            let Some(since) = self.seen.get(&lease) else {
                self.seen.insert(lease, Instant::now());
                continue;
            };
            if since.elapsed() >= self.lease {
                tracing::warn!(?lease, "a lease ends too late and is not renewed: the clock was changed");
                store.end_lease(self.what, &lease).await?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Actor;
    use crate::store::NewBatch;
    use domain::AuditAction;

    const HOURS_MS: i64 = 7_200_000;

    #[tokio::test]
    async fn a_lease_from_a_clock_that_was_ahead_ends_unless_it_is_renewed() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let entry = Actor::person("ada@acme.test", None).entry(AuditAction::Launch);
        for id in ["dead", "alive"] {
            let batch = NewBatch { id, subject: "ada", tag_key: "k", tag_value: "v", sealed: b"", sealed_inputs: &[] };
            store.insert_batch(workspace, &batch, &entry).await?;
        }
        let now = 1_790_000_000_000;
        let taken = store.claim_batches("ahead", now + HOURS_MS, now + HOURS_MS + 90_000).await?;
        let alive = taken.iter().find(|batch| batch.id == "alive").expect("a batch");
        let mut leases = AbandonedLeases::new(Leased::Batches, 0);
        leases.end(&store, now + 90_000).await?;
        assert!(store.claim_batches("next", now, now + 90_000).await?.is_empty());
        store.renew_batch(alive, now + HOURS_MS + 95_000, None).await?;
        leases.end(&store, now + 90_000).await?;
        let claimed = store.claim_batches("next", now, now + 90_000).await?;
        assert_eq!(claimed.iter().map(|batch| batch.id.as_str()).collect::<Vec<_>>(), ["dead"]);
        Ok(())
    }
}
