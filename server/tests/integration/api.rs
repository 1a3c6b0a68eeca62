//! The JSON API with a session and with a bearer token.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::harness::{DEMO, OTHER, TestApp, api_key};

async fn json(request: RequestBuilder) -> (u16, Value) {
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test]
async fn a_list_has_a_filter_a_limit_and_a_cursor() {
    let app = TestApp::start().await;
    let mut ids = Vec::new();
    for i in 0..5 {
        let env = if i % 2 == 0 { "prod" } else { "dev" };
        ids.push(app.finished_run(DEMO, &format!("/say {i}"), json!({ "metadata": { "env": env } })).await);
    }
    app.finished_run(OTHER, "/say other", json!({})).await;
    let get = |query: &str| json_get(&app, &format!("/api/runs?{query}"));
    let (status, first) = json(get("q=env:prod&limit=2")).await;
    assert_eq!(status, 200);
    let listed = |page: &Value| -> Vec<String> {
        page["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed(&first), [ids[4].clone(), ids[2].clone()]);
    let cursor = first["nextCursor"].as_str().unwrap();
    let (_, second) = json(get(&format!("q=env:prod&limit=2&cursor={cursor}"))).await;
    assert_eq!((listed(&second), &second["nextCursor"]), (vec![ids[0].clone()], &Value::Null));
    let (_, all) = json(get("")).await;
    assert_eq!(listed(&all).len(), 5);
}

fn json_get(app: &TestApp, path: &str) -> RequestBuilder {
    app.http.get(app.url(path)).bearer_auth(api_key(DEMO))
}

#[tokio::test]
async fn a_run_has_its_answer_and_banners() {
    let app = TestApp::start().await;
    let id = app.finished_run(DEMO, "/say cut here\n/truncate", json!({ "metadata": { "env": "prod" } })).await;
    let (status, run) = json(json_get(&app, &format!("/api/runs/{id}"))).await;
    assert_eq!(status, 200, "{run}");
    assert_eq!((&run["status"], &run["banners"][0]["kind"]), (&json!("failed"), &json!("truncated")));
    assert!(run["answer"].as_str().unwrap().starts_with("cut here"));
    assert_eq!(run["metadata"]["env"], "prod");
}

#[tokio::test]
async fn the_session_cookie_is_accepted() {
    let app = TestApp::start().await;
    let id = app.finished_run(DEMO, "/say hi", json!({})).await;
    let mut browser = app.signed_in(DEMO).await;
    let answer = browser.open(&format!("/api/runs/{id}")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "application/json");
}

#[tokio::test]
async fn bad_credentials_and_bad_input_have_different_errors() {
    let app = TestApp::start().await;
    let (status, body) = json(app.http.get(app.url("/api/runs"))).await;
    assert_eq!((status, &body["error"]), (401, &json!("signed_out")));
    let (status, _) = json(app.http.get(app.url("/api/runs")).bearer_auth("mantyx_wrong")).await;
    assert_eq!(status, 401);
    for query in ["q=status:lost", "limit=0", "limit=201", "limit=many", "cursor=x"] {
        let (status, body) = json(json_get(&app, &format!("/api/runs?{query}"))).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid")), "{query}: {body}");
        assert!(body["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
    let (status, body) = json(json_get(&app, "/api/runs/run_unknown")).await;
    assert_eq!((status, &body["error"]), (404, &json!("not_found")));
    for path in ["/api/runs/%ff", "/api/runs/%ff/timeline", "/api/sessions/%ff"] {
        let (status, body) = json(json_get(&app, path)).await;
        assert_eq!((status, &body["error"], &body["field"]), (400, &json!("invalid"), &json!("id")), "{path}: {body}");
    }
}

#[tokio::test]
async fn a_wrong_method_is_refused_in_json() {
    let app = TestApp::start().await;
    for path in ["/api/runs", "/api/import", "/api/import/batch", "/api/views/x"] {
        let request = app.http.request(reqwest::Method::TRACE, app.url(path)).bearer_auth(api_key(DEMO));
        let (status, body) = json(request).await;
        assert_eq!((status, &body["error"]), (405, &json!("method_not_allowed")), "{path}: {body}");
    }
}
