//! A thousand streams on which nothing happens, until something does.

use std::io::Read;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::clients::open_stream;
use super::ms;
use crate::bench::Figure;
use crate::bench::client::Client;
use crate::bench::server::Server;
use crate::launch_form::{self, LaunchForm};

const STREAMS: usize = 1_000;
const IDLE: Duration = Duration::from_secs(10);

/// Opens streams of a run that waits for an answer, cancels the run, and counts who hears of it.
pub fn run(server: &Server, sessions: &[Client]) -> Result<Vec<Figure>> {
    let mut browser = sessions.first().context("no session")?.another();
    let spec = json!({
        "name": "idle", "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": "/call wait {}\n/say Done.",
        "tools": [{ "kind": "local", "name": "wait" }],
    });
    let form = LaunchForm::open(&mut browser)?.launch("idle-streams", spec, json!({ "wait": { "by": "hand" } }));
    let answer = launch_form::send(&mut browser, &form)?;
    let run = launch_form::launched_run(&answer).with_context(|| format!("{} from the launch", answer.status))?;
    let before = server.resident_bytes()?;
    let mut streams: Vec<TcpStream> = Vec::with_capacity(STREAMS);
    for number in 0..STREAMS {
        let mut stream = open_stream(server.addr, &sessions[number % sessions.len()], &run)?;
        let mut start = [0; 12];
        stream.read_exact(&mut start)?;
        ensure!(start.ends_with(b"200"), "stream {number}: {}", String::from_utf8_lossy(&start));
        streams.push(stream);
    }
    std::thread::sleep(IDLE);
    let with_streams = server.resident_bytes()?;
    let cancelled = browser.post("/rpc/cancel-run", &format!("id={run}"))?;
    ensure!(cancelled.status < 400, "{} from the cancel: {}", cancelled.status, cancelled.body);
    let start = Instant::now();
    let heard = streams.iter_mut().filter_map(|stream| hears_the_end(stream).ok()).count();
    let took = start.elapsed();
    let each = with_streams.saturating_sub(before) as f64 / STREAMS as f64;
    Ok(vec![
        Figure {
            name: format!("{STREAMS} idle streams that hear of the end"),
            goal: "all",
            value: format!("{heard} within {:.0} ms", ms(took)),
            met: heard == STREAMS,
        },
        Figure {
            name: "… memory for each".to_owned(),
            goal: "–",
            value: format!("{:.1} KB ({:.0} → {:.0} MB)", each / 1e3, before as f64 / 1e6, with_streams as f64 / 1e6),
            met: true,
        },
    ])
}

/// Reads until the stream says that nothing more will come.
fn hears_the_end(stream: &mut TcpStream) -> Result<()> {
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    while !text.windows(10).any(|part| part == b"event: end" || part == b"event:end\n") {
        let read = stream.read(&mut buffer)?;
        ensure!(read > 0, "the stream ended early");
        text.extend_from_slice(&buffer[..read]);
    }
    Ok(())
}
