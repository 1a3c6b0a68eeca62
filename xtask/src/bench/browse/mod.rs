//! Finding runs among many: every kind of query through the JSON API and as a page, on generated data, on both engines.

mod queries;
mod timing;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::client::Client;
use super::server::Server;
use super::{Figure, Options};
use crate::tools::postgres::Cluster;
use crate::{command, paths};
use queries::queries;
use timing::{Goal, PAGE, Times};

const BEARER: &str = "mantyx_sandbox_demo";
/// The same for every size and engine, so that figures can be compared.
const UNTIL_MS: i64 = 1_790_000_000_000;
const MAX_BYTES_PER_RUN: u64 = 6_144;
const MIN_RUNS_PER_SECOND: f64 = 2_000.0;
const MAX_PERCENT_OF_JSON: f64 = 25.0;
const RESIDENT_GOAL_BYTES: u64 = 150_000_000;
const WHILE_INGESTING: Goal = Goal(Duration::from_millis(50), "p95 < 50 ms");
const MAX_GROWTH: f64 = 2.0;

/// Medians of keyset lists, by engine and query, in the order of the sizes.
type Medians = BTreeMap<(String, &'static str), Vec<Median>>;

/// The median of one query among a number of runs, and the number of rows found.
#[derive(Clone, Copy)]
struct Median {
    runs: u64,
    time: Duration,
    rows: usize,
}

pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let mut medians = Medians::new();
    if let (Some(seeded), [runs]) = (&options.seeded, options.runs.as_slice()) {
        let dir = tempfile::tempdir()?;
        let database = match seeded.starts_with("postgres") {
            true => Database { runs: *runs, engine: "postgres", data_dir: &dir.path().join("data"), url: Some(seeded) },
            false => Database { runs: *runs, engine: "sqlite", data_dir: Path::new(seeded), url: None },
        };
        return database.ask(&mut medians);
    }
    ensure!(options.seeded.is_none(), "--seeded needs the one size of what was seeded, as --runs");
    for runs in &options.runs {
        for engine in &options.engines {
            let dir = tempfile::tempdir()?;
            let cluster = if engine == "postgres" { Some(Cluster::start()?) } else { None };
            let url = cluster.as_ref().map(Cluster::url);
            let database = Database { runs: *runs, engine, data_dir: &dir.path().join("data"), url: url.as_deref() };
            figures.extend(database.ingest()?);
            figures.extend(database.ask(&mut medians)?);
        }
    }
    figures.extend(growth(&medians));
    Ok(figures)
}

/// Compares the time of a list among the most runs with that among the fewest. If the fewest do not fill a page the figure
/// has no goal, since there is less to read and write.
fn growth(medians: &Medians) -> Vec<Figure> {
    let figure = |((engine, query), sizes): (&(String, &'static str), &Vec<Median>)| {
        let least = sizes.iter().min_by_key(|median| median.runs)?;
        let most = sizes.iter().max_by_key(|median| median.runs)?;
        let times = most.time.as_secs_f64() / least.time.as_secs_f64().max(1e-6);
        let is_comparable = least.rows == most.rows;
        (most.runs > least.runs).then(|| Figure {
            name: format!("{engine}, {} against {} runs: {query}", most.runs, least.runs),
            goal: if is_comparable { "< 2 times" } else { "" },
            value: match is_comparable {
                true => format!("{times:.2} times (p50)"),
                false => format!("{times:.2} times (p50) for {} rows against {}", most.rows, least.rows),
            },
            met: !is_comparable || times < MAX_GROWTH,
        })
    };
    medians.iter().filter_map(figure).collect()
}

/// A database with seeded runs.
struct Database<'a> {
    runs: u64,
    engine: &'a str,
    data_dir: &'a Path,
    url: Option<&'a str>,
}

impl Database<'_> {
    fn label(&self, what: &str) -> String {
        format!("{}, {} runs: {what}", self.engine, self.runs)
    }

    fn ingest(&self) -> Result<Vec<Figure>> {
        let output = command::read(&mut self.seed(1, UNTIL_MS, self.runs)?)?;
        println!("  {}: {}", self.engine, output.trim());
        let per_second = figure_before(&output, " runs/s").context("seed printed no speed")?;
        let bytes = figure_before(&output, " bytes of database").context("seed printed no size")?;
        let percent = figure_before(&output, " %").context("seed printed no percentage")?;
        Ok(vec![
            Figure {
                name: self.label("ingest"),
                goal: "≥ 2,000 runs/s",
                value: format!("{per_second:.0} runs/s"),
                met: per_second >= MIN_RUNS_PER_SECOND,
            },
            Figure {
                name: self.label("stored for each run"),
                goal: "≤ 6 KB",
                value: format!("{bytes:.0} bytes"),
                met: bytes <= MAX_BYTES_PER_RUN as f64,
            },
            Figure {
                name: self.label("logs, of their size as JSON"),
                goal: "≤ 25 %",
                value: format!("{percent:.1} %"),
                met: percent <= MAX_PERCENT_OF_JSON,
            },
        ])
    }

    fn ask(&self, medians: &mut Medians) -> Result<Vec<Figure>> {
        let mut figures = Vec::new();
        let server = Server::start_on(self.data_dir, self.url)?;
        let mut script = Client::new(server.addr);
        script.bearer = Some(BEARER.to_owned());
        let mut browser = Client::new(server.addr);
        sign_in(&mut browser)?;
        for query in queries(&mut script, self.runs)? {
            let times = Times::of(&mut script, &query.api, &server)?;
            figures.push(times.figure(self.label(query.name), query.goal));
            if query.keyset {
                let of_query = medians.entry((self.engine.to_owned(), query.name)).or_default();
                let found: Value = serde_json::from_str(&script.get(&query.api)?.body)?;
                let rows = found["runs"].as_array().map_or(0, Vec::len);
                of_query.push(Median { runs: self.runs, time: times.at(50), rows });
            }
            if let Some(page) = &query.page {
                let times = Times::of(&mut browser, page, &server)?;
                figures.push(times.figure(self.label(&format!("page, {}", query.name)), PAGE));
            }
        }
        let resident = server.resident_bytes()?;
        figures.push(Figure {
            name: self.label("resident memory"),
            goal: "< 150 MB",
            value: format!("{:.0} MB", resident as f64 / 1e6),
            met: resident < RESIDENT_GOAL_BYTES,
        });
        // Newer runs, so that the first page changes while it is read.
        let newer = UNTIL_MS + 86_400_000;
        let mut writer = self.seed(2, newer, (self.runs / 10).clamp(5_000, 50_000))?;
        let mut writer = writer.stdout(Stdio::null()).spawn().context("seed could not be started")?;
        let writing = || matches!(writer.try_wait(), Ok(None));
        let times = Times::during(&mut script, "/api/runs?limit=50&q=customer:customer-07", writing)?;
        figures.push(times.figure(self.label("metadata, one in 50, while runs come in"), WHILE_INGESTING));
        ensure!(writer.wait()?.success(), "the second seed failed");
        Ok(figures)
    }

    fn seed(&self, seed: u64, until_ms: i64, runs: u64) -> Result<Command> {
        let mut command = Command::new(paths::binary()?);
        command.args(["seed", "--seed", &seed.to_string(), "--until-ms", &until_ms.to_string()]);
        command.args(["--runs", &runs.to_string()]).env("RUNLENS_DATA_DIR", self.data_dir).env_remove("DATABASE_URL");
        if let Some(url) = self.url {
            command.env("DATABASE_URL", url);
        }
        Ok(command)
    }
}

/// Signs in through the sandbox's consent page.
pub fn sign_in(browser: &mut Client) -> Result<()> {
    let authorize = browser.get("/auth/start")?.location.context("the sign-in does not redirect")?;
    let (mut sandbox, path) = client_for(&authorize)?;
    let consent = sandbox.get(&path)?.body;
    let request = consent.split("name=\"request\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let request = request.context("the consent page has no request")?;
    let form = format!("request={request}&account=owner%40demo.test&decision=approve");
    let back = sandbox.post("/api/oauth/authorize/decide", &form)?.location.context("the consent does not redirect")?;
    let (_, callback) = client_for(&back)?;
    let landed = browser.get(&callback)?;
    ensure!(landed.status < 400, "the sign-in ended with {}", landed.status);
    Ok(())
}

/// Returns a client for the host of a URL, and the path.
fn client_for(url: &str) -> Result<(Client, String)> {
    let rest = url.strip_prefix("http://").context("not an http address")?;
    let (host, path) = rest.split_once('/').context("an address without a path")?;
    Ok((Client::new(host.parse::<SocketAddr>()?), format!("/{path}")))
}

/// The number before a word.
fn figure_before(text: &str, word: &str) -> Option<f64> {
    text.split(word).next()?.rsplit(|c: char| !c.is_ascii_digit() && c != '.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_output_of_seed() {
        let output = "10 runs with 200 events in 0.1 s (2500 runs/s); 3100 bytes of database for each run; \
             71.0 bytes for each event packed, 612.0 as JSON (11.6 %)";
        assert_eq!(figure_before(output, " runs/s"), Some(2500.0));
        assert_eq!(figure_before(output, " bytes of database"), Some(3100.0));
        assert_eq!(figure_before(output, " %"), Some(11.6));
    }

    #[test]
    fn growth_is_from_the_fewest_runs_to_the_most_that_fill_a_page() {
        let median = |runs, ms, rows| Median { runs, time: Duration::from_millis(ms), rows };
        let of = |sizes: Vec<Median>| growth(&Medians::from([(("sqlite".to_owned(), "newest 50"), sizes)]));
        let figures = of(vec![median(10_000, 2, 50), median(1_000_000, 3, 50), median(100_000, 9, 50)]);
        assert_eq!((figures[0].value.as_str(), figures[0].met), ("1.50 times (p50)", true));
        assert!(!of(vec![median(1, 1, 50), median(10, 2, 50)])[0].met);
        let figures = of(vec![median(1, 1, 5), median(10, 3, 50)]);
        assert_eq!((figures[0].value.as_str(), figures[0].goal), ("3.00 times (p50) for 50 rows against 5", ""));
        assert!(of(vec![median(1, 1, 50)]).is_empty());
    }
}
