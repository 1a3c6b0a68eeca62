//! Protocol checks for any MANTYX server: the sandbox in the tests, or one that a user names.
//!
//! The name of a check is the rule. It sends requests over HTTP, and returns what it observed or why the rule is broken. It
//! must work with a real MANTYX and a real model; a check that depends on the model's behaviour needs `sandbox/script`.

mod catalogue;
mod credentials;
mod errors;
mod limits;
mod probe;
mod report;
mod runs;
mod scripted;
mod sessions;
mod steering;

use std::time::Duration;

use futures::future::BoxFuture;

use probe::Probe;
use report::Outcome;
pub use report::{Report, Verdict};

/// The server and credential to check.
pub struct Target {
    pub url: String,
    pub key: String,
    pub workspace: String,
}

/// A rule and its check, which returns what it observed.
#[derive(Clone, Copy)]
struct Check {
    name: &'static str,
    needs_script: bool,
    run: for<'a> fn(&'a Probe) -> BoxFuture<'a, anyhow::Result<String>>,
}

/// The error of a check for an optional feature that the server lacks, such as one of a later version.
#[derive(Debug)]
struct Absent(&'static str);

/// Long enough for a real model.
const CHECK_TIMEOUT: Duration = Duration::from_secs(120);

/// Runs all checks in order. Fails if the server cannot be reached.
pub async fn run(target: Target) -> anyhow::Result<Report> {
    let probe = Probe::new(target).await?;
    let mut outcomes = Vec::new();
    for check in all() {
        let verdict = if check.needs_script && !probe.has_script {
            Verdict::Skipped(
                "there is no sandbox/script in the catalogue, and no other model follows script lines".to_owned(),
            )
        } else {
            match tokio::time::timeout(CHECK_TIMEOUT, (check.run)(&probe)).await {
                Ok(Ok(seen)) => Verdict::Holds(seen),
                Ok(Err(error)) => match error.downcast::<Absent>() {
                    Ok(Absent(what)) => Verdict::Skipped(what.to_owned()),
                    Err(error) => Verdict::Fails(format!("{error:#}")),
                },
                Err(_) => Verdict::Fails(format!("no answer within {} s", CHECK_TIMEOUT.as_secs())),
            }
        };
        outcomes.push(Outcome { check: check.name, verdict });
    }
    Ok(Report { outcomes })
}

/// Returns all checks in the order of the report: first those without a model.
fn all() -> Vec<Check> {
    [
        credentials::CHECKS,
        catalogue::CHECKS,
        errors::CHECKS,
        limits::CHECKS,
        runs::CHECKS,
        sessions::CHECKS,
        scripted::CHECKS,
        steering::CHECKS,
    ]
    .concat()
}

impl std::fmt::Display for Absent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Absent {}

/// Defines the checks of a module: `rule => function`.
macro_rules! checks {
    ($needs_script:literal: $($name:literal => $run:ident),+ $(,)?) => {
        pub(super) const CHECKS: &[super::Check] = &[
            $(super::Check { name: $name, needs_script: $needs_script, run: |probe| Box::pin($run(probe)) }),+
        ];
    };
}

use checks;
