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
    /// Rounds of `cargo xtask torture`
    Torture,
    /// The pages in a real browser
    Browser,
}

impl Part {
    /// `full` is for what takes longer than CI has time for.
    fn run(self, full: bool) -> Result<()> {
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
            Self::Fuzz => fuzz::run(if full { 20_000 } else { 1_000 }),
            Self::Torture => torture::run(&torture::Options::of_rounds(if full { 100 } else { 5 })),
            Self::Browser => browser::run(),
        }
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

/// Runs the parts, or all when none is named. A part that fails does not stop the others.
pub fn run(parts: &[Part], full: bool) -> ExitCode {
    let outcomes: Vec<Outcome> = selected(parts).into_iter().map(|part| timed(part, full)).collect();
    println!("\n{}", summary(&outcomes));
    if outcomes.iter().all(|outcome| outcome.passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn selected(parts: &[Part]) -> Vec<Part> {
    let mut parts = if parts.is_empty() { Part::value_variants().to_vec() } else { parts.to_vec() };
    parts.sort();
    parts.dedup();
    parts
}

fn timed(part: Part, full: bool) -> Outcome {
    let name = part.name();
    println!("\n▸ {name} …");
    let start = Instant::now();
    let result = part.run(full);
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
        let names = |parts: &[Part]| selected(parts).into_iter().map(Part::name).collect::<Vec<_>>();
        assert_eq!(names(&[Part::Unit, Part::Fmt, Part::Unit]), ["fmt", "unit"]);
        assert_eq!(names(&[]).len(), Part::value_variants().len());
    }

    #[test]
    fn the_summary_ends_with_the_count_of_parts() {
        let outcome =
            |name: &str, passed, seconds| Outcome { name: name.to_owned(), passed, took: Duration::from_secs(seconds) };
        let text = summary(&[outcome("fmt", true, 3), outcome("browser", false, 41)]);
        assert_eq!(text, "fmt … ok 3 s\nbrowser … FAILED 41 s\n1 passed, 1 failed");
    }
}
