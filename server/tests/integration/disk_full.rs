//! A full disk: stored pages can be read, everything else says that nothing can be saved, and it ends without a restart.
//!
//! The server is a process whose files may not grow: a write beyond that limit fails as it does on a full disk.
#![cfg(target_os = "linux")]

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use reqwest::Method;
use serde_json::{Value, json};
use url::Url;

use crate::harness::{Browser, DEMO, TestApp, api_key, eventually, http_client};

const SECRET_KEY: &str = "a key for tests, long enough to be accepted";
const NOT_SAVED: &str = "Nothing can be saved at the moment";

/// A server process, killed when dropped.
struct Process(Child);

impl Process {
    fn start(addr: SocketAddr, sandbox: &str, dir: &std::path::Path) -> Self {
        // Without the signal that a too large file causes, the write fails and the process goes on.
        let command = "trap '' XFSZ; exec \"$0\"";
        let child = Command::new("/bin/sh")
            .args(["-c", command, env!("CARGO_BIN_EXE_runlens")])
            .env_clear()
            .env("RUNLENS_ADDR", addr.to_string())
            .env("RUNLENS_DATA_DIR", dir)
            .env("RUNLENS_SECRET_KEY", SECRET_KEY)
            .env("MANTYX_URL", sandbox)
            .env("MANTYX_CLIENT_ID", sandbox::CLIENT_ID)
            .env("MANTYX_CLIENT_SECRET", sandbox::CLIENT_SECRET)
            // The log is a file on the same disk.
            .stderr(std::fs::File::create("/dev/full").unwrap())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }

    /// Limits the size of files that the process writes.
    fn limit_files(&self, limit: &str) {
        let limit = format!("--fsize={limit}:unlimited");
        let done = Command::new("prlimit").args(["--pid", &self.0.id().to_string(), &limit]).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn a_full_disk_leaves_pages_readable_and_ends_without_a_restart() {
    let addr = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let app = TestApp::start_beside(|sandbox| {
        sandbox.redirect_uris.push(format!("http://{addr}/auth/callback"));
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let process = Process::start(addr, &app.sandbox_url(), dir.path());
    let http = http_client();
    let ready = format!("http://{addr}/readyz");
    let is_ready = async |expected: u16| {
        eventually(&format!("{expected} from /readyz"), async || {
            let answer = http.get(&ready).send().await.ok()?;
            (answer.status() == expected).then_some(())
        })
        .await;
    };
    is_ready(200).await;
    let stored = app.finished_run(DEMO, "/say before the disk was full", json!({})).await;
    let mut browser = Browser::new(http.clone(), Url::parse(&format!("http://{addr}/")).unwrap());
    assert_eq!(browser.sign_in("/runs", DEMO).await.status, 200);
    let page = browser.open(&format!("/runs/{stored}")).await;
    assert!(page.status == 200 && page.body.contains("before the disk was full"), "{}", page.body);

    let referer = format!("http://{addr}/runs");
    let rejected_view = |name: &str| {
        let url = Url::parse(&format!("http://{addr}/rpc/create-view")).unwrap();
        let request = http.post(url.clone()).form(&[("list", "runs"), ("name", name), ("query", "status:lost")]);
        let request = request.header("origin", url.origin().ascii_serialization()).header("accept", "text/html");
        (request.header("referer", &referer), url)
    };
    let (request, url) = rejected_view("Rejected before");
    assert_eq!(browser.send(request, url).await.status, 303);

    let ask = json!({ "tools": [{ "kind": "local", "name": "ask" }] });
    let waiting = app.start_run(DEMO, "/call ask {}\n/say done", ask).await;
    app.pending_call(DEMO, &waiting).await;
    let ask = json!({ "tools": [{ "kind": "local", "name": "ask" }] });
    let answered = app.start_run(DEMO, "/call ask {}\n/say done", ask).await;
    let call = app.pending_call(DEMO, &answered).await;

    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script" });
    let url = format!("{}/api/v1/workspaces/{DEMO}/agent-sessions", app.sandbox_url());
    let opened = http.post(url).bearer_auth(api_key(DEMO)).json(&spec).send().await.unwrap();
    let session = opened.json::<Value>().await.unwrap()["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(browser.open(&format!("/sessions/{session}")).await.status, 200);

    process.limit_files("4096");
    is_ready(503).await;
    // The session still has the rejected form and cannot be changed: the page shows it.
    let request = http.get(&referer).header("accept", "text/html");
    let page = browser.send(request, Url::parse(&referer).unwrap()).await;
    assert!(page.status == 200 && page.body.contains("Rejected before"), "{} {}", page.status, page.body);
    let (request, url) = rejected_view("Rejected while full");
    let page = browser.send(request, url).await;
    assert!(page.body.starts_with("<!DOCTYPE html>"), "{} {}", page.status, page.body);
    assert!(page.body.contains("Unknown status") && page.body.contains("Rejected while full"), "{}", page.body);
    let new = app.finished_run(DEMO, "/say while the disk is full", json!({})).await;
    eventually("the list says that nothing can be saved", async || {
        let list = browser.open("/runs").await;
        assert!(list.status == 200 && list.body.contains(&stored), "{}", list.body);
        list.body.contains(NOT_SAVED).then_some(())
    })
    .await;
    let sessions = browser.open("/sessions").await;
    assert_eq!(sessions.status, 200, "{}", sessions.body);
    let page = browser.open(&format!("/runs/{stored}")).await;
    assert!(page.status == 200 && page.body.contains("before the disk was full"), "{}", page.body);
    let page = browser.open(&format!("/runs/{new}")).await;
    assert!(page.status == 503 && page.body.contains(NOT_SAVED), "{}", page.body);
    // Every page says so, whether or not it has to save something.
    for path in ["/runs", "/sessions", "/launch", "/import", "/compare", &format!("/runs/{stored}")] {
        eventually(&format!("{path} says that nothing can be saved"), async || {
            let page = browser.open(path).await;
            assert_eq!(page.status, 200, "{path}: {}", page.body);
            page.body.contains(NOT_SAVED).then_some(())
        })
        .await;
    }
    // So does a page that is opened by JavaScript, in its data.
    assert!(browser.open(&format!("/rpc/run?id={stored}")).await.body.contains(NOT_SAVED));
    // Plain forms answer with a page that has what was typed.
    let log = "{\"seq\":1,\"type\":\"result\",\"data\":{\"text\":\"pasted text\"}}";
    let import = browser.send_parts("/import", &[("text", log)], &[], "text/html").await;
    assert_eq!(import.status, 503, "{}", import.body);
    assert!(import.body.contains(NOT_SAVED) && import.body.contains("pasted text"), "{}", import.body);
    assert!(import.body.starts_with("<!DOCTYPE html>") && !import.body.contains("{\"seq\""), "{}", import.body);
    let scripted = browser.send_parts("/import", &[("text", log)], &[], "*/*").await;
    let back = scripted.headers["location"].to_str().unwrap();
    assert!(back.starts_with("/import?problem=Nothing"), "{back}");
    let form = browser.launch_page("").await;
    let fields = [("field:/prompt", "a prompt that took long"), ("action", "launch")];
    let launch = browser.send_plain_launch_form(&form, &fields).await;
    assert!(launch.status >= 400 && launch.body.starts_with("<!DOCTYPE html>"), "{} {}", launch.status, launch.body);
    assert!(launch.body.contains(NOT_SAVED) && launch.body.contains("a prompt that took long"), "{}", launch.body);
    let view = [("list", "runs"), ("name", "Mine"), ("query", "status:failed")];
    let (status, body) = browser.call("create-view", &view).await;
    assert!(status == 503 && body["error"] == "cannot_save", "{status} {body}");
    let other = Browser::new(http.clone(), Url::parse(&format!("http://{addr}/")).unwrap()).open("/auth/start").await;
    assert!(other.status == 503 && other.body.contains(NOT_SAVED), "{}", other.body);
    // A run can be cancelled, and a call answered. Their entries in the audit log follow.
    assert_eq!(browser.call("cancel-run", &[("id", &waiting)]).await.0, 200);
    let answer = [("id", answered.as_str()), ("tool_use_id", &call), ("text", "yes")];
    let sent = browser.answer(&answer).await;
    assert_eq!(sent.status, 200, "{}", sent.body);
    // MANTYX has the message, so the page doesn't suggest to send it again.
    let (status, body) = browser.call("send-message", &[("id", &session), ("text", "/say hello")]).await;
    assert_eq!(status, 200, "{body}");
    // The browser forgets its session, and the server refuses it.
    let mut copy = Browser::new(http.clone(), Url::parse(&format!("http://{addr}/")).unwrap());
    copy.cookies = browser.cookies.clone();
    assert_eq!(copy.open("/api/views").await.status, 200);
    let sign_out = browser.request(Method::POST, browser.url("/auth/sign-out"), &[]).await;
    assert!(sign_out.status == 503 && sign_out.body.contains("This browser is signed out"), "{}", sign_out.body);
    assert!(!browser.cookies.contains_key("runlens_session"), "{:?}", browser.cookies);
    assert_eq!(copy.open("/api/views").await.status, 401);

    process.limit_files("unlimited");
    is_ready(200).await;
    assert_eq!(browser.sign_in("/runs", DEMO).await.status, 200);
    eventually("the cancelled run and the sign-out are in the audit log", async || {
        let log = browser.open("/api/audit?limit=200").await.body;
        (log.contains("\"cancel\"")
            && log.contains(&format!("message in {session}"))
            && log.contains("\"answer\"")
            && log.contains("\"sign_out\""))
        .then_some(())
    })
    .await;
    assert_eq!(copy.open("/api/views").await.status, 401);
    let page = browser.open(&format!("/runs/{new}")).await;
    assert!(page.status == 200 && page.body.contains("while the disk is full"), "{}", page.body);
    eventually("the new run is in the list", async || {
        let list = browser.open("/runs").await;
        (list.body.contains(&new) && !list.body.contains(NOT_SAVED)).then_some(())
    })
    .await;
}
