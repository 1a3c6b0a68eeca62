//! The workspaces that may use a server, and what is reserved for one of them.

use runlens::config::Workspaces;
use serde_json::json;

use crate::harness::{DEMO, OTHER, TestApp, api_key};

#[tokio::test]
async fn only_listed_workspaces_may_sign_in() {
    let app = TestApp::start_with(|config| config.workspaces = Workspaces::new("demo", [])).await;
    app.signed_in(DEMO).await;
    let mut stranger = app.browser();
    let refused = stranger.sign_in("/runs", OTHER).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert!(refused.body.contains("not open to the workspace other"), "{}", refused.body);
    assert_eq!(stranger.open("/runs").await.url.path(), "/sign-in");
    let get = async |slug: &str| {
        let request = app.http.get(app.url("/api/runs")).bearer_auth(api_key(slug));
        request.header("x-mantyx-workspace", slug).send().await.unwrap().status().as_u16()
    };
    assert_eq!((get(DEMO).await, get(OTHER).await), (200, 403));
}

#[tokio::test]
async fn a_slug_stays_with_the_workspace_that_had_it_first() {
    let app = TestApp::start_with(|config| config.workspaces = Workspaces::new("demo", [])).await;
    let database = app.database.connect().await;
    sqlx::query("INSERT INTO pinned_workspace (slug, mantyx_id) VALUES ('demo', 'another workspace')")
        .execute(&database)
        .await
        .unwrap();
    let refused = app.browser().sign_in("/runs", DEMO).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert!(refused.body.contains("belonged to another workspace"), "{}", refused.body);
}

#[tokio::test]
async fn a_session_ends_when_its_workspace_is_no_longer_listed() {
    let mut app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(OTHER).await;
    assert_eq!(browser.open("/runs").await.url.path(), "/runs");
    app.restart(|config| config.workspaces = Workspaces::new("demo", [])).await;
    assert_eq!(browser.open("/runs").await.url.path(), "/sign-in");
}

#[tokio::test]
async fn private_hosts_can_be_for_one_workspace() {
    let app = TestApp::start_with(|config| config.outbound_allow = "demo=127.0.0.1".parse().unwrap()).await;
    let tool = json!({ "kind": "mcp", "name": "m", "url": "http://127.0.0.1:1/mcp" });
    let spec = json!({ "systemPrompt": "You help.", "prompt": "p", "tools": [tool] });
    for (workspace, is_allowed) in [(DEMO, true), (OTHER, false)] {
        let mut browser = app.signed_in(workspace).await;
        let page = browser.launch_form_with(&spec).await;
        let page = browser.change_launch_form(&page, &[("action", "discover-tools:/tools/0")]).await;
        let page = &page.html;
        assert_eq!(!page.contains("public addresses"), is_allowed, "{workspace}: {page}");
    }
}
