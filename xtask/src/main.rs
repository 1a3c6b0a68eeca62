//! `cargo xtask`: builds, runs, tests and measures Runlens.

mod bench;
mod build;
mod command;
mod conformance;
mod dev;
mod launch_form;
mod paths;
mod progress;
mod run;
mod test;
mod tidy;
mod tools;
mod torture;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Builds, runs, tests and measures Runlens")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the site and the optimised binary, target/release/runlens
    Build {
        /// Build quickly and without optimisation instead, as target/debug/runlens
        #[arg(long)]
        debug: bool,
    },
    /// Build, then serve with the embedded sandbox
    Run {
        /// Passed on to the binary
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Serve an unoptimised build, rebuild what changes and reload open pages
    Dev {
        /// Passed on to the binary
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Run every check, as CI does
    Test {
        /// Only these parts; all when none is named
        #[arg(value_enum)]
        parts: Vec<test::Part>,
        /// More input for the fuzz tests and more rounds of torture than CI has time for
        #[arg(long)]
        full: bool,
    },
    /// Check a MANTYX, the sandbox or any other, against the protocol
    Conformance(conformance::Target),
    /// Check rules that the compiler does not know
    Tidy,
    /// Break everything around a server under load, and check what is left
    Torture(torture::Options),
    /// Compare measurements with their goals
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Build { debug: false } => build::all(),
        Task::Build { debug: true } => build::with(build::Mode::Debug),
        Task::Run { args } => run::run(&args),
        Task::Dev { args } => dev::run(&args),
        // Prints a summary instead of an error.
        Task::Test { parts, full } => return test::run(&parts, full),
        Task::Conformance(target) => conformance::run(&target),
        Task::Tidy => tidy::run(),
        Task::Torture(options) => torture::run(&options),
        Task::Bench(options) => bench::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
