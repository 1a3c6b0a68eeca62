//! The settings page: what each signed-in user sees and may change.

use reqwest::Method;
use reqwest::header::REFERER;
use runlens::config::{Admins, Retention};

use crate::harness::{Answer, Browser, DEMO, OTHER, TestApp};

/// Sends a plain form of the settings page.
async fn send_form(app: &TestApp, browser: &mut Browser, path: &str, form: &[(&str, &str)]) -> Answer {
    let url = app.url(path);
    let request = app.http.post(url.clone()).form(form).header("origin", url.origin().ascii_serialization());
    let request = request.header("accept", "text/html").header(REFERER, app.url("/settings").as_str());
    browser.send(request, url).await
}

/// Opens the page as a browser does, so that it shows the notice of a form.
async fn settings(browser: &mut Browser) -> String {
    let url = browser.url("/settings");
    let request = crate::harness::http_client().get(url.clone()).header("accept", "text/html");
    let page = browser.send(request, url).await;
    assert_eq!(page.status, 200, "{}", page.body);
    page.body
}

/// The rows of the table of sessions.
fn sessions(page: &str) -> usize {
    let table = page.split("aria-label=\"Your sessions\"").nth(1).unwrap().split("</table>").next().unwrap();
    table.matches("<tr").count() - 1
}

#[tokio::test]
async fn the_page_shows_the_connection_the_sync_and_how_the_server_is_configured() {
    let app = TestApp::start_with(|config| {
        config.outbound_allow = "tools.internal:8443, other=secret.internal".parse().unwrap();
        config.retention = Retention {
            max_age_ms: Some(30 * 86_400_000),
            workspace_max_bytes: vec![("other".to_owned(), 7_000_000)],
            ..Retention::default()
        };
        config.metrics_token = Some("a-token-for-metrics".to_owned());
    })
    .await;
    let page = settings(&mut app.signed_in(DEMO).await).await;
    for shown in
        ["owner@demo.test", "runs:write", "Pause sync", "30 days", "tools.internal:8443", "Audit log", "127.0.0.1"]
    {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let engine = if app.database.url.starts_with("postgres") { "PostgreSQL" } else { "SQLite" };
    assert!(page.contains(engine) && page.contains(env!("CARGO_PKG_VERSION")), "{page}");
    for hidden in ["secret.internal", "7 MB", "a-token-for-metrics", "a key for tests", app.database.url.as_str()] {
        assert!(!page.contains(hidden), "{hidden}: {page}");
    }
}

#[tokio::test]
async fn a_missing_scope_is_named_with_what_does_not_work_without_it() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    let consent = browser.open_consent_page("/settings").await;
    let callback = browser.approve_only(&consent, DEMO, &["sessions:read"]).await;
    browser.follow(callback).await;
    let page = settings(&mut browser).await;
    assert!(page.contains("Runs cannot be listed") && page.contains("Sign in again"), "{page}");
    // Neither the sync nor the audit log of runs is shown.
    assert!(!page.contains("Pause sync") && !page.contains("aria-label=\"Entries of the audit log\""), "{page}");
}

#[tokio::test]
async fn only_administrators_pause_the_sync_and_read_the_audit_log() {
    let app = TestApp::start_with(|config| config.admins = Admins::new("owner@other.test")).await;
    let page = settings(&mut app.signed_in(DEMO).await).await;
    assert!(!page.contains("Pause sync") && page.contains("administrator"), "{page}");
    assert!(!page.contains("aria-label=\"Entries of the audit log\""), "{page}");
    let mut admin = app.signed_in(OTHER).await;
    assert!(settings(&mut admin).await.contains("Pause sync"));
    assert_eq!(admin.call("pause-sync", &[("paused", "true")]).await.0, 200);
    let page = settings(&mut admin).await;
    assert!(page.contains("Resume sync") && page.contains("<td>Pause sync"), "{page}");
}

#[tokio::test]
async fn the_audit_log_is_read_page_by_page() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    for number in 0..30 {
        let paused = if number % 2 == 0 { "true" } else { "false" };
        assert_eq!(browser.call("pause-sync", &[("paused", paused)]).await.0, 200);
    }
    let page = settings(&mut browser).await;
    assert!(!page.contains("Newest entries") && !page.contains("<td>Sign in"), "{page}");
    let older = page.split('"').find(|part| part.starts_with("/settings?audit=")).unwrap();
    let page = browser.open(older.split('#').next().unwrap()).await.body;
    assert!(page.contains("Newest entries") && page.contains("<td>Sign in"), "{page}");
    assert!(!page.contains("Older entries"), "{page}");
    // A place that is not known is the first page.
    assert_eq!(browser.open("/settings?audit=nowhere").await.status, 200);
}

#[tokio::test]
async fn other_sessions_are_signed_out_and_then_all() {
    let app = TestApp::start().await;
    let (mut here, mut there) = (app.signed_in(DEMO).await, app.signed_in(DEMO).await);
    let mut other = app.signed_in(OTHER).await;
    assert_eq!(sessions(&settings(&mut here).await), 2);
    assert_eq!(sessions(&settings(&mut other).await), 1);
    let answer = send_form(&app, &mut here, "/auth/sign-out-others", &[]).await;
    assert_eq!((answer.status, &answer.headers["location"]), (303, &"/settings#sessions".parse().unwrap()));
    let page = settings(&mut here).await;
    assert!(page.contains("One other session was signed out."), "{page}");
    assert_eq!(sessions(&page), 1);
    // A confirmation, also without scripts.
    let (before, _) = page.split_once("action=\"/auth/sign-out-everywhere\"").unwrap();
    let (_, confirmation) = before.rsplit_once("<details").unwrap();
    assert!(!confirmation.contains("</details>") && confirmation.contains("Sign out everywhere</summary>"), "{page}");
    assert_eq!(there.open("/settings").await.url.path(), "/sign-in");
    there.sign_in("/settings", DEMO).await;
    let answer = send_form(&app, &mut here, "/auth/sign-out-everywhere", &[]).await;
    assert_eq!((answer.status, &answer.headers["location"]), (303, &"/sign-in".parse().unwrap()));
    for browser in [&mut here, &mut there] {
        assert_eq!(browser.open("/settings").await.url.path(), "/sign-in");
    }
    // People of other workspaces stay signed in.
    assert_eq!(sessions(&settings(&mut other).await), 1);
}

#[tokio::test]
async fn a_time_zone_is_applied_and_an_unknown_one_is_refused_with_a_reason() {
    let app = TestApp::start().await;
    app.finished_run(DEMO, "/say hello", serde_json::json!({})).await;
    let mut browser = app.signed_in(DEMO).await;
    assert!(browser.open("/runs").await.body.contains(" UTC\""));
    let form = [("zone", "asia/kathmandu"), ("return_to", "/settings#display")];
    let answer = send_form(&app, &mut browser, "/preferences", &form).await;
    assert_eq!((answer.status, &answer.headers["location"]), (303, &"/settings#display".parse().unwrap()));
    assert!(settings(&mut browser).await.contains("value=\"Asia/Kathmandu\""));
    let list = browser.open("/runs").await.body;
    // Times on hover, the chart, and the zone for the client.
    assert!(list.contains(" +05:45\"") && !list.contains(" UTC\""), "{list}");
    assert!(list.contains(" Asia/Kathmandu\"") && list.contains("data-zone=\"Asia/Kathmandu\""), "{list}");
    let answer = send_form(&app, &mut browser, "/preferences", &[("zone", "Mars/<b>Base")]).await;
    assert_eq!((answer.status, &answer.headers["location"]), (303, &"/settings".parse().unwrap()));
    let page = settings(&mut browser).await;
    assert!(page.contains("is not a known time zone") && !page.contains("<b>Base"), "{page}");
    assert!(page.contains("value=\"Asia/Kathmandu\""), "the choice before is kept");
    // Without a sign-in nothing is stored, and the reason is on the page.
    let mut stranger = app.browser();
    let answer = send_form(&app, &mut stranger, "/preferences", &[("zone", "Mars")]).await;
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("is not a known time zone") && stranger.cookies.is_empty());
    // A cookie with an unknown zone is UTC.
    browser.cookies.insert("runlens_zone".to_owned(), "Mars".to_owned());
    assert!(browser.open("/runs").await.body.contains(" UTC\""));
    assert_eq!(browser.request(Method::GET, app.url("/settings"), &[]).await.status, 200);
}
