//! Every route of the server, tried by everyone who must not use it. The routes come from the table that the router and its
//! access check use, so a new route is tested as soon as it is there.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Method;
use runlens::routes::{Needs, ServedRoute, TABLE, served_routes};
use serde_json::json;
use sqlx::AssertSqlSafe;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::harness::{Answer, Browser, DEMO, OTHER, TestApp, api_key};

const SCOPES: [&str; 4] = ["runs:read", "runs:write", "sessions:read", "sessions:write"];
/// Texts of the workspace `demo` that nobody else may see.
const SECRETS: [&str; 3] = ["the figures of the last quarter", "hidden-customer", "hidden-name"];
/// The routes that end the session of who asks.
const ENDS_SESSION: [&str; 2] = ["/auth/sign-out-everywhere", "/auth/sign-out"];
/// Larger than any body that is not an upload.
const TOO_LARGE: usize = 17 * 1024 * 1024;

/// A server with a run and a session in `demo`, whose stored sign-in can be put back after a request has ended it.
struct Fixture {
    app: TestApp,
    database: sqlx::AnyPool,
    run_id: String,
    session_id: String,
    /// A failure group and a saved view.
    group_id: String,
    view_id: String,
}

impl Fixture {
    async fn new() -> Self {
        let app = TestApp::start_with(|config| {
            config.limits.recheck_after = Duration::ZERO;
            config.limits.anonymous_writes_per_minute = 1_000_000;
        })
        .await;
        let script = format!("/say {}", SECRETS[0]);
        let more = json!({ "name": SECRETS[2], "metadata": { "customer": SECRETS[1] } });
        let run_id = app.finished_run(DEMO, &script, more).await;
        let sessions = format!("{}/api/v1/workspaces/{DEMO}/agent-sessions", app.sandbox_url());
        let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "name": SECRETS[2] });
        let request = app.http.post(sessions).bearer_auth(crate::harness::api_key(DEMO)).json(&spec);
        let opened: serde_json::Value = request.send().await.unwrap().json().await.unwrap();
        let session_id = opened["sessionId"].as_str().unwrap().to_owned();
        let database = app.database.connect().await;
        let (group_id, view_id) = (failure_group(&app).await, saved_view(&app).await);
        Self { app, database, run_id, session_id, group_id, view_id }
    }

    /// Signs in and stores what is in the run's and the session's page.
    async fn sign_in(&self, workspace: &str) -> Browser {
        let mut browser = self.app.signed_in(workspace).await;
        browser.open(&format!("/runs/{}", self.run_id)).await;
        browser.open(&format!("/sessions/{}", self.session_id)).await;
        browser
    }

    /// Remembers the stored sign-ins.
    async fn save_sign_ins(&self) {
        for table in ["oauth_grant", "web_session"] {
            self.execute(format!("CREATE TABLE saved_{table} AS SELECT * FROM {table}")).await;
        }
    }

    /// Puts the sign-ins back.
    async fn restore_sign_ins(&self) {
        for table in ["web_session", "oauth_grant"] {
            self.execute(format!("DELETE FROM {table}")).await;
            self.execute(format!("INSERT INTO {table} SELECT * FROM saved_{table}")).await;
        }
    }

    async fn execute(&self, sql: String) {
        sqlx::query(AssertSqlSafe(sql)).execute(&self.database).await.unwrap();
    }

    /// The route's path with ids of `demo`, and parameters that name them where a route takes some.
    fn path(&self, route: &ServedRoute) -> String {
        let id = match route.path.as_str() {
            path if path.contains("sessions/") => &self.session_id,
            path if path.contains("failure") => &self.group_id,
            path if path.contains("view") => &self.view_id,
            _ => &self.run_id,
        };
        self.path_with(route, id)
    }

    fn path_with(&self, route: &ServedRoute, id: &str) -> String {
        let query = match route.path.as_str() {
            "/rpc/run"
            | "/rpc/failure"
            | "/rpc/run-state"
            | "/rpc/run-preview"
            | "/rpc/session"
            | "/rpc/conversation"
            | "/rpc/batch"
            | "/rpc/batch-progress" => format!("?id={id}"),
            "/compare" | "/rpc/compare" => format!("?left={id}"),
            "/launch" if route.method == Method::GET => format!("?like={id}"),
            "/rpc/launch-page" => format!("?entry[like]={id}"),
            "/api/values" => "?key=metadata.customer".to_owned(),
            "/rpc/suggest" => "?text=customer:&caret=9".to_owned(),
            "/rpc/palette" => "?text=figures".to_owned(),
            "/rpc/run-updates" => "?q=".to_owned(),
            _ => String::new(),
        };
        format!("{}{query}", route.path.replace("{id}", id))
    }

    /// Sends a request as a script does, with every parameter that a form may have.
    async fn send(&self, browser: &mut Browser, route: &ServedRoute, path: &str, id: &str) -> Answer {
        let url = self.app.url(path);
        browser.send(self.request(route, path, id), url).await
    }

    /// The same with a credential instead of a session.
    async fn send_with_bearer(&self, token: &str, route: &ServedRoute) -> Answer {
        let path = self.path(route);
        let request = self.request(route, &path, &self.run_id).bearer_auth(token);
        self.app.browser().send(request, self.app.url(&path)).await
    }

    fn request(&self, route: &ServedRoute, path: &str, id: &str) -> reqwest::RequestBuilder {
        let url = self.app.url(path);
        let mut request = self.app.http.request(route.method.clone(), url.clone());
        if route.method != Method::GET {
            request = request.header("origin", url.origin().ascii_serialization());
            request = match route.path.starts_with("/api/") {
                true => request.json(&json!({ "paused": false, "id": id, "metadata": { "key": "k", "value": "v" } })),
                false => {
                    request.form(&[("id", id), ("tool_use_id", "x"), ("text", "y"), ("thumb", "UP"), ("list", "runs")])
                }
            };
        }
        request
    }
}

/// A failure group of a run in `demo`.
async fn failure_group(app: &TestApp) -> String {
    let error = json!({ "error": SECRETS[0], "errorClass": SECRETS[2] });
    let log = json!({ "seq": 1, "type": "error", "data": error }).to_string();
    let import = app.http.post(app.url("/api/import")).bearer_auth(api_key(DEMO)).body(log);
    assert_eq!(import.send().await.unwrap().status(), 201);
    let found = app.http.get(app.url("/api/failures")).bearer_auth(api_key(DEMO)).send().await.unwrap();
    let found: serde_json::Value = found.json().await.unwrap();
    found["groups"][0]["id"].as_str().unwrap_or_else(|| panic!("{found}")).to_owned()
}

/// A saved view of `demo` that the workspace sees.
async fn saved_view(app: &TestApp) -> String {
    let mut owner = app.signed_in(DEMO).await;
    let url = app.url("/api/views");
    let view = json!({ "list": "runs", "name": SECRETS[2], "query": "status:failed", "shared": true });
    let request = app.http.post(url.clone()).header("origin", url.origin().ascii_serialization()).json(&view);
    let made = owner.send(request, url).await;
    let made: serde_json::Value = serde_json::from_str(&made.body).unwrap();
    made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

/// The sign-outs come last: they revoke tokens at MANTYX, which nothing puts back.
fn all_routes() -> Vec<ServedRoute> {
    let mut routes = served_routes();
    routes.sort_by_key(|route| ENDS_SESSION.iter().position(|path| *path == route.path));
    routes
}

fn needs(route: &ServedRoute) -> Needs {
    let found = TABLE.iter().find(|(method, path, _)| route.method == *method && route.path == *path);
    found.unwrap_or_else(|| panic!("{} {} has no rule", route.method, route.path)).2
}

fn is_to_sign_in(answer: &Answer) -> bool {
    let to_sign_in = answer.headers.get("location").is_some_and(|to| to.to_str().unwrap().starts_with("/sign-in"));
    (300..400).contains(&answer.status) && to_sign_in
}

/// The answer to a client that is not signed in: nothing, or the way to the sign-in.
fn assert_signed_out(route: &ServedRoute, answer: &Answer) {
    let is_refused = answer.status == 401 || is_to_sign_in(answer);
    match needs(route) {
        Needs::Nothing => assert!(!matches!(answer.status, 401 | 403), "{route:?}: {}", answer.status),
        // The form is stored until the sign-in, or it cannot be read.
        Needs::FormScope(_) => assert!(is_refused || answer.status == 400, "{route:?}: {}", answer.status),
        _ => assert!(is_refused, "{route:?}: {} {}", answer.status, answer.body),
    }
    assert_no_secrets(route, answer);
}

fn assert_no_secrets(route: &ServedRoute, answer: &Answer) {
    for secret in SECRETS {
        assert!(!answer.body.contains(secret), "{route:?} shows {secret}: {}", answer.body);
    }
}

#[tokio::test]
async fn without_a_session_or_with_one_that_has_ended_nothing_is_served() {
    let fixture = Fixture::new().await;
    let signed_in = fixture.sign_in(DEMO).await;
    fixture.save_sign_ins().await;
    let withdrawn = "DELETE FROM refresh_tokens";
    for route in all_routes() {
        let path = fixture.path(&route);
        let nobody = fixture.send(&mut fixture.app.browser(), &route, &path, &fixture.run_id).await;
        assert_signed_out(&route, &nobody);
        if needs(&route) != Needs::Nothing {
            assert_signed_out(&route, &fixture.send_with_bearer("mantyx_unknown", &route).await);
        }

        fixture.restore_sign_ins().await;
        fixture.execute("UPDATE web_session SET expires_at = 1".to_owned()).await;
        let mut expired = fixture.app.browser();
        expired.cookies = signed_in.cookies.clone();
        assert_signed_out(&route, &fixture.send(&mut expired, &route, &path, &fixture.run_id).await);
    }
    // The consent is withdrawn at MANTYX. Each request finds that out by itself, because the sign-in is put back before.
    let sandbox = fixture.app.sandbox_database().await;
    for sql in [withdrawn, "DELETE FROM access_tokens"] {
        sqlx::query(sql).execute(&sandbox).await.unwrap();
    }
    for route in all_routes() {
        fixture.restore_sign_ins().await;
        let mut browser = fixture.app.browser();
        browser.cookies = signed_in.cookies.clone();
        let answer = fixture.send(&mut browser, &route, &fixture.path(&route), &fixture.run_id).await;
        assert_signed_out(&route, &answer);
    }
}

#[tokio::test]
async fn another_workspace_sees_nothing_and_changes_nothing() {
    let fixture = Fixture::new().await;
    fixture.sign_in(DEMO).await;
    let signed_in = fixture.sign_in(OTHER).await;
    fixture.save_sign_ins().await;
    for route in all_routes() {
        let path = fixture.path(&route);
        fixture.restore_sign_ins().await;
        let mut browser = fixture.app.browser();
        browser.cookies = signed_in.cookies.clone();
        let answer = fixture.send(&mut browser, &route, &path, &fixture.run_id).await;
        assert_no_secrets(&route, &answer);
        let names_demo = route.path.contains("{id}") && needs(&route) != Needs::Nothing;
        let is_hidden = matches!(answer.status, 400 | 404) || answer.status == 403;
        assert!(!names_demo || is_hidden, "{route:?}: {} {}", answer.status, answer.body);
        let answer = fixture.send_with_bearer(&api_key(OTHER), &route).await;
        assert_no_secrets(&route, &answer);
        let is_hidden = is_to_sign_in(&answer) || matches!(answer.status, 400 | 401 | 403 | 404);
        assert!(!names_demo || is_hidden, "{route:?} with a key: {} {}", answer.status, answer.body);
    }
    let mut owner = fixture.app.signed_in(DEMO).await;
    let run = owner.open(&format!("/api/runs/{}", fixture.run_id)).await;
    assert!(run.status == 200 && run.body.contains(SECRETS[0]), "{}", run.body);
    assert_eq!(owner.open(&format!("/api/sessions/{}", fixture.session_id)).await.status, 200);
}

#[tokio::test]
async fn each_missing_scope_is_refused_and_with_all_of_them_nothing_is() {
    let fixture = Fixture::new().await;
    let signed_in = fixture.sign_in(DEMO).await;
    fixture.save_sign_ins().await;
    let as_user = async |scopes: &str, route: &ServedRoute, id: &str| {
        fixture.restore_sign_ins().await;
        let scopes = format!("mantyx.identity:read {scopes}");
        sqlx::query("UPDATE oauth_grant SET scopes = $1").bind(scopes).execute(&fixture.database).await.unwrap();
        let mut browser = fixture.app.browser();
        browser.cookies = signed_in.cookies.clone();
        fixture.send(&mut browser, route, &fixture.path_with(route, id), id).await
    };
    let without =
        |missing: &[&str]| SCOPES.into_iter().filter(|scope| !missing.contains(scope)).collect::<Vec<_>>().join(" ");
    for route in all_routes() {
        let refused: Vec<Vec<&str>> = match needs(&route) {
            Needs::Nothing | Needs::SignIn => Vec::new(),
            Needs::Scope(scope) | Needs::FormScope(scope) => vec![vec![scope]],
            Needs::ListScope => vec![vec!["runs:read"]],
            Needs::AnyScope(scopes) => vec![scopes.to_vec()],
            Needs::AllScopes(scopes) | Needs::Admin(scopes) => scopes.iter().map(|scope| vec![*scope]).collect(),
        };
        for missing in refused {
            let answer = as_user(&without(&missing), &route, &fixture.run_id).await;
            assert_eq!(answer.status, 403, "{route:?} without {missing:?}: {}", answer.body);
            assert!(missing.iter().any(|scope| answer.body.contains(scope)), "{route:?}: {}", answer.body);
            assert_no_secrets(&route, &answer);
        }
        if needs(&route) == Needs::ListScope {
            let path = format!("{}?list=sessions&text=a&caret=1", route.path);
            let listed = ServedRoute { path, ..route.clone() };
            let answer = as_user(&without(&["sessions:read"]), &listed, "unknown").await;
            assert_eq!(answer.status, 403, "{listed:?}: {}", answer.body);
            assert!(answer.body.contains("sessions:read"), "{}", answer.body);
        }
        // Not with the id of the run, which some of the routes would delete.
        let allowed = as_user(&without(&[]), &route, "unknown").await;
        assert!(!matches!(allowed.status, 401 | 403), "{route:?}: {} {}", allowed.status, allowed.body);
        let to = allowed.headers.get("location").map(|to| to.to_str().unwrap().to_owned()).unwrap_or_default();
        assert!(!to.starts_with("/sign-in") || ENDS_SESSION.contains(&&*route.path), "{route:?} redirects to {to}");
    }
}

#[tokio::test]
async fn other_methods_are_not_served() {
    let fixture = Fixture::new().await;
    let mut browser = fixture.sign_in(DEMO).await;
    let routes = all_routes();
    let paths: BTreeSet<&str> = routes.iter().map(|route| route.path.as_str()).collect();
    for path in paths {
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            if routes.iter().any(|route| route.path == path && route.method == method) {
                continue;
            }
            let route = ServedRoute { method, path: path.to_owned(), is_upload: false };
            let answer = fixture.send(&mut browser, &route, &fixture.path(&route), &fixture.run_id).await;
            assert!(matches!(answer.status, 404 | 405), "{route:?}: {} {}", answer.status, answer.body);
            assert_no_secrets(&route, &answer);
        }
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_before_it_is_read() {
    let fixture = Fixture::new().await;
    let signed_in = fixture.sign_in(DEMO).await;
    fixture.save_sign_ins().await;
    let session = &signed_in.cookies["runlens_session"];
    let mut refused = 0;
    for route in all_routes().iter().filter(|route| route.method != Method::GET && !route.is_upload) {
        fixture.restore_sign_ins().await;
        // Nothing of the announced body follows.
        let head = format!(
            "{} {} HTTP/1.1\r\nHost: {}\r\nCookie: runlens_session={session}\r\nContent-Length: {TOO_LARGE}\r\n\
             Content-Type: application/json\r\nConnection: close\r\n\r\n",
            route.method,
            route.path.replace("{id}", "unknown"),
            fixture.app.running.addr,
        );
        let mut stream = TcpStream::connect(fixture.app.running.addr).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        let read = tokio::time::timeout(Duration::from_secs(60), stream.read_exact(&mut answer)).await;
        read.expect("an answer").unwrap();
        assert_eq!(&answer, b"HTTP/1.1 413", "{route:?}: {}", String::from_utf8_lossy(&answer));
        refused += 1;
    }
    assert!(refused > 20, "{refused}");
}
