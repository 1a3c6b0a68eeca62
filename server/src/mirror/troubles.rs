//! Runs that could not be brought in: each is tried again, later each time, and holds nobody up meanwhile.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::mantyx::MantyxError;

const FIRST_WAIT: Duration = Duration::from_secs(2);
const LAST_WAIT: Duration = Duration::from_secs(3600);

#[derive(Debug, Default)]
pub struct Troubles(HashMap<String, Trouble>);

#[derive(Debug)]
struct Trouble {
    failures: u32,
    again_at: Instant,
}

impl Troubles {
    pub fn note(&mut self, run_id: &str, error: &Error) {
        let trouble = self.0.entry(run_id.to_owned()).or_insert(Trouble { failures: 0, again_at: Instant::now() });
        let wait = FIRST_WAIT.saturating_mul(1 << trouble.failures.min(16)).min(LAST_WAIT);
        trouble.failures += 1;
        trouble.again_at = Instant::now() + wait;
        let failures = trouble.failures;
        tracing::warn!(%error, run_id, failures, "a run could not be brought in; the others go on");
    }

    pub fn forget(&mut self, run_id: &str) {
        self.0.remove(run_id);
    }

    /// How many runs may have to be passed over.
    pub fn count(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// The runs that may be asked for now, at most so many.
    pub fn pass_over(&self, run_ids: Vec<String>, limit: u32) -> Vec<String> {
        let now = Instant::now();
        let may = |id: &String| self.0.get(id).is_none_or(|trouble| trouble.again_at <= now);
        run_ids.into_iter().filter(may).take(limit as usize).collect()
    }
}

/// What would befall any other run as well.
pub fn befalls_all(error: &Error) -> bool {
    use MantyxError::{MissingScope, RateLimited, Unauthorized, Unreachable};
    match error {
        Error::Mantyx(error) => {
            matches!(error, RateLimited { .. } | Unreachable(_) | Unauthorized | MissingScope { .. })
        }
        Error::Store(_) => true,
        Error::App(_) | Error::Unconfirmed => false,
    }
}

/// What tells nothing of the run that was asked for.
pub fn of_nobody(error: &Error) -> bool {
    matches!(
        error,
        Error::Store(_)
            | Error::Mantyx(
                MantyxError::RateLimited { .. } | MantyxError::Unauthorized | MantyxError::MissingScope { .. }
            )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_failed_is_passed_over_and_another_takes_its_place() {
        let mut troubles = Troubles::default();
        let error = Error::Mantyx(MantyxError::Unexpected("nonsense".to_owned()));
        troubles.note("run_1", &error);
        let ids = || ["run_1", "run_2", "run_3"].map(str::to_owned).to_vec();
        assert_eq!((troubles.pass_over(ids(), 1), troubles.count()), (vec!["run_2".to_owned()], 1));
        troubles.forget("run_1");
        assert_eq!(troubles.pass_over(ids(), 1), ["run_1"]);
        assert!(!befalls_all(&error) && !of_nobody(&error));
    }
}
