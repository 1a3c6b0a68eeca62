//! Finding runs among many: each kind of query through the JSON API and as a page, on generated data, on both engines.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::client::Client;
use super::server::Server;
use super::{Figure, Options};
use crate::tools::postgres::Cluster;
use crate::{command, paths};

const WARM_UP: usize = 20;
const ROUNDS: usize = 200;
const BEARER: &str = "mantyx_sandbox_demo";
/// The same for every size and engine: figures can be compared, and runs looked up.
const UNTIL_MS: i64 = 1_790_000_000_000;
const PAGE_GOAL: Duration = Duration::from_millis(40);
const MAX_BYTES_PER_RUN: u64 = 4_096;
const MIN_RUNS_PER_SECOND: f64 = 2_000.0;
const RESIDENT_GOAL_BYTES: u64 = 150_000_000;

/// What is asked, and the goal for the 95th percentile.
struct Question {
    name: &'static str,
    path: String,
    goal: Duration,
}

pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for runs in &options.runs {
        for engine in &options.engines {
            let dir = tempfile::tempdir()?;
            let cluster = if engine == "postgres" { Some(Cluster::start()?) } else { None };
            let url = cluster.as_ref().map(Cluster::url);
            figures.extend(measure(*runs, engine, &dir.path().join("data"), url.as_deref())?);
        }
    }
    Ok(figures)
}

fn measure(runs: u64, engine: &str, data_dir: &Path, database_url: Option<&str>) -> Result<Vec<Figure>> {
    let label = |what: &str| format!("{engine}, {runs} runs: {what}");
    let mut figures = vec![];
    let told = seed(runs, data_dir, database_url)?;
    println!("  {engine}: {}", told.trim());
    let per_second = figure_before(&told, " runs/s").context("seed tells no speed")?;
    let bytes = figure_before(&told, " bytes of database").context("seed tells no size")?;
    figures.push(Figure {
        name: label("ingest"),
        goal: "≥ 2,000 runs/s",
        value: format!("{per_second:.0} runs/s"),
        met: per_second >= MIN_RUNS_PER_SECOND,
    });
    figures.push(Figure {
        name: label("stored for each run"),
        goal: "≤ 4 KB",
        value: format!("{bytes:.0} bytes"),
        met: bytes <= MAX_BYTES_PER_RUN as f64,
    });
    let server = Server::start_on(data_dir, database_url)?;
    let mut script = Client::new(server.addr);
    script.bearer = Some(BEARER.to_owned());
    let questions = questions(&mut script)?;
    for question in &questions {
        figures.push(timed(label(question.name), &mut script, &question.path, question.goal)?);
    }
    let mut browser = Client::new(server.addr);
    sign_in(&mut browser)?;
    for (name, path) in [("page, newest 25", "/runs"), ("page, one in 50", "/runs?q=customer:customer-07")] {
        figures.push(timed(label(name), &mut browser, path, PAGE_GOAL)?);
    }
    let resident = server.resident_bytes()?;
    figures.push(Figure {
        name: label("resident memory"),
        goal: "< 150 MB",
        value: format!("{:.0} MB", resident as f64 / 1e6),
        met: resident < RESIDENT_GOAL_BYTES,
    });
    Ok(figures)
}

fn seed(runs: u64, data_dir: &Path, database_url: Option<&str>) -> Result<String> {
    let mut seed = Command::new(paths::binary()?);
    seed.args(["seed", "--seed", "1", "--until-ms", &UNTIL_MS.to_string(), "--runs", &runs.to_string()]);
    seed.env("RUNLENS_DATA_DIR", data_dir).env_remove("DATABASE_URL");
    if let Some(url) = database_url {
        seed.env("DATABASE_URL", url);
    }
    command::read(&mut seed)
}

/// The list's kinds of queries. The rare ones are taken from a run that is there.
fn questions(script: &mut Client) -> Result<Vec<Question>> {
    let question = |name, path: String, goal_ms| Question { name, path, goal: Duration::from_millis(goal_ms) };
    let page: Value = serde_json::from_str(&script.get("/api/runs?q=is:seeded&limit=50")?.body)?;
    let order = page["runs"][7]["metadata"]["order"].as_str().context("no seeded run is listed")?.to_owned();
    let mut deep = String::new();
    for _ in 0..50 {
        let page: Value = serde_json::from_str(&script.get(&format!("/api/runs?limit=200{deep}"))?.body)?;
        match page["nextCursor"].as_str() {
            Some(cursor) => deep = format!("&cursor={cursor}"),
            None => break,
        }
    }
    Ok(vec![
        question("newest 50", "/api/runs?limit=50".to_owned(), 10),
        question("metadata, one in 50", "/api/runs?limit=50&q=customer:customer-07".to_owned(), 10),
        question("metadata, ten runs", format!("/api/runs?limit=50&q=order:{order}"), 10),
        question("two metadata keys", "/api/runs?limit=50&q=customer:customer-07+team:team-03".to_owned(), 10),
        question(
            "status, metadata and time",
            "/api/runs?limit=50&q=status:failed+customer:customer-07+before:2026-09-20".to_owned(),
            10,
        ),
        question("any of three", "/api/runs?limit=50&q=customer:customer-01,customer-02,customer-03".to_owned(), 10),
        question("tool and not env", "/api/runs?limit=50&q=tool:recall+-env:prod".to_owned(), 10),
        question("text, common", "/api/runs?limit=50&q=invoice".to_owned(), 50),
        question("text, rare", format!("/api/runs?limit=50&q=text:{order}"), 50),
        question("text, common, and one in 50", "/api/runs?limit=50&q=invoice+customer:customer-07".to_owned(), 50),
        question("text, a phrase", "/api/runs?limit=50&q=%22order+invoice%22".to_owned(), 50),
        question("after 10,000 rows", format!("/api/runs?limit=50{deep}"), 10),
        question("facets", "/api/facets".to_owned(), 10),
        question("facets under a filter", "/api/facets?q=customer:customer-07".to_owned(), 10),
        question("histogram", "/api/histogram".to_owned(), 10),
    ])
}

fn timed(name: String, client: &mut Client, path: &str, goal: Duration) -> Result<Figure> {
    let mut times = Vec::with_capacity(ROUNDS);
    for round in 0..WARM_UP + ROUNDS {
        let start = Instant::now();
        let answer = client.get(path)?;
        ensure!(answer.status == 200, "{path} answered {}: {}", answer.status, answer.body);
        if round >= WARM_UP {
            times.push(start.elapsed());
        }
    }
    times.sort();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1_000.0);
    let p95 = at(95);
    Ok(Figure {
        name,
        goal: if goal == PAGE_GOAL {
            "p95 < 40 ms"
        } else if goal.as_millis() > 10 {
            "p95 < 50 ms"
        } else {
            "p95 < 10 ms"
        },
        value: format!("p50 {}, p95 {}, p99 {} ms", ms(at(50)), ms(p95), ms(at(99))),
        met: p95 < goal,
    })
}

/// Through the sandbox's consent page, as somebody would.
pub(super) fn sign_in(browser: &mut Client) -> Result<()> {
    let authorize = browser.get("/auth/start")?.location.context("the sign-in does not lead anywhere")?;
    let (mut sandbox, path) = elsewhere(&authorize)?;
    let consent = sandbox.get(&path)?.body;
    let request = consent.split("name=\"request\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let request = request.context("the consent page has no request")?;
    let form = format!("request={request}&account=owner%40demo.test&decision=approve");
    let back = sandbox.post("/api/oauth/authorize/decide", &form)?.location.context("the consent leads nowhere")?;
    let (_, callback) = elsewhere(&back)?;
    let landed = browser.get(&callback)?;
    ensure!(landed.status < 400, "the sign-in ended with {}", landed.status);
    Ok(())
}

/// A client for another address, and the path there.
fn elsewhere(url: &str) -> Result<(Client, String)> {
    let rest = url.strip_prefix("http://").context("not an http address")?;
    let (host, path) = rest.split_once('/').context("an address without a path")?;
    Ok((Client::new(host.parse::<SocketAddr>()?), format!("/{path}")))
}

/// The number that stands before a word.
fn figure_before(text: &str, word: &str) -> Option<f64> {
    text.split(word).next()?.rsplit(|c: char| !c.is_ascii_digit() && c != '.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_what_seed_tells() {
        let told = "10 runs with 200 events in 0.1 s (2500 runs/s); 3100 bytes of database for each run;";
        assert_eq!(figure_before(told, " runs/s"), Some(2500.0));
        assert_eq!(figure_before(told, " bytes of database"), Some(3100.0));
    }
}
