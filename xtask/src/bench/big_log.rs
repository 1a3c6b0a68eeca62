//! A run with 100,000 events: response times and sizes of its page, and its behaviour in a browser.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::browse::sign_in;
use super::client::Client;
use super::server::Server;
use super::{Figure, browser};
use crate::{command, paths};

const TURNS: u64 = 2_500;
const CALLS_PER_TURN: u64 = 2;
const DELTAS_PER_TURN: u64 = 36;
/// When the run began; an event happens every 40 ms.
const START_MS: u64 = 1_790_000_000_000;
const LONG_ANSWER_BYTES: usize = 2_000_000;
const WARM_UP: usize = 3;
const ROUNDS: usize = 40;
const PAGE_GOAL: Duration = Duration::from_millis(300);
const PAGE_BYTES: usize = 250_000;

pub fn run() -> Result<Vec<Figure>> {
    let dir = tempfile::tempdir()?;
    let data_dir = dir.path().join("data");
    let log = dir.path().join("big.ndjson");
    write_log(&log)?;
    let run = import(&log, &data_dir)?;

    let server = Server::start(&data_dir)?;
    let mut client = Client::new(server.addr);
    sign_in(&mut client)?;
    client.compressed = true;
    let middle = TURNS * (DELTAS_PER_TURN + CALLS_PER_TURN + 2) / 2;
    let mut figures = Vec::new();
    for (name, query) in [
        ("its page", String::new()),
        ("its page as of the middle", format!("?at={middle}")),
        ("its page at an event", format!("?focus={middle}")),
        ("its page with every event", "?density=events".to_owned()),
        ("its page with the waterfall", "?density=waterfall".to_owned()),
        ("its page with a part of the waterfall", "?density=waterfall&zoom=1000000-1100000".to_owned()),
        ("its page with a text looked for", "?find=word7".to_owned()),
    ] {
        figures.extend(timed(name, &mut client, &format!("/runs/{run}{query}"))?);
    }
    figures.extend(browser::figures("bench/big-log.mjs", &[&format!("http://{}", server.addr), &run])?);
    Ok(figures)
}

/// Turns of thinking, text and two calls. The last tool answers with two megabytes.
fn write_log(path: &Path) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut seq = 0;
    let mut write = |kind: &str, data: Value| -> Result<()> {
        seq += 1;
        let at = START_MS + seq * 40;
        Ok(writeln!(file, "{}", json!({ "seq": seq, "type": kind, "data": data, "at": at }))?)
    };
    for turn in 0..TURNS {
        for delta in 0..DELTAS_PER_TURN {
            let kind = if delta < DELTAS_PER_TURN / 3 { "thinking_delta" } else { "assistant_delta" };
            write(kind, json!({ "text": format!("word{} ", (turn * 31 + delta) % 997) }))?;
        }
        let calls: Vec<Value> = (0..CALLS_PER_TURN)
            .map(|call| json!({ "id": format!("c{turn}_{call}"), "name": format!("tool_{call}"), "input": { "q": turn, "limit": 5 } }))
            .collect();
        let text = format!("Turn {turn} says what it does next.");
        write(
            "assistant_message",
            json!({ "text": text, "turn": turn, "finishReason": "tool_use", "toolCalls": calls }),
        )?;
        for (i, call) in calls.iter().enumerate() {
            let is_last = turn + 1 == TURNS && i + 1 == calls.len();
            let answer = if is_last { "long answer ".repeat(LONG_ANSWER_BYTES / 12) } else { "two rows".to_owned() };
            write("tool_result", json!({ "toolUseId": call["id"], "name": call["name"], "result": answer }))?;
        }
        write("supervisor", json!({ "action": "on_track", "reason": "Gathering.", "llmCalls": turn }))?;
    }
    write("result", json!({ "subtype": "success", "text": "Done.", "turns": TURNS }))?;
    Ok(file.flush()?)
}

/// Imports the file and returns the run's id.
fn import(log: &Path, data_dir: &Path) -> Result<String> {
    let mut import = Command::new(paths::binary()?);
    import.arg("import").arg(log).env("RUNLENS_DATA_DIR", data_dir).env_remove("DATABASE_URL");
    let start = Instant::now();
    let output = command::read(&mut import)?;
    println!("  imported in {:.1} s: {}", start.elapsed().as_secs_f64(), output.trim());
    Ok(output.split('\t').next().context("the import printed no run id")?.to_owned())
}

fn timed(name: &str, client: &mut Client, path: &str) -> Result<[Figure; 2]> {
    let (mut times, mut bytes) = (Vec::with_capacity(ROUNDS), 0);
    for round in 0..WARM_UP + ROUNDS {
        let start = Instant::now();
        let response = client.get(path)?;
        ensure!(response.status == 200, "{path} answered {}", response.status);
        bytes = response.bytes;
        if round >= WARM_UP {
            times.push(start.elapsed());
        }
    }
    times.sort();
    let ms = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1_000.0;
    Ok([
        Figure {
            name: format!("100,000 events: {name}"),
            goal: "p95 < 300 ms",
            value: format!("p50 {:.1}, p95 {:.1} ms", ms(50), ms(95)),
            met: ms(95) < PAGE_GOAL.as_secs_f64() * 1_000.0,
        },
        Figure {
            name: format!("100,000 events: {name}, transferred"),
            goal: "< 250 KB",
            value: format!("{:.1} KB", bytes as f64 / 1_000.0),
            met: bytes < PAGE_BYTES,
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_as_many_events_as_it_says() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("log.ndjson");
        write_log(&path)?;
        let text = std::fs::read_to_string(path)?;
        assert_eq!(text.lines().count() as u64, TURNS * (DELTAS_PER_TURN + CALLS_PER_TURN + 2) + 1);
        assert_eq!(text.matches("_delta").count() as u64, TURNS * DELTAS_PER_TURN);
        Ok(())
    }
}
