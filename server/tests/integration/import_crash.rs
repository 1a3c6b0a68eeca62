//! Imports of a server that is killed: an acknowledged import is there afterwards, and no import is there in part.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use serde_json::{Value, json};

use crate::harness::{DEMO, TestApp, TestDatabase, api_key, eventually};

/// A server process, killed when dropped.
struct Process(Child);

impl Process {
    fn start(addr: &str, sandbox: &str, database: &str, dir: &Path) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_runlens"))
            .env_clear()
            .env("RUNLENS_ADDR", addr)
            .env("RUNLENS_DATA_DIR", dir)
            .env("RUNLENS_SECRET_KEY", "a key for tests, long enough to be accepted")
            .env("DATABASE_URL", database)
            .env("MANTYX_URL", sandbox)
            .env("MANTYX_CLIENT_ID", sandbox::CLIENT_ID)
            .env("MANTYX_CLIENT_SECRET", sandbox::CLIENT_SECRET)
            .env("RUST_LOG", "off")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // SIGKILL.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn log(number: usize) -> String {
    let line = |seq: usize, kind: &str, text: String| {
        json!({ "seq": seq, "type": kind, "data": { "text": text } }).to_string() + "\n"
    };
    line(1, "assistant_message", format!("Looks at {number}.")) + &line(2, "result", format!("Done with {number}."))
}

#[tokio::test]
async fn an_acknowledged_import_survives_a_killed_server_and_none_is_stored_in_part() {
    const CLIENTS: usize = 8;
    const ACKNOWLEDGED: usize = 30;
    let app = TestApp::start_beside(|_| {}).await;
    let dir = tempfile::tempdir().unwrap();
    let database = TestDatabase::create(dir.path()).await;
    let addr = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let is_ready = async || {
        eventually("the server", async || {
            let answer = app.http.get(format!("http://{addr}/readyz")).send().await.ok()?;
            (answer.status() == 200).then_some(())
        })
        .await;
    };
    let start = || Process::start(&addr, &app.sandbox_url(), &database.url, dir.path());
    let process = start();
    is_ready().await;

    // The clients go on until the server is gone.
    let import = |number: usize| {
        let url = format!("http://{addr}/api/import?name=n{number}");
        let request = app.http.post(url).bearer_auth(api_key(DEMO)).body(log(number));
        async move {
            let answer = request.send().await.ok()?;
            assert_eq!(answer.status(), 201);
            Some((number, answer.json::<Value>().await.ok()?["runId"].as_str()?.to_owned()))
        }
    };
    let mut imports: FuturesUnordered<_> = (0..CLIENTS).map(import).collect();
    let (mut acknowledged, mut process, mut sent) = (Vec::new(), Some(process), CLIENTS);
    while let Some(outcome) = imports.next().await {
        acknowledged.extend(outcome);
        if acknowledged.len() == ACKNOWLEDGED {
            drop(process.take());
        }
        if process.is_some() {
            imports.push(import(sent));
            sent += 1;
        }
    }
    assert!(acknowledged.len() >= ACKNOWLEDGED, "{} of {sent}", acknowledged.len());

    let _process = start();
    is_ready().await;
    let get = async |path: String| {
        let answer = app.http.get(format!("http://{addr}{path}")).bearer_auth(api_key(DEMO)).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.unwrap()
    };
    for (number, id) in &acknowledged {
        assert_eq!(get(format!("/api/runs/{id}/events")).await.lines().count(), 2);
        let run: Value = serde_json::from_str(&get(format!("/api/runs/{id}")).await).unwrap();
        assert_eq!((&run["status"], &run["name"]), (&json!("succeeded"), &json!(format!("n{number}"))), "{run}");
    }
    // Those that were not acknowledged are there as a whole, or not at all.
    let list: Value = serde_json::from_str(&get("/api/runs?q=is:imported&limit=200".to_owned()).await).unwrap();
    let runs = list["runs"].as_array().unwrap();
    assert!(runs.len() >= acknowledged.len() && runs.iter().all(|run| run["status"] == "succeeded"), "{list}");
    let audit: Value = serde_json::from_str(&get("/api/audit?limit=200".to_owned()).await).unwrap();
    let entries = audit["entries"].as_array().unwrap().iter().filter(|entry| entry["action"] == "import");
    assert_eq!(entries.count(), runs.len(), "each import is in the audit log, in its transaction");
}
