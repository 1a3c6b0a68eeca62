//! Templates and drafts: whose they are, who sees them, and that they stay.

use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, OTHER, TestApp};

fn content() -> (String, String) {
    let headers = json!({ "Authorization": "Bearer s3cret" });
    let tool = json!({ "kind": "mcp", "name": "m", "url": "https://m.example.com/mcp", "headers": headers });
    let spec = json!({ "systemPrompt": "You help.", "prompt": "p", "later": { "kept": [1, null] }, "tools": [tool] });
    let server = json!({ "over": "http", "url": "https://m.example.com", "headers": headers });
    (spec.to_string(), json!({ "t": { "by": "mcp", "server": server } }).to_string())
}

async fn save(browser: &mut Browser, id: &str, name: &str, shared: bool) -> (u16, Value) {
    let (spec, answers) = content();
    let shared = shared.to_string();
    let form =
        [("id", id), ("name", name), ("notes", "why"), ("shared", &shared), ("spec", &spec), ("answers", &answers)];
    browser.call("save-template", &form).await
}

/// Templates that are not built in, by name.
async fn own(browser: &mut Browser) -> Vec<Value> {
    let (status, all) = browser.read("templates").await;
    assert_eq!(status, 200, "{all}");
    all.as_array().unwrap().iter().filter(|template| template["owner"]["kind"] != "built_in").cloned().collect()
}

#[tokio::test]
async fn a_template_is_kept_changed_shared_and_deleted() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (status, id) = save(&mut browser, "", "Mine", false).await;
    assert_eq!(status, 200, "{id}");
    let id = id.as_str().unwrap().to_owned();
    let kept = own(&mut browser).await;
    assert_eq!(kept[0]["content"]["spec"], serde_json::from_str::<Value>(&content().0).unwrap());
    assert_eq!(kept[0]["owner"], json!({ "kind": "me" }));
    // Shared, it goes without the values of headers.
    assert_eq!(save(&mut browser, &id, "Ours", true).await, (200, json!(id)));
    let kept = own(&mut browser).await;
    assert_eq!((kept.len(), &kept[0]["name"]), (1, &json!("Ours")));
    assert!(!kept[0].to_string().contains("s3cret"), "{}", kept[0]);
    assert_eq!(browser.call("delete-template", &[("id", &id)]).await.0, 200);
    assert!(own(&mut browser).await.is_empty());
    assert_eq!(browser.call("delete-template", &[("id", &id)]).await.0, 404);
    assert_eq!(save(&mut browser, "", " ", false).await.0, 400);
}

#[tokio::test]
async fn a_private_template_and_its_secrets_are_the_owners_alone() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (_, id) = save(&mut browser, "", "Mine", false).await;
    let pool = app.database.connect().await;
    let kept: Vec<Vec<u8>> = sqlx::query_scalar("SELECT content FROM launch_template").fetch_all(&pool).await.unwrap();
    assert!(kept.len() == 1 && !kept[0].windows(6).any(|part| part == b"s3cret"));
    // A colleague of the same workspace.
    sqlx::query("UPDATE launch_template SET subject = 'somebody else'").execute(&pool).await.unwrap();
    assert!(own(&mut browser).await.is_empty());
    assert_eq!(save(&mut browser, id.as_str().unwrap(), "Stolen", false).await.0, 403);
    assert_eq!(browser.call("delete-template", &[("id", id.as_str().unwrap())]).await.0, 404);
    sqlx::query("UPDATE launch_template SET shared = 1").execute(&pool).await.unwrap();
    assert_eq!(own(&mut browser).await[0]["owner"], json!({ "kind": "colleague", "email": "owner@demo.test" }));
    // Another workspace sees nothing of either.
    assert!(own(&mut app.signed_in(OTHER).await).await.is_empty());
}

#[tokio::test]
async fn the_templates_that_teach_can_all_be_launched() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (_, all) = browser.read("templates").await;
    let all = all.as_array().unwrap();
    assert_eq!(all.len(), 6);
    for template in all {
        let (spec, answers) = (template["content"]["spec"].to_string(), template["content"]["answers"].to_string());
        let key = template["id"].as_str().unwrap();
        let (status, launched) = browser.call("launch", &[("key", key), ("spec", &spec), ("answers", &answers)]).await;
        assert_eq!(status, 200, "{key}: {launched}");
        let id = launched["runId"].as_str().unwrap();
        let expected = match key {
            "built-in-tool-fails" => "The order system did not answer for A-1001.",
            "built-in-loop" => "loop_detected",
            "built-in-truncated-schema" => "truncation",
            "built-in-mcp-server" => "It left Hamburg",
            "built-in-answer-yourself" => {
                browser.call("cancel-run", &[("id", id)]).await;
                continue;
            }
            _ => "\"success\"",
        };
        let log = app.sandbox_stream(DEMO, id).await;
        assert!(log.contains(expected), "{key}: {log}");
    }
}

#[tokio::test]
async fn a_draft_outlives_a_sign_out_and_is_nobody_elses() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    assert_eq!(browser.read("draft").await, (200, Value::Null));
    assert_eq!(browser.call("save-draft", &[("text", "{\"half\": \"written")]).await.0, 200);
    let sign_out = browser.url("/auth/sign-out");
    browser.request(reqwest::Method::POST, sign_out, &[]).await;
    assert_eq!(browser.read("draft").await.0, 401);
    let mut again = app.signed_in(DEMO).await;
    assert_eq!(again.read("draft").await.1["text"], "{\"half\": \"written");
    assert_eq!(app.signed_in(OTHER).await.read("draft").await, (200, Value::Null));
    let large = "x".repeat(10 * 1024 * 1024 + 1);
    let (status, error) = again.call("save-draft", &[("text", &large)]).await;
    assert_eq!(status, 400, "{error}");
    assert_eq!(again.call("save-draft", &[]).await.0, 200);
    assert_eq!(again.read("draft").await, (200, Value::Null));
}
