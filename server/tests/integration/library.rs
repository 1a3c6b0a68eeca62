//! Templates and drafts: saving, sharing and privacy.

use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, LaunchPage, OTHER, TemplateLink, TestApp};

fn spec() -> Value {
    let headers = json!({ "Authorization": "Bearer s3cret" });
    let tools = json!([
        { "kind": "mcp", "name": "m", "url": "https://m.example.com/mcp", "headers": headers },
        { "kind": "local", "name": "t" },
    ]);
    json!({ "systemPrompt": "You help.", "prompt": "p", "later": { "kept": [1, null] }, "tools": tools })
}

/// Fills in the form and saves it as a template with the given button.
async fn save(browser: &mut Browser, button: &str, name: &str, shared: bool) -> LaunchPage {
    let server =
        json!({ "over": "http", "url": "https://m.example.com", "headers": { "Authorization": "Bearer s3cret" } });
    let page = browser.answered_launch_form(&spec(), &json!({ "t": { "by": "mcp", "server": server } })).await;
    let shared = if shared { "true" } else { "" };
    let fields = [("template.name", name), ("template.notes", "why"), ("template.shared", shared), ("action", button)];
    browser.change_launch_form(&page, &fields).await
}

/// Templates that are not built in.
async fn own(browser: &mut Browser) -> Vec<TemplateLink> {
    let page = browser.launch_page("").await;
    page.templates().into_iter().filter(|template| !template.owner.is_empty()).collect()
}

fn id_of(template: &TemplateLink) -> &str {
    template.href.strip_prefix("/launch?template=").unwrap()
}

/// Returns the spec and the page of a template.
async fn open(browser: &mut Browser, id: &str) -> (Value, LaunchPage) {
    let page = browser.launch_page(&format!("?template={id}")).await;
    (serde_json::from_str(&page.json).unwrap(), page)
}

/// Deletes a template and returns the status.
async fn delete(browser: &mut Browser, id: &str) -> u16 {
    let page = browser.launch_page("").await;
    let action = format!("confirm-delete:{id}");
    let fields = [("draft", page.draft.as_str()), ("action", action.as_str())];
    browser.send_parts("/launch", &fields, &[], "application/json").await.status
}

#[tokio::test]
async fn a_template_is_saved_changed_shared_and_deleted() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    save(&mut browser, "save-template", "Mine", false).await;
    let saved = own(&mut browser).await;
    let id = id_of(&saved[0]).to_owned();
    assert_eq!((saved[0].owner.as_str(), saved[0].notes.as_str()), ("yours", "why"));
    let (saved_spec, page) = open(&mut browser, &id).await;
    assert_eq!(saved_spec, spec());
    assert_eq!(
        page.draft.matches("Bearer s3cret").count(),
        4,
        "the spec and its answers, and what they are compared with"
    );

    // Shared, it is saved without header values.
    save(&mut browser, &format!("update-template:{id}"), "Ours", true).await;
    let saved = own(&mut browser).await;
    assert_eq!((saved.len(), saved[0].name.as_str(), id_of(&saved[0])), (1, "Ours", id.as_str()));
    let (_, page) = open(&mut browser, &id).await;
    assert!(!page.html.contains("s3cret"), "{}", page.json);

    assert_eq!(delete(&mut browser, &id).await, 200);
    assert!(own(&mut browser).await.is_empty());
    assert_eq!(delete(&mut browser, &id).await, 404);
    let unnamed = save(&mut browser, "save-template", " ", false).await;
    assert_eq!(unnamed.problems[0].href, "#template-name");
    assert!(own(&mut browser).await.is_empty());
}

#[tokio::test]
async fn only_its_owner_sees_a_private_template_and_its_secrets() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    save(&mut browser, "save-template", "Mine", false).await;
    let id = id_of(&own(&mut browser).await[0]).to_owned();
    let pool = app.database.connect().await;
    let stored: Vec<Vec<u8>> =
        sqlx::query_scalar("SELECT content FROM launch_template").fetch_all(&pool).await.unwrap();
    assert!(stored.len() == 1 && !stored[0].windows(6).any(|part| part == b"s3cret"));
    // A colleague of the same workspace.
    sqlx::query("UPDATE launch_template SET subject = 'another user'").execute(&pool).await.unwrap();
    assert!(own(&mut browser).await.is_empty());
    assert_eq!(browser.read(&format!("launch-page?entry[template]={id}")).await.0, 404);
    let stolen = save(&mut browser, &format!("update-template:{id}"), "Stolen", false).await;
    assert!(stolen.general_error().unwrap().contains("a colleague"));
    assert_eq!(delete(&mut browser, &id).await, 404);
    sqlx::query("UPDATE launch_template SET shared = 1").execute(&pool).await.unwrap();
    assert_eq!(own(&mut browser).await[0].owner, "of owner@demo.test");
    // Another workspace sees nothing of either.
    assert!(own(&mut app.signed_in(OTHER).await).await.is_empty());
}

#[tokio::test]
async fn every_built_in_template_can_be_launched() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let templates = browser.launch_page("").await.templates();
    assert_eq!(templates.len(), 6);
    for template in &templates {
        let name = id_of(template);
        let (_, page) = open(&mut browser, name).await;
        let id = browser.launch_page_as_is(&page).await;
        let expected = match name {
            "built-in-tool-fails" => "The order system did not answer for A-1001.",
            "built-in-loop" => "loop_detected",
            "built-in-truncated-schema" => "truncation",
            "built-in-mcp-server" => "It left Hamburg",
            "built-in-answer-yourself" => {
                browser.call("cancel-run", &[("id", &id)]).await;
                continue;
            }
            _ => "\"success\"",
        };
        let log = app.sandbox_stream(DEMO, &id).await;
        assert!(log.contains(expected), "{name}: {log}");
    }
}

#[tokio::test]
async fn a_draft_outlives_a_sign_out_and_only_its_writer_sees_it() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = browser.launch_page("").await;
    browser.change_launch_form(&page, &[("json", "{\"half\": \"written")]).await;
    let sign_out = browser.url("/auth/sign-out");
    browser.request(reqwest::Method::POST, sign_out, &[]).await;
    assert_eq!(browser.read("launch-page").await.0, 401);
    let mut again = app.signed_in(DEMO).await;
    let page = again.launch_page("").await;
    assert_eq!(page.json, "{\"half\": \"written");
    assert!(!app.signed_in(OTHER).await.launch_page("").await.json.contains("half"));

    let large = "x".repeat(10 * 1024 * 1024 + 1);
    let sent = again.change_launch_form(&page, &[("field:/prompt", &large)]).await;
    assert!(sent.draft_status.starts_with("The draft is not saved."), "{}", sent.draft_status);
    assert_eq!(again.launch_page("").await.json, "{\"half\": \"written");
    again.change_launch_form(&page, &[("action", "reset")]).await;
    assert!(!again.launch_page("").await.json.contains("half"));
}

#[tokio::test]
async fn a_template_gets_its_id_here() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = save(&mut browser, "update-template:an-id-of-my-own", "Mine", false).await;
    assert!(page.html.contains("or was deleted"), "{page:?}");
    assert!(own(&mut browser).await.is_empty());
}
