//! `cargo xtask test`: runs every check, part by part, with a summary at the end.

pub mod binaries;
mod browser;
mod dependencies;
mod fuzz;
mod postgres;
mod rust;
mod sdk;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::ValueEnum;

use crate::{tidy, torture};

/// A part of the tests, in the order in which they run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Part {
    /// Formatting
    Fmt,
    /// Lints of everything native
    Clippy,
    /// Lints of the client
    ClippyWasm,
    /// Rules that the compiler does not know
    Tidy,
    /// Licences and known vulnerabilities of dependencies, as far as the tools are installed
    Dependencies,
    /// Unit tests
    Unit,
    /// Integration tests, on SQLite
    Sqlite,
    /// The server's integration tests, on a PostgreSQL started for them
    Postgres,
    /// Two releases of the official Python client against the sandbox
    Sdk,
    /// Damaged and generated input for parsers and for the JSON API
    Fuzz,
    /// Five rounds of `cargo xtask torture`
    Torture,
    /// The pages in a real browser
    Browser,
}

impl Part {
    fn run(self) -> Result<()> {
        match self {
            Self::Fmt => rust::fmt(),
            Self::Clippy => rust::clippy(),
            Self::ClippyWasm => rust::clippy_wasm(),
            Self::Tidy => tidy::run(),
            Self::Dependencies => dependencies::run(),
            Self::Unit => rust::unit(),
            Self::Sqlite => rust::sqlite(),
            Self::Postgres => postgres::run(),
            Self::Sdk => sdk::run(),
            Self::Fuzz => fuzz::run(),
            Self::Torture => torture::run(&torture::Options::default()),
            Self::Browser => browser::run(),
        }
    }

    /// Each run has a new seed and may find a fault that has nothing to do with the change.
    fn is_left_out_by_ci(self) -> bool {
        matches!(self, Self::Fuzz | Self::Torture)
    }

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// The result of one part.
struct Outcome {
    name: String,
    passed: bool,
    took: Duration,
}

/// Runs the parts, or when none is named, those of CI or all. A part that fails does not stop the others.
pub fn run(parts: &[Part], full: bool) -> ExitCode {
    let outcomes: Vec<Outcome> = selected(parts, full).into_iter().map(timed).collect();
    println!("\n{}", summary(&outcomes));
    if outcomes.iter().all(|outcome| outcome.passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn selected(parts: &[Part], full: bool) -> Vec<Part> {
    let mut parts = parts.to_vec();
    if parts.is_empty() {
        parts = Part::value_variants().iter().copied().filter(|part| full || !part.is_left_out_by_ci()).collect();
    }
    parts.sort();
    parts.dedup();
    parts
}

fn timed(part: Part) -> Outcome {
    let name = part.name();
    println!("\n▸ {name} …");
    let start = Instant::now();
    let result = part.run();
    if let Err(error) = &result {
        eprintln!("{name}: {error:#}");
    }
    Outcome { name, passed: result.is_ok(), took: start.elapsed() }
}

fn summary(outcomes: &[Outcome]) -> String {
    let mut lines: Vec<String> = outcomes
        .iter()
        .map(|outcome| {
            let result = if outcome.passed { "ok" } else { "FAILED" };
            format!("{} … {result} {} s", outcome.name, outcome.took.as_secs())
        })
        .collect();
    let passed = outcomes.iter().filter(|outcome| outcome.passed).count();
    lines.push(format!("{passed} passed, {} failed", outcomes.len() - passed));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_parts_run_once_and_in_the_usual_order() {
        let names = |parts: &[Part], full| selected(parts, full).into_iter().map(Part::name).collect::<Vec<_>>();
        assert_eq!(names(&[Part::Unit, Part::Fmt, Part::Unit], false), ["fmt", "unit"]);
        assert_eq!(names(&[Part::Torture], false), ["torture"]);
        let ci =
            ["fmt", "clippy", "clippy-wasm", "tidy", "dependencies", "unit", "sqlite", "postgres", "sdk", "browser"];
        assert_eq!(names(&[], false), ci);
        assert_eq!(names(&[], true).len(), ci.len() + 2);
    }

    #[test]
    fn the_summary_ends_with_the_count_of_parts() {
        let outcome =
            |name: &str, passed, seconds| Outcome { name: name.to_owned(), passed, took: Duration::from_secs(seconds) };
        let text = summary(&[outcome("fmt", true, 3), outcome("browser", false, 41)]);
        assert_eq!(text, "fmt … ok 3 s\nbrowser … FAILED 41 s\n1 passed, 1 failed");
    }
}
