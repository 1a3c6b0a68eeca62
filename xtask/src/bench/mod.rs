//! `cargo xtask bench`: compares measurements with their goals. One benchmark, one file, one line in `BENCHES`.

mod big_log;
mod browse;
mod browser;
pub mod client;
mod dev;
mod fold;
mod http;
mod import;
mod load;
mod process;
mod protocol_size;
mod sandbox_load;
pub mod server;
mod startup;

use anyhow::{Result, bail};

use crate::build;

pub use browse::sign_in;

/// One number with its goal.
pub struct Figure {
    pub name: String,
    pub goal: &'static str,
    pub value: String,
    pub met: bool,
}

/// A benchmark by name.
type Bench = (&'static str, fn(&Options) -> Result<Vec<Figure>>);

const BENCHES: &[Bench] = &[
    ("fold", |_| fold::run()),
    ("protocol-size", |_| protocol_size::run()),
    ("startup", |_| startup::run()),
    ("big-log", |_| big_log::run()),
    ("browse", browse::run),
    ("sandbox-load", |_| sandbox_load::run()),
    ("load", load::run),
    ("import", import::run),
    ("dev", |options| dev::run(options.cold)),
];

/// Benchmarks of the optimised binary. The others build what they measure.
const OF_THE_BINARY: &[&str] = &["startup", "big-log", "browse", "load", "import"];

/// Edits source files, so it runs only when it is named.
const ONLY_BY_NAME: &str = "dev";

#[derive(clap::Args)]
pub struct Options {
    /// Only these benchmarks; all but `dev` when none is named
    names: Vec<String>,
    /// For browse: numbers of runs
    #[arg(long, value_delimiter = ',', default_value = "10000,100000,1000000")]
    runs: Vec<u64>,
    /// For browse: database engines
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres", value_parser = ["sqlite", "postgres"])]
    engines: Vec<String>,
    /// For browse: a data folder or the URL of a PostgreSQL that already contains the runs that `browse` seeds
    #[arg(long)]
    seeded: Option<String>,
    /// For load: how many clients
    #[arg(long, default_value_t = 500)]
    clients: usize,
    /// For load: runs in the list before it
    #[arg(long, default_value_t = 10_000)]
    load_runs: u64,
    /// For load: for how long
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// For import: how many logs in each way
    #[arg(long, default_value_t = 4_000)]
    imports: usize,
    /// Measure target/release/runlens, or what RUNLENS_BIN names, as it is, without building first
    #[arg(long)]
    built: bool,
    /// For dev: also build everything from an empty target folder
    #[arg(long)]
    cold: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let names = &options.names;
    if let Some(unknown) = names.iter().find(|name| !BENCHES.iter().any(|(known, _)| known == name)) {
        let known: Vec<_> = BENCHES.iter().map(|(name, _)| *name).collect();
        bail!("no benchmark is called {unknown}; there are: {}", known.join(", "));
    }
    let wanted = |name: &str| match names.as_slice() {
        [] => name != ONLY_BY_NAME,
        names => names.iter().any(|wanted| wanted == name),
    };
    if !options.built && OF_THE_BINARY.iter().any(|name| wanted(name)) {
        build::all()?;
    }
    let mut figures = Vec::new();
    for (name, bench) in BENCHES {
        if wanted(name) {
            println!("▸ {name} …");
            figures.extend(bench(options)?);
        }
    }
    print!("\n{}", table(&figures));
    Ok(())
}

fn table(figures: &[Figure]) -> String {
    let width = |column: fn(&Figure) -> &str, head: &str| {
        figures.iter().map(|figure| column(figure).chars().count()).chain([head.len()]).max().unwrap_or_default()
    };
    let name_width = width(|figure| &figure.name, "figure");
    let goal_width = width(|figure| figure.goal, "goal");
    let mut text = format!("{:<name_width$} | {:<goal_width$} | value\n", "figure", "goal");
    for figure in figures {
        let missed = if figure.met { "" } else { "  MISSED" };
        text += &format!("{:<name_width$} | {:<goal_width$} | {}{missed}\n", figure.name, figure.goal, figure.value);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_marks_missed_goals() {
        let figures = [
            Figure { name: "start, p50".into(), goal: "< 1 s", value: "80 ms".into(), met: true },
            Figure { name: "idle".into(), goal: "< 60 MB", value: "70 MB".into(), met: false },
        ];
        assert_eq!(
            table(&figures),
            "figure     | goal    | value\nstart, p50 | < 1 s   | 80 ms\nidle       | < 60 MB | 70 MB  MISSED\n"
        );
    }
}
