//! Shares one refresh of a workspace's newest runs between all viewers of the list.
//!
//! A refresh runs in a task of its own. Later viewers wait for its outcome, but not for long: a MANTYX that hangs must not
//! hide the stored runs. Outcomes are reused for some seconds: failures longer than successes, and rate limits for as long
//! as MANTYX asks clients to wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use domain::LockExt;
use tokio::sync::watch;

use crate::mantyx::MantyxError;
use crate::store::WorkspaceId;

/// Time that a list waits for MANTYX before it shows the stored runs.
pub const REFRESH_TIMEOUT: Duration = Duration::from_millis(1_500);
/// A successful refresh is reused for this long.
const FRESH_FOR: Duration = Duration::from_secs(2);
/// After a failure MANTYX is not asked again for this long.
const FAILED_FOR: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_secs(300);

#[derive(Clone, Debug)]
pub enum Outcome {
    Fresh,
    /// This MANTYX has no list of runs.
    CannotList,
    Failed(MantyxError),
    /// The database cannot be written.
    CannotSave,
    /// The caller's credential was rejected. Another caller's may be accepted.
    Rejected(MantyxError),
}

/// Receives the outcome of a refresh, with the time until which to wait for it.
pub struct Pending {
    outcome: watch::Receiver<Option<Outcome>>,
    deadline: Instant,
}

#[derive(Clone, Debug, Default)]
pub struct RefreshGate(Arc<Mutex<HashMap<WorkspaceId, Refresh>>>);

#[derive(Debug, Default)]
struct Refresh {
    last: Option<(Outcome, Instant)>,
    running: Option<(watch::Receiver<Option<Outcome>>, Instant)>,
}

/// The next step of a caller who wants an outcome.
pub enum Ticket {
    /// Use this recent outcome.
    Recent(Outcome),
    /// Wait for a refresh that is running.
    Wait(Pending),
    /// Refresh, and publish the outcome.
    Refresh(Publisher, Pending),
}

/// Publishes the outcome of a refresh. If it is dropped without one, the next caller refreshes.
pub struct Publisher {
    gate: RefreshGate,
    workspace: WorkspaceId,
    outcome: watch::Sender<Option<Outcome>>,
}

impl RefreshGate {
    pub fn ticket(&self, workspace: WorkspaceId) -> Ticket {
        let mut all = self.all();
        let refresh = all.entry(workspace).or_default();
        if let Some((outcome, until)) = &refresh.last
            && *until > Instant::now()
        {
            return Ticket::Recent(outcome.clone());
        }
        if let Some((outcome, deadline)) = &refresh.running
            && outcome.has_changed().is_ok()
        {
            return Ticket::Wait(Pending { outcome: outcome.clone(), deadline: *deadline });
        }
        let (sender, outcome) = watch::channel(None);
        let deadline = Instant::now() + REFRESH_TIMEOUT;
        refresh.running = Some((outcome.clone(), deadline));
        let publisher = Publisher { gate: self.clone(), workspace, outcome: sender };
        Ticket::Refresh(publisher, Pending { outcome, deadline })
    }

    /// Keeps everybody from asking MANTYX for as long as it asks clients to wait.
    pub fn hold_off(&self, workspace: WorkspaceId, error: MantyxError) {
        let until = Instant::now() + reusable_for(&Outcome::Failed(error.clone()));
        self.all().entry(workspace).or_default().last = Some((Outcome::Failed(error), until));
    }

    /// Returns the recent failure because of which MANTYX is not to be asked now.
    pub fn recent_failure(&self, workspace: WorkspaceId) -> Option<MantyxError> {
        match self.all().get(&workspace)?.last.clone()? {
            (Outcome::Failed(error), until) if until > Instant::now() => Some(error),
            _ => None,
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<WorkspaceId, Refresh>> {
        self.0.locked()
    }
}

impl Publisher {
    pub fn publish(self, outcome: Outcome) {
        let mut all = self.gate.all();
        let refresh = all.entry(self.workspace).or_default();
        refresh.running = None;
        refresh.last = match &outcome {
            Outcome::Rejected(_) => None,
            other => Some((other.clone(), Instant::now() + reusable_for(other))),
        };
        drop(all);
        self.outcome.send_replace(Some(outcome));
    }
}

impl Pending {
    /// Returns the outcome, or `None` when it does not come in time.
    pub async fn wait(mut self) -> Option<Outcome> {
        let published = self.outcome.wait_for(Option::is_some);
        tokio::time::timeout_at(self.deadline.into(), published).await.ok()?.ok()?.clone()
    }
}

fn reusable_for(outcome: &Outcome) -> Duration {
    match outcome {
        Outcome::Fresh | Outcome::CannotSave | Outcome::Rejected(_) => FRESH_FOR,
        Outcome::Failed(MantyxError::RateLimited { retry_after: Some(wait) }) => (*wait).clamp(FRESH_FOR, LONGEST_WAIT),
        Outcome::Failed(_) | Outcome::CannotList => FAILED_FOR,
    }
}
