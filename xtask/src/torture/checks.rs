//! Checks after each round: every event is there once, no launch started twice, counts are right, and pages work.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::load::Notes;
use super::world::World;
use crate::bench::client::Client;
use crate::command;
use crate::tools::sandbox::WORKSPACE;

/// Time in which everything must work again by itself.
const PATIENCE: Duration = Duration::from_secs(60);
const PAGE: usize = 100;

/// Remembers what was compared already.
#[derive(Default)]
pub struct Checker {
    compared: BTreeSet<String>,
}

/// Numbers of a check, to print.
pub struct Report {
    pub runs: usize,
    pub compared: usize,
    pub unfinished: usize,
}

impl Checker {
    /// `is_last`: all runs must have ended, too.
    pub fn check(&mut self, world: &mut World, browser: &mut Client, notes: &Notes, is_last: bool) -> Result<Report> {
        world.check_processes()?;
        if let Some(wrong) = notes.wrong.first() {
            bail!("{} wrong answers, the first: {wrong}", notes.wrong.len());
        }
        eventually("the list of runs is shown without a new sign-in", || {
            let page = browser.get("/runs")?;
            ensure!(page.status == 200, "{} {:?}", page.status, page.location);
            ensure!(page.body.contains("</html>"), "half a page");
            Ok(())
        })?;
        let mut truth = runs_of_sandbox(world)?;
        if is_last {
            truth = eventually("all runs have ended", || {
                let truth = runs_of_sandbox(world)?;
                let open = truth.iter().filter(|(_, run)| !is_over(run));
                let open: Vec<&String> = open.map(|(id, _)| id).collect();
                ensure!(open.is_empty(), "{} runs have not: {:?}", open.len(), open.first());
                Ok(truth)
            })?;
        }
        check_launches(&truth, notes)?;
        let compared = self.compare_logs(world, &truth, notes)?;
        let mirrored = eventually("every run is in the list", || {
            let mirrored = runs_of_server(world)?;
            let missing: Vec<&String> = truth.keys().filter(|id| !mirrored.contains_key(*id)).collect();
            ensure!(missing.is_empty(), "{} are not: {:?}", missing.len(), missing.first());
            let states = truth.iter().filter(|(_, run)| is_over(run));
            for (id, run) in states {
                ensure!(
                    run["status"] == mirrored[id]["status"],
                    "{id} is {} and shown as {}",
                    run["status"],
                    mirrored[id]["status"]
                );
            }
            Ok(mirrored)
        })?;
        self.compare_imports(world, &mirrored, notes)?;
        eventually("counts equal a recount", || check_counts(world))?;
        check_database(world)?;
        world.check_processes()?;
        let unfinished = truth.values().filter(|run| !is_over(run)).count();
        Ok(Report { runs: mirrored.len(), compared, unfinished })
    }

    /// Compares the logs of all ended runs that were not compared before. The tools of a launch that was confirmed were
    /// answered in time; of others, nobody knows who answers.
    fn compare_logs(&mut self, world: &World, truth: &BTreeMap<String, Value>, notes: &Notes) -> Result<usize> {
        let confirmed: BTreeSet<&String> = notes.launches.values().flatten().collect();
        let new: Vec<&String> =
            truth.iter().filter(|(id, run)| is_over(run) && !self.compared.contains(*id)).map(|(id, _)| id).collect();
        for id in &new {
            let path = format!("/api/v1/workspaces/{WORKSPACE}/agent-runs/{id}/stream");
            let stream = world.sandbox_client().get(&path)?;
            let expected: Vec<Value> =
                stream.body.lines().filter_map(|line| line.strip_prefix("data:")).map(parse).collect::<Result<_>>()?;
            ensure!(!expected.is_empty(), "the sandbox has no log of {id}: {}", stream.status);
            let timed_out = expected.iter().any(|event| event["data"]["errorClass"] == "local_timeout");
            ensure!(!(timed_out && confirmed.contains(id)), "{id} got no answer for its tool");
            eventually(&format!("the log of {id} is complete"), || compare(world, id, &expected))?;
        }
        self.compared.extend(new.iter().map(|id| (*id).clone()));
        Ok(new.len())
    }

    /// Imports that were confirmed have all their events.
    fn compare_imports(&mut self, world: &World, listed: &BTreeMap<String, Value>, notes: &Notes) -> Result<()> {
        for (id, events) in notes.imports.iter().filter(|(id, _)| !self.compared.contains(*id)) {
            ensure!(listed.contains_key(id), "the imported run {id} is not in the list");
            let log = events_of_server(world, id)?;
            ensure!(log.len() == *events, "the imported run {id} has {} events instead of {events}", log.len());
        }
        self.compared.extend(notes.imports.keys().cloned());
        Ok(())
    }
}

fn compare(world: &World, id: &str, expected: &[Value]) -> Result<()> {
    let found = events_of_server(world, id)?;
    for (expected, found) in expected.iter().zip(&found) {
        ensure!(expected == found, "event {} differs: {expected} at the sandbox, {found} here", expected["seq"]);
    }
    ensure!(expected.len() == found.len(), "{} events at the sandbox, {} here", expected.len(), found.len());
    Ok(())
}

fn events_of_server(world: &World, id: &str) -> Result<Vec<Value>> {
    let answer = world.script_client().get(&format!("/api/runs/{id}/events"))?;
    ensure!(answer.status == 200, "{} for the log of {id}: {}", answer.status, answer.body);
    answer.body.lines().map(parse).collect()
}

/// No launch started twice, and a run that the server named is the launch's run.
fn check_launches(truth: &BTreeMap<String, Value>, notes: &Notes) -> Result<()> {
    let mut started: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (id, run) in truth {
        if let Some(launch) = run["metadata"]["launch"].as_str() {
            started.entry(launch).or_default().push(id);
        }
    }
    for (launch, runs) in &started {
        ensure!(runs.len() == 1, "the launch {launch} started {} runs: {runs:?}", runs.len());
    }
    for (launch, named) in &notes.launches {
        if let Some(named) = named {
            let runs = started.get(launch.as_str());
            ensure!(
                runs.is_some_and(|runs| runs[0] == named),
                "the launch {launch} led to {named}, and started {runs:?}"
            );
        }
    }
    Ok(())
}

/// Compares the counts that are stored with those of the list itself.
fn check_counts(world: &World) -> Result<()> {
    let runs = runs_of_server(world)?;
    let mut recount: BTreeMap<(String, String), u64> = BTreeMap::new();
    for run in runs.values() {
        let mut add = |key: &str, value: &Value| {
            if let Some(value) = value.as_str() {
                *recount.entry((key.to_owned(), value.to_owned())).or_default() += 1;
            }
        };
        add("status", &run["status"]);
        add("model", &run["model"]);
        for (key, value) in run["metadata"].as_object().into_iter().flatten() {
            add(&format!("metadata.{key}"), value);
        }
    }
    let mut client = world.script_client();
    let mut get = |path: &str| -> Result<Value> {
        let answer = client.get(path)?;
        ensure!(answer.status == 200, "{} from {path}: {}", answer.status, answer.body);
        parse(&answer.body)
    };
    let facets = get("/api/facets")?;
    let mut compared = 0;
    for facet in facets["facets"].as_array().context("no facets")? {
        let key = facet["key"].as_str().unwrap_or_default();
        for value in facet["values"].as_array().into_iter().flatten() {
            let place = (key.to_owned(), value["value"].as_str().unwrap_or_default().to_owned());
            if key == "status" || key == "model" || key.starts_with("metadata.") {
                let expected = recount.get(&place).copied().unwrap_or(0);
                ensure!(value["runs"] == expected, "{place:?} counts {}, and the list has {expected}", value["runs"]);
                compared += 1;
            }
        }
    }
    ensure!(compared > 2, "there was nothing to compare in {facets}");
    let count = get("/api/count?q=")?;
    ensure!(count["runs"] == runs.len(), "the count is {count}, and the list has {}", runs.len());
    let histogram = get("/api/histogram")?;
    let of_bucket = |bucket: &Value| {
        bucket["runs"].as_object().into_iter().flatten().filter_map(|(_, runs)| runs.as_u64()).sum::<u64>()
    };
    let bars: u64 = histogram["buckets"].as_array().into_iter().flatten().map(of_bucket).sum();
    ensure!(bars == runs.len() as u64, "the chart has {bars} runs, and the list {}", runs.len());
    let insights = get("/api/insights")?;
    ensure!(insights["runs"] == runs.len(), "Insights counts {}, and the list has {}", insights["runs"], runs.len());
    let succeeded = recount.get(&("status".to_owned(), "succeeded".to_owned())).copied().unwrap_or(0);
    let outcomes = &insights["outcomes"];
    ensure!(outcomes["succeeded"] == succeeded, "Insights has {outcomes}, and the list {succeeded} that succeeded");
    Ok(())
}

/// A backup of SQLite checks every page and index of the database.
fn check_database(world: &World) -> Result<()> {
    if world.database.is_some() {
        return Ok(());
    }
    let backup = world.dir.path().join("backup.db");
    let mut command = Command::new(world.runlens());
    command.arg("backup").arg(&backup).arg("--force").env_clear().env("RUNLENS_DATA_DIR", world.data_dir());
    command::read(&mut command).map(drop)
}

fn runs_of_sandbox(world: &World) -> Result<BTreeMap<String, Value>> {
    let path = format!("/api/v1/workspaces/{WORKSPACE}/agent-runs?limit={PAGE}");
    all_pages(&mut world.sandbox_client(), &path)
}

fn runs_of_server(world: &World) -> Result<BTreeMap<String, Value>> {
    all_pages(&mut world.script_client(), &format!("/api/runs?limit={PAGE}"))
}

/// Reads a list to its end. A run that is there twice is an error.
fn all_pages(client: &mut Client, path: &str) -> Result<BTreeMap<String, Value>> {
    let mut runs = BTreeMap::new();
    let mut page = path.to_owned();
    loop {
        let answer = client.get(&page)?;
        ensure!(answer.status == 200, "{} from {page}: {}", answer.status, answer.body);
        let mut body = parse(&answer.body)?;
        for run in body["runs"].as_array_mut().context("no runs")?.drain(..) {
            let id = run["id"].as_str().context("a run without an id")?.to_owned();
            ensure!(runs.insert(id.clone(), run).is_none(), "{id} is in the list twice");
        }
        match body["nextCursor"].as_str() {
            Some(cursor) => page = format!("{path}&cursor={}", encode(cursor)),
            None => return Ok(runs),
        }
    }
}

fn encode(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

fn parse(text: &str) -> Result<Value> {
    serde_json::from_str(text).with_context(|| format!("not JSON: {text}"))
}

fn is_over(run: &Value) -> bool {
    !matches!(run["status"].as_str(), Some("pending" | "running"))
}

/// Tries until it succeeds. The error is that of the last time.
fn eventually<T>(what: &str, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    loop {
        match attempt() {
            Err(error) if start.elapsed() > PATIENCE => {
                return Err(error.context(format!("not within {} s: {what}", PATIENCE.as_secs())));
            }
            Err(_) => sleep(Duration::from_millis(100)),
            done => return done,
        }
    }
}
