//! Three processes of the real binary on one PostgreSQL, behind a balancer that sends each connection to the next one:
//! signed in on all at once, synced by exactly one, live on every one, and taken over when one is killed.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::harness::{Browser, DEMO, TestDatabase, api_key, eventually};

const TOOL: &str = "approve";

/// A server process, killed when dropped.
struct Replica {
    process: Child,
    addr: SocketAddr,
    name: String,
}

impl Replica {
    /// Starts a process with its name in the database connection, which identifies its locks.
    fn start(number: usize, balancer: SocketAddr, sandbox: &str, database: &str, dir: &Path) -> Self {
        let addr = free_address();
        let name = format!("replica-{number}");
        let process = Command::new(env!("CARGO_BIN_EXE_runlens"))
            .env_clear()
            .env("RUNLENS_ADDR", addr.to_string())
            .env("RUNLENS_PUBLIC_URL", format!("http://{balancer}"))
            .env("RUNLENS_DATA_DIR", dir.join(&name))
            .env("RUNLENS_SECRET_KEY", "a key for tests, the same for all three of them")
            .env("DATABASE_URL", format!("{database}?application_name={name}"))
            .env("MANTYX_URL", sandbox)
            .env("MANTYX_CLIENT_ID", sandbox::CLIENT_ID)
            .env("MANTYX_CLIENT_SECRET", sandbox::CLIENT_SECRET)
            .env("RUST_LOG", "warn")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, addr, name }
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_address() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// A load balancer: each connection goes to the next target that accepts it.
async fn balance(listener: TcpListener, targets: Arc<Mutex<Vec<SocketAddr>>>) {
    let mut turn = 0;
    while let Ok((mut inner, _)) = listener.accept().await {
        turn += 1;
        let mut order = targets.lock().unwrap().clone();
        let first = turn % order.len().max(1);
        order.rotate_left(first);
        tokio::spawn(async move {
            for target in order {
                if let Ok(mut outer) = TcpStream::connect(target).await {
                    let _ = tokio::io::copy_bidirectional(&mut inner, &mut outer).await;
                    return;
                }
            }
        });
    }
}

/// Returns the processes that hold the sync lock of a workspace.
async fn holders(database: &sqlx::AnyPool) -> Vec<String> {
    let sql = "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid \
         WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 512 \
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    sqlx::query_scalar(sql).fetch_all(database).await.unwrap()
}

async fn start_run(http: &reqwest::Client, sandbox: &str) -> String {
    let spec = json!({
        "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": format!("/call {TOOL} {{}}\n/say Done."),
        "tools": [{ "kind": "local", "name": TOOL }],
    });
    let url = format!("{sandbox}/api/v1/workspaces/{DEMO}/agent-runs");
    let answer = http.post(url).bearer_auth(api_key(DEMO)).json(&spec).send().await.unwrap();
    answer.json::<Value>().await.unwrap()["runId"].as_str().unwrap().to_owned()
}

/// Several processes share a database on PostgreSQL only.
#[tokio::test]
async fn three_processes_behind_a_load_balancer_work_as_one() {
    if std::env::var("RUNLENS_TEST_DATABASE_URL").is_err() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let balancer = listener.local_addr().unwrap();
    let mut settings = sandbox::Config::new(SocketAddr::from(([127, 0, 0, 1], 0)), dir.path().join("sandbox.db"));
    settings.redirect_uris = vec![format!("http://{balancer}/auth/callback")];
    settings.demo = false;
    let sandbox = sandbox::start(settings).await.unwrap();
    let database = TestDatabase::create(dir.path()).await;
    let start = |number| Replica::start(number, balancer, &sandbox.url(), &database.url, dir.path());
    let mut replicas: Vec<Replica> = (0..3).map(start).collect();
    let targets = Arc::new(Mutex::new(replicas.iter().map(|replica| replica.addr).collect::<Vec<_>>()));
    tokio::spawn(balance(listener, targets));
    // A new connection for each request, so that requests are balanced.
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(0)
        .build()
        .unwrap();
    for replica in &replicas {
        let url = format!("http://{}/readyz", replica.addr);
        eventually(&url, async || {
            let response = http.get(&url).send().await;
            response.is_ok_and(|response| response.status().is_success()).then_some(())
        })
        .await;
    }

    // The steps of a sign-in land on different processes.
    let mut browser = Browser::new(http.clone(), Url::parse(&format!("http://{balancer}/")).unwrap());
    let landed = browser.sign_in("/runs", DEMO).await;
    assert_eq!((landed.status, landed.url.path()), (200, "/runs"), "{}", landed.body);
    let run = start_run(&http, &sandbox.url()).await;
    let mut streams = Vec::new();
    for replica in &replicas {
        let mut direct = Browser::new(http.clone(), Url::parse(&format!("http://{}/", replica.addr)).unwrap());
        direct.cookies = browser.cookies.clone();
        assert_eq!(direct.open(&format!("/runs/{run}")).await.status, 200, "{}", replica.name);
        let path = format!("/runs/{run}/live");
        streams.push(tokio::spawn(async move { direct.open(&path).await.body }));
    }
    // After the answer, the end reaches every watcher.
    let url = format!("{}/api/v1/workspaces/{DEMO}/agent-runs/{run}", sandbox.url());
    let call = eventually("a local call", async || {
        let log = browser.open(&format!("/api/runs/{run}/events")).await.body;
        let mut events = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events.find(|event| event["type"] == "local_tool_call")
    })
    .await;
    let id = ["toolUseId", "id"].iter().find_map(|field| call["data"][field].as_str()).unwrap();
    let answer = json!({ "toolUseId": id, "result": "yes" });
    let answered = http.post(format!("{url}/tool-results")).bearer_auth(api_key(DEMO)).json(&answer).send().await;
    assert!(answered.unwrap().status().is_success());
    for stream in streams {
        let seen = stream.await.unwrap();
        assert!(seen.contains("Done.") && seen.contains("event: end"), "{seen}");
    }

    let admin = database.connect().await;
    let holder = eventually("a syncing process", async || {
        let holders = holders(&admin).await;
        assert!(holders.len() <= 1, "{holders:?}");
        holders.into_iter().next()
    })
    .await;
    let killed = replicas.iter().position(|replica| replica.name == holder).unwrap();
    drop(replicas.remove(killed));
    eventually("a take-over", async || {
        let holders = holders(&admin).await;
        assert!(holders.len() <= 1, "{holders:?}");
        holders.into_iter().find(|other| *other != holder)
    })
    .await;
    // The other two processes serve all requests, and the user is still signed in.
    for _ in 0..4 {
        let page = browser.open("/api/runs").await;
        assert!(page.status == 200 && page.body.contains(&run), "{}", page.body);
    }
    sandbox.shutdown().await;
}
