//! A test server with its sandbox, and browsers to use it.

mod browser;
mod database;
mod fake_mantyx;
mod fake_sessions;
mod launch_form;
mod launch_page;
mod peers;
mod proxy;
mod unsteady;

use std::net::SocketAddr;
use std::path::PathBuf;

use runlens::config::{Config, MantyxConfig};
use runlens::serve::{self, Running};
use serde_json::{Value, json};
use tempfile::TempDir;
use url::Url;

pub use browser::{Answer, Browser};
pub use database::TestDatabase;
pub use fake_mantyx::{FakeMantyx, Mood};
pub use launch_form::{LaunchForm, launched_run, launched_session, shown_page};
pub use launch_page::{LaunchPage, TemplateLink};
pub use peers::{Peer, stdio_command};
pub use proxy::Proxy;
pub use unsteady::{Trouble, Unsteady};

pub const DEMO: &str = "demo";
pub const OTHER: &str = "other";

pub struct TestApp {
    pub running: Running,
    pub http: reqwest::Client,
    pub database: TestDatabase,
    pub dir: TempDir,
    /// A sandbox outside the server, which outlives it.
    pub sandbox: Option<sandbox::Sandbox>,
}

impl TestApp {
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    pub async fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let database = TestDatabase::create(dir.path()).await;
        let mut config = test_config(dir.path().to_owned(), database.url.clone());
        change(&mut config);
        let running = serve::start(config).await.unwrap();
        Self { running, http: http_client(), database, dir, sandbox: None }
    }

    /// Starts a server whose sandbox keeps running when the server stops.
    pub async fn start_apart(change: impl FnOnce(&mut Config)) -> Self {
        Self::start_both(|_| {}, change).await
    }

    /// Starts a server with a separate, configured sandbox.
    pub async fn start_beside(prepare: impl FnOnce(&mut sandbox::Config)) -> Self {
        Self::start_both(prepare, |_| {}).await
    }

    async fn start_both(prepare: impl FnOnce(&mut sandbox::Config), change: impl FnOnce(&mut Config)) -> Self {
        let addr = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut settings = sandbox::Config::new(loopback, dir.path().join("sandbox.db"));
        settings.redirect_uris = vec![format!("http://{addr}/auth/callback")];
        settings.demo = false;
        prepare(&mut settings);
        let sandbox = sandbox::start(settings).await.unwrap();
        let database = TestDatabase::create(dir.path()).await;
        let mut config = test_config(dir.path().to_owned(), database.url.clone());
        config.addr = addr;
        config.mantyx = remote(&sandbox.url());
        change(&mut config);
        let running = serve::start(config).await.unwrap();
        Self { running, http: http_client(), database, dir, sandbox: Some(sandbox) }
    }

    /// Starts another server with the same database and the same MANTYX.
    pub async fn second_process(&self, change: impl FnOnce(&mut Config)) -> Running {
        let mut config = test_config(self.dir.path().join("second"), self.database.url.clone());
        config.mantyx = remote(&self.sandbox_url());
        change(&mut config);
        serve::start(config).await.unwrap()
    }

    /// Restarts the server at the same address.
    pub async fn restart(&mut self, change: impl FnOnce(&mut Config)) {
        let mut config = test_config(self.dir.path().to_owned(), self.database.url.clone());
        config.addr = self.running.addr;
        config.mantyx = remote(&self.sandbox_url());
        change(&mut config);
        // Stopping takes the running server by value, so another one takes its place meanwhile.
        let other = self.second_process(|_| {}).await;
        std::mem::replace(&mut self.running, other).stop().await.unwrap();
        let again = serve::start(config).await.unwrap();
        std::mem::replace(&mut self.running, again).stop().await.unwrap();
    }

    /// Stops the server and starts another one at the same address, for settings that two servers cannot share.
    pub async fn replace(self, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = test_config(self.dir.path().to_owned(), self.database.url.clone());
        config.addr = self.running.addr;
        config.mantyx = remote(&self.sandbox_url());
        change(&mut config);
        self.running.stop().await.unwrap();
        let running = serve::start(config).await.unwrap();
        Self { running, ..self }
    }

    pub fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.running.addr)).unwrap()
    }

    pub fn browser(&self) -> Browser {
        Browser::new(self.http.clone(), self.url("/"))
    }

    /// Adds a browser that is signed in to the workspace `demo`.
    pub async fn with_browser(self) -> (Self, Browser) {
        let browser = self.signed_in(DEMO).await;
        (self, browser)
    }

    /// Returns a browser that is signed in to a workspace.
    pub async fn signed_in(&self, workspace: &str) -> Browser {
        let mut browser = self.browser();
        let landed = browser.sign_in("/runs", workspace).await;
        assert_eq!((landed.status, landed.url.path()), (200, "/runs"), "{}", landed.body);
        browser
    }

    pub fn sandbox_url(&self) -> String {
        self.sandbox.as_ref().or(self.running.sandbox.as_ref()).unwrap().url()
    }

    fn runs_url(&self, workspace: &str) -> String {
        format!("{}/api/v1/workspaces/{workspace}/agent-runs", self.sandbox_url())
    }

    /// Starts a run at the sandbox, as a client of MANTYX would, with a script for `sandbox/script`.
    pub async fn start_run(&self, workspace: &str, script: &str, more: Value) -> String {
        let mut spec =
            json!({ "name": "test", "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": script });
        for (key, value) in more.as_object().into_iter().flatten() {
            spec[key] = value.clone();
        }
        let request = self.http.post(self.runs_url(workspace)).bearer_auth(api_key(workspace)).json(&spec);
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
        let answer: Value = answer.json().await.unwrap();
        answer["runId"].as_str().unwrap().to_owned()
    }

    /// Starts a run and waits for its end.
    pub async fn finished_run(&self, workspace: &str, script: &str, more: Value) -> String {
        let id = self.start_run(workspace, script, more).await;
        self.sandbox_stream(workspace, &id).await;
        id
    }

    /// Returns a run's stream at the sandbox, from its first event to its end.
    pub async fn sandbox_stream(&self, workspace: &str, run_id: &str) -> String {
        let url = format!("{}/{run_id}/stream", self.runs_url(workspace));
        self.http.get(url).bearer_auth(api_key(workspace)).send().await.unwrap().text().await.unwrap()
    }

    /// Waits for a run's first local call. Returns its id.
    pub async fn pending_call(&self, workspace: &str, run_id: &str) -> String {
        let url = format!("{}/{run_id}/stream", self.runs_url(workspace));
        let mut stream = self.http.get(url).bearer_auth(api_key(workspace)).send().await.unwrap();
        let mut frames = protocol::sse::Frames::default();
        eventually("a local call", async || {
            let bytes = stream.chunk().await.unwrap().expect("a local call");
            let frames = frames.push(&bytes).unwrap();
            let mut events = frames.iter().map(|frame| serde_json::from_str::<Value>(&frame.data).unwrap_or_default());
            let call = events.find(|event| event["type"] == "local_tool_call")?;
            Some(call["data"]["toolUseId"].as_str().unwrap().to_owned())
        })
        .await
    }

    pub async fn answer_tool(&self, workspace: &str, run_id: &str, tool_use_id: &str, result: &str) {
        let url = format!("{}/{run_id}/tool-results", self.runs_url(workspace));
        let body = json!({ "toolUseId": tool_use_id, "result": result });
        let answer = self.http.post(url).bearer_auth(api_key(workspace)).json(&body).send().await.unwrap();
        assert!(answer.status().is_success());
    }

    /// Connects to the sandbox's database, to read or change what a client of MANTYX cannot.
    pub async fn sandbox_database(&self) -> sqlx::SqlitePool {
        let path = self.dir.path().join("sandbox.db");
        sqlx::SqlitePool::connect(&format!("sqlite://{}", path.display())).await.unwrap()
    }
}

pub fn test_config(data_dir: PathBuf, database_url: String) -> Config {
    Config {
        addr: SocketAddr::from(([127, 0, 0, 1], 0)),
        public_url: None,
        data_dir,
        database_url,
        secret_key: Some("a key for tests, long enough to be accepted".to_owned()),
        mantyx: MantyxConfig::Sandbox { addr: SocketAddr::from(([127, 0, 0, 1], 0)), demo: false },
        mantyx_workspace: None,
        mantyx_api_key: None,
        retention: Default::default(),
        metrics_token: None,
        workspaces: Default::default(),
        admins: Default::default(),
        trusted_proxies: Default::default(),
        audit_days: 365,
        limits: Default::default(),
        outbound_allow: Default::default(),
        mcp_commands: Default::default(),
        site: Default::default(),
    }
}

fn remote(url: &str) -> MantyxConfig {
    let (client_id, client_secret) = (sandbox::CLIENT_ID.to_owned(), sandbox::CLIENT_SECRET.to_owned());
    MantyxConfig::Remote { url: Url::parse(url).unwrap(), client_id, client_secret }
}

/// Allows requests to loopback addresses, as an operator would for local peers.
pub fn allow_loopback(config: &mut Config) {
    config.outbound_allow = "127.0.0.1".parse().unwrap();
}

pub fn api_key(workspace: &str) -> String {
    format!("mantyx_sandbox_{workspace}")
}

/// Creates an access token of the demo workspace's owner with these scopes, as a MANTYX client has it.
pub async fn allowed_token(sandbox: &sqlx::SqlitePool, scopes: &str) -> String {
    use sha2::{Digest, Sha256};
    let token = format!("mantyx_at_{}", scopes.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
    let (access, refresh) = (Sha256::digest(&token).to_vec(), Sha256::digest(format!("refresh {token}")).to_vec());
    sqlx::query("INSERT INTO refresh_tokens (digest, scope, email, created_at) VALUES ($1, $2, 'owner@demo.test', 0)")
        .bind(&refresh)
        .bind(scopes)
        .execute(sandbox)
        .await
        .unwrap();
    let insert = "INSERT INTO access_tokens (digest, refresh, scope, email, expires_at) \
                  VALUES ($1, $2, $3, 'owner@demo.test', 9000000000000)";
    sqlx::query(insert).bind(access).bind(refresh).bind(scopes).execute(sandbox).await.unwrap();
    token
}

/// Calls `look` until it returns something. Gives up after a minute.
pub async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let started = std::time::Instant::now();
    while started.elapsed() < std::time::Duration::from_secs(60) {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("{what} did not happen within a minute");
}

pub fn http_client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}
