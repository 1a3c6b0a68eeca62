//! The sandbox under load: many concurrent runs, each followed by two readers.

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Figure, process};
use crate::tools::sandbox::Sandbox;
use crate::{command, paths};

const RUNS: &str = "200";
const DELTAS: &str = "2000";
const READERS: &str = "2";
const GOAL_EVENTS_PER_SECOND: f64 = 20_000.0;

/// Fails if a reader misses an event or sees one twice.
pub fn run() -> Result<Vec<Figure>> {
    let build = ["build", "--release", "--package", "sandbox", "--bin", "mantyx-sandbox", "--example", "load"];
    command::run(command::cargo()?.args(build))?;
    let release = paths::target()?.join("release");
    let sandbox = Sandbox::start(&release.join("mantyx-sandbox"))?;
    let load = command::read(Command::new(release.join("examples/load")).args([sandbox.url(), RUNS, DELTAS, READERS]))?;
    let load: Value = serde_json::from_str(&load).context("the load printed no JSON")?;
    let number = |name: &str| load[name].as_f64().with_context(|| format!("the load printed no {name}"));
    let (events, deliveries, seconds) = (number("events")?, number("deliveries")?, number("seconds")?);
    let (peak, cpu) =
        (process::peak_resident_bytes(sandbox.process_id())?, process::cpu_seconds(sandbox.process_id())?);
    let plain = |name: &str, value| Figure { name: name.to_owned(), goal: "–", value, met: true };
    Ok(vec![
        Figure {
            name: "sandbox, 200 runs × 2,000 deltas: events committed".to_owned(),
            goal: "≥ 20,000 /s",
            value: format!("{:.0} /s", events / seconds),
            met: events / seconds >= GOAL_EVENTS_PER_SECOND,
        },
        plain("… deliveries to two readers each, none lost or repeated", format!("{deliveries:.0} in {seconds:.1} s")),
        plain("… peak memory", format!("{:.1} MB", peak as f64 / 1e6)),
        plain("… processor time", format!("{cpu:.1} s")),
    ])
}
