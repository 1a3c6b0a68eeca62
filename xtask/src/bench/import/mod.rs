//! Importing many small logs: over one connection, over four, in batches, and from the command line. Each way begins with an
//! empty database.

mod disk;
mod logs;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::client::Client;
use super::process::children_cpu_seconds;
use super::server::{Server, binary};
use super::{Figure, Options};
use crate::command;
use disk::Sizes;
use logs::Generator;

const SEED: u64 = 1;
const BEARER: &str = "mantyx_sandbox_demo";
/// Logs in one request of a batch.
const BATCH: usize = 200;
const MAX_CPU_MS: f64 = 1.5;
const BOUNDARY: &str = "between-logs";

/// A way to import logs. Returns the seconds and the processor seconds that it took.
type Import = fn(&Path, &[String]) -> Result<(f64, f64)>;

/// Each with its goal in runs per second.
const WAYS: [(&str, f64, &str, Import); 4] = [
    ("one connection", 500.0, "≥ 500 runs/s", |data_dir, logs| over_http(data_dir, logs, 1, one_by_one)),
    ("four connections", 1_000.0, "≥ 1,000 runs/s", |data_dir, logs| over_http(data_dir, logs, 4, one_by_one)),
    ("batches of 200", 1_000.0, "≥ 1,000 runs/s", |data_dir, logs| over_http(data_dir, logs, 1, in_batches)),
    ("command", 1_000.0, "≥ 1,000 runs/s", from_files),
];

pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let mut generator = Generator::new(SEED);
    let logs: Vec<String> = (0..options.imports).map(|_| generator.log()).collect();
    let mut figures = Vec::new();
    for (name, per_second, goal, import) in WAYS {
        let dir = tempfile::tempdir()?;
        let data_dir = dir.path().join("data");
        let mut empty = Command::new(binary()?);
        empty.args(["seed", "--runs", "0"]).env("RUNLENS_DATA_DIR", &data_dir).env_remove("DATABASE_URL");
        command::read(&mut empty)?;
        let before = Sizes::of(&data_dir)?;
        let (seconds, cpu_seconds) = import(&data_dir, &logs).with_context(|| format!("import, {name}"))?;
        let (speed, cpu_ms) = (logs.len() as f64 / seconds, cpu_seconds * 1_000.0 / logs.len() as f64);
        let load = fs::read_to_string("/proc/loadavg")?;
        let figure = |what: &str, goal, value: String, met| {
            let name = format!("import of {} runs, {name}: {what}", logs.len());
            println!("  {name}: {value} (load average {})", load.split(' ').next().unwrap_or_default());
            Figure { name, goal, value, met }
        };
        figures.extend([
            figure("speed", goal, format!("{speed:.0} runs/s"), speed >= per_second),
            figure("processor time for each", "≤ 1.5 ms", format!("{cpu_ms:.2} ms"), cpu_ms <= MAX_CPU_MS),
            figure("on disk for each", "–", Sizes::of(&data_dir)?.per_run(&before, logs.len()), true),
        ]);
    }
    Ok(figures)
}

/// Imports over some connections, each with its share of the logs.
fn over_http(
    data_dir: &Path,
    logs: &[String],
    connections: usize,
    import: fn(&mut Client, &[String]) -> Result<()>,
) -> Result<(f64, f64)> {
    let server = Server::start(data_dir)?;
    let mut client = Client::new(server.addr);
    client.bearer = Some(BEARER.to_owned());
    // The credential is checked once before.
    ensure!(client.get("/api/runs")?.status == 200, "the credential is not accepted");
    let (start, cpu) = (Instant::now(), server.cpu_seconds()?);
    std::thread::scope(|scope| {
        let shares = logs.chunks(logs.len().div_ceil(connections));
        let imports: Vec<_> = shares
            .map(|share| {
                let mut client = client.another();
                scope.spawn(move || import(&mut client, share))
            })
            .collect();
        imports.into_iter().try_for_each(|import| import.join().map_err(|_| anyhow::anyhow!("a client panicked"))?)
    })?;
    Ok((start.elapsed().as_secs_f64(), server.cpu_seconds()? - cpu))
}

fn one_by_one(client: &mut Client, logs: &[String]) -> Result<()> {
    for log in logs {
        let response = client.post_as("/api/import?name=support-desk", "application/x-ndjson", log)?;
        ensure!(response.status == 201, "{}: {}", response.status, response.body);
    }
    Ok(())
}

fn in_batches(client: &mut Client, logs: &[String]) -> Result<()> {
    for batch in logs.chunks(BATCH) {
        let file = |log: &String| {
            let head = "Content-Disposition: form-data; name=\"file\"; filename=\"support-desk\"";
            format!("--{BOUNDARY}\r\n{head}\r\n\r\n{log}\r\n")
        };
        let form = batch.iter().map(file).collect::<String>() + &format!("--{BOUNDARY}--\r\n");
        let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
        let response = client.post_as("/api/import/batch", &content_type, &form)?;
        let answer: Value = serde_json::from_str(&response.body)?;
        ensure!(answer["imported"] == batch.len(), "{}: {}", response.status, response.body);
    }
    Ok(())
}

fn from_files(data_dir: &Path, logs: &[String]) -> Result<(f64, f64)> {
    let dir = tempfile::tempdir()?;
    let mut import = Command::new(binary()?);
    import.arg("import").env("RUNLENS_DATA_DIR", data_dir).env_remove("DATABASE_URL");
    for (number, log) in logs.iter().enumerate() {
        let file = dir.path().join(number.to_string()).join("support-desk");
        fs::create_dir(dir.path().join(number.to_string()))?;
        fs::write(&file, log)?;
        import.arg(file);
    }
    let (start, cpu) = (Instant::now(), children_cpu_seconds()?);
    let printed = command::read(&mut import)?;
    ensure!(printed.lines().count() == logs.len(), "{} of {} were imported", printed.lines().count(), logs.len());
    Ok((start.elapsed().as_secs_f64(), children_cpu_seconds()? - cpu))
}
