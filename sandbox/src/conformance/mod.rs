//! Checks of the protocol against any MANTYX: ours in the tests, or one that a user names.
//!
//! A check says in its name what must hold, asks over HTTP, and returns what it saw or why it does not hold. It must make
//! sense against a real MANTYX with a real model; one that has to know what the model will do needs `sandbox/script`.

mod catalogue;
mod credentials;
mod errors;
mod manners;
mod probe;
mod report;
mod runs;
mod scripted;
mod sessions;
mod steering;

use std::time::Duration;

use futures::future::BoxFuture;

use probe::Probe;
pub use report::{Outcome, Report, Verdict};

/// Where to ask, and as whom.
pub struct Target {
    pub url: String,
    pub key: String,
    pub workspace: String,
}

/// What must hold, and how to find out. The text that it returns is what was seen.
#[derive(Clone, Copy)]
struct Check {
    name: &'static str,
    needs_script: bool,
    run: for<'a> fn(&'a Probe) -> BoxFuture<'a, anyhow::Result<String>>,
}

/// A feature that a server may lack without breaking the protocol, such as one of a later version.
#[derive(Debug)]
struct Absent(&'static str);

/// A real model may think for a while.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs every check, one after another. An error when the target cannot be asked at all.
pub async fn run(target: Target) -> anyhow::Result<Report> {
    let probe = Probe::new(target).await?;
    let mut outcomes = Vec::new();
    for check in all() {
        let verdict = if check.needs_script && !probe.has_script {
            Verdict::Skipped("there is no sandbox/script in the catalogue, and no other model does as told".to_owned())
        } else {
            match tokio::time::timeout(PATIENCE, (check.run)(&probe)).await {
                Ok(Ok(seen)) => Verdict::Holds(seen),
                Ok(Err(error)) => match error.downcast::<Absent>() {
                    Ok(Absent(what)) => Verdict::Skipped(what.to_owned()),
                    Err(error) => Verdict::Fails(format!("{error:#}")),
                },
                Err(_) => Verdict::Fails(format!("no answer within {} s", PATIENCE.as_secs())),
            }
        };
        outcomes.push(Outcome { check: check.name, verdict });
    }
    Ok(Report { outcomes })
}

/// In the order in which they are told: what needs no model first.
fn all() -> Vec<Check> {
    [
        credentials::CHECKS,
        catalogue::CHECKS,
        errors::CHECKS,
        manners::CHECKS,
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

/// A list of checks: what must hold, then who finds out.
macro_rules! checks {
    ($needs_script:literal: $($name:literal => $run:ident),+ $(,)?) => {
        pub(super) const CHECKS: &[super::Check] = &[
            $(super::Check { name: $name, needs_script: $needs_script, run: |probe| Box::pin($run(probe)) }),+
        ];
    };
}

use checks;
