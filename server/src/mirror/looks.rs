//! One look at MANTYX's newest runs for everybody who opens a list.
//!
//! A look goes on in a task of its own. Whoever comes meanwhile waits for its outcome, but not for long: a MANTYX that hangs
//! must not keep anybody from what is stored. An outcome is remembered for a moment, a failure longer than a success, and
//! for as long as MANTYX asks to wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use domain::LockExt;
use tokio::sync::watch;

use crate::mantyx::MantyxError;
use crate::store::WorkspaceId;

/// How long a list waits for MANTYX before it shows what is stored.
pub const PATIENCE: Duration = Duration::from_millis(1_500);
/// A list that was synced this short a time ago is fresh enough.
const FRESH_FOR: Duration = Duration::from_secs(2);
/// MANTYX is not asked again so soon after it failed.
const FAILED_FOR: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_secs(300);

#[derive(Clone, Debug)]
pub enum Outcome {
    Fresh,
    /// This MANTYX has no list of runs.
    CannotList,
    Failed(MantyxError),
    /// The credential may not look: somebody else's may.
    Refused(MantyxError),
}

#[derive(Clone, Debug, Default)]
pub struct Looks(Arc<Mutex<HashMap<WorkspaceId, Look>>>);

#[derive(Debug, Default)]
struct Look {
    last: Option<(Outcome, Instant)>,
    under_way: Option<(watch::Receiver<Option<Outcome>>, Instant)>,
}

/// What there is to do for somebody who opens a list.
pub enum Turn {
    /// It is known.
    Known(Outcome),
    /// Somebody is looking; wait until then.
    Wait(watch::Receiver<Option<Outcome>>, Instant),
    /// Look, and tell.
    Look(Teller, watch::Receiver<Option<Outcome>>, Instant),
}

/// Whoever looks tells the outcome; one that goes away without a word lets the next one look.
pub struct Teller {
    looks: Looks,
    workspace: WorkspaceId,
    told: watch::Sender<Option<Outcome>>,
}

impl Looks {
    pub fn turn(&self, workspace: WorkspaceId) -> Turn {
        let mut all = self.all();
        let look = all.entry(workspace).or_default();
        if let Some((outcome, until)) = &look.last
            && *until > Instant::now()
        {
            return Turn::Known(outcome.clone());
        }
        if let Some((outcome, until)) = &look.under_way
            && outcome.has_changed().is_ok()
        {
            return Turn::Wait(outcome.clone(), *until);
        }
        let (told, outcome) = watch::channel(None);
        let until = Instant::now() + PATIENCE;
        look.under_way = Some((outcome.clone(), until));
        Turn::Look(Teller { looks: self.clone(), workspace, told }, outcome, until)
    }

    /// MANTYX asks everybody to wait.
    pub fn hold_off(&self, workspace: WorkspaceId, error: MantyxError) {
        let until = Instant::now() + remembered_for(&Outcome::Failed(error.clone()));
        self.all().entry(workspace).or_default().last = Some((Outcome::Failed(error), until));
    }

    /// Why MANTYX is not to be asked just now, where there is a reason.
    pub fn trouble(&self, workspace: WorkspaceId) -> Option<MantyxError> {
        match self.all().get(&workspace)?.last.clone()? {
            (Outcome::Failed(error), until) if until > Instant::now() => Some(error),
            _ => None,
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<WorkspaceId, Look>> {
        self.0.locked()
    }
}

impl Teller {
    pub fn tell(self, outcome: Outcome) {
        let mut all = self.looks.all();
        let look = all.entry(self.workspace).or_default();
        look.under_way = None;
        look.last = match &outcome {
            Outcome::Refused(_) => None,
            known => Some((known.clone(), Instant::now() + remembered_for(known))),
        };
        drop(all);
        self.told.send_replace(Some(outcome));
    }
}

/// The outcome of a look, where it comes in time.
pub async fn wait(mut outcome: watch::Receiver<Option<Outcome>>, until: Instant) -> Option<Outcome> {
    let told = tokio::time::timeout_at(until.into(), outcome.wait_for(Option::is_some)).await;
    told.ok()?.ok()?.clone()
}

fn remembered_for(outcome: &Outcome) -> Duration {
    match outcome {
        Outcome::Fresh | Outcome::Refused(_) => FRESH_FOR,
        Outcome::Failed(MantyxError::RateLimited { retry_after: Some(wait) }) => (*wait).clamp(FRESH_FOR, LONGEST_WAIT),
        Outcome::Failed(_) | Outcome::CannotList => FAILED_FOR,
    }
}
