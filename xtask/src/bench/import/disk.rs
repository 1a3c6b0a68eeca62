//! Reads from a SQLite database how much its runs take, by what it is for.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command;

/// Python's SQLite has the table `dbstat`, with the size of each table and index.
const SIZES: &str = "import sqlite3, sys
for name, size in sqlite3.connect(sys.argv[1]).execute('SELECT name, SUM(pgsize) FROM dbstat GROUP BY name'):
    print(name, size)";
const LOGS: &[&str] = &["run_log"];
const TEXT_INDEX: &[&str] = &["run_word", "searched_text"];

/// Bytes by table.
pub struct Sizes(BTreeMap<String, u64>);

impl Sizes {
    pub fn of(data_dir: &Path) -> Result<Self> {
        let output = command::read(Command::new("python3").args(["-c", SIZES]).arg(data_dir.join("runlens.db")))?;
        let read = |line: &str| Some((line.split_once(' ')?.0.to_owned(), line.split_once(' ')?.1.parse().ok()?));
        output
            .lines()
            .map(|line| read(line).with_context(|| format!("no size: {line}")))
            .collect::<Result<_>>()
            .map(Self)
    }

    /// Bytes for each run since `before`: logs, text index, all.
    pub fn per_run(&self, before: &Self, runs: usize) -> String {
        let of = |tables: &[&str]| {
            let belongs = |name: &str| tables.iter().any(|table| name.starts_with(table));
            let sum =
                |sizes: &Self| sizes.0.iter().filter(|(name, _)| belongs(name)).map(|(_, size)| size).sum::<u64>();
            sum(self).saturating_sub(sum(before)) as f64 / runs as f64 / 1_000.0
        };
        format!("log {:.1}, text index {:.1}, total {:.1} KB", of(LOGS), of(TEXT_INDEX), of(&[""]))
    }
}
