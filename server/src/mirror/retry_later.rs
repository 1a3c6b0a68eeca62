//! Runs whose sync failed. Each is retried with back-off, without delaying the others.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use domain::Backoff;

use crate::error::Error;
use crate::mantyx::MantyxError;

const RETRY: Backoff = Backoff::new(Duration::from_secs(2), Duration::from_secs(3600));

#[derive(Debug, Default)]
pub struct RetryLater(HashMap<String, Retry>);

#[derive(Debug)]
struct Retry {
    backoff: Backoff,
    failures: u32,
    at: Instant,
}

impl RetryLater {
    /// Schedules the next attempt for a run that failed.
    pub fn schedule(&mut self, run_id: &str, error: &Error) {
        let first = Retry { backoff: RETRY, failures: 0, at: Instant::now() };
        let retry = self.0.entry(run_id.to_owned()).or_insert(first);
        retry.failures += 1;
        retry.at = Instant::now() + retry.backoff.next_delay();
        let failures = retry.failures;
        tracing::warn!(%error, run_id, failures, "run sync failed; retrying later");
    }

    /// Forgets a run that succeeded.
    pub fn remove(&mut self, run_id: &str) {
        self.0.remove(run_id);
    }

    /// Returns the number of runs that have failed and not succeeded since.
    pub fn len(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// Returns up to `limit` of the runs, leaving out those whose next attempt is not due.
    pub fn filter_due(&self, run_ids: Vec<String>, limit: u32) -> Vec<String> {
        let now = Instant::now();
        let is_due = |id: &String| self.0.get(id).is_none_or(|retry| retry.at <= now);
        run_ids.into_iter().filter(is_due).take(limit as usize).collect()
    }
}

/// Returns true for errors that every other run would hit as well.
pub fn affects_all_runs(error: &Error) -> bool {
    use MantyxError::{MissingScope, RateLimited, Unauthorized, Unreachable};
    match error {
        Error::Mantyx(error) => {
            matches!(error, RateLimited { .. } | Unreachable(_) | Unauthorized | MissingScope { .. })
        }
        Error::Store(_) => true,
        Error::App(_) | Error::Unconfirmed => false,
    }
}

/// Returns true for errors that are not caused by the run: the run is not at fault and is not delayed.
pub fn unrelated_to_run(error: &Error) -> bool {
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
    fn a_failed_run_is_skipped_and_another_takes_its_place() {
        let mut retry_later = RetryLater::default();
        let error = Error::Mantyx(MantyxError::Unexpected("nonsense".to_owned()));
        retry_later.schedule("run_1", &error);
        let ids = || ["run_1", "run_2", "run_3"].map(str::to_owned).to_vec();
        assert_eq!((retry_later.filter_due(ids(), 1), retry_later.len()), (vec!["run_2".to_owned()], 1));
        retry_later.remove("run_1");
        assert_eq!(retry_later.filter_due(ids(), 1), ["run_1"]);
        assert!(!affects_all_runs(&error) && !unrelated_to_run(&error));
    }
}
