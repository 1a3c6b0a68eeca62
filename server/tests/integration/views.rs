//! Saved views and sessions in the JSON API, and its OpenAPI document.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, OTHER, TestApp, api_key};
use crate::scopes::signed_in_with;

/// Calls the API with the browser's session.
async fn call(app: &TestApp, browser: &mut Browser, method: Method, path: &str, body: Value) -> (u16, Value) {
    let url = app.url(path);
    let mut request =
        app.http.request(method.clone(), url.clone()).header("origin", url.origin().ascii_serialization());
    if method != Method::GET && method != Method::DELETE {
        request = request.json(&body);
    }
    let answer = browser.send(request, url).await;
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_default())
}

fn names(views: &Value) -> Vec<&str> {
    views.as_array().unwrap().iter().map(|view| view["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_rejected_plain_form_redirects_back_and_shows_the_reason_once() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let url = app.url("/rpc/create-view");
    let mut send = async |form: &[(&str, &str)], from: &str| {
        let request = app.http.post(url.clone()).form(form).header("origin", url.origin().ascii_serialization());
        let request = request.header("accept", "text/html,*/*").header("referer", app.url(from).as_str());
        let answer = browser.send(request, url.clone()).await;
        let to = answer.headers["location"].to_str().unwrap().to_owned();
        let back = url.join(&to).unwrap();
        let page = app.http.get(back.clone()).header("accept", "text/html");
        (answer.status, to, browser.send(page, back).await.body)
    };
    let (status, to, page) =
        send(&[("list", "runs"), ("name", "Kept as written"), ("query", "status:lost")], "/runs?q=env:prod").await;
    assert_eq!((status, to.as_str()), (303, "/runs?q=env:prod"));
    assert!(page.contains("Unknown status `lost`") && page.contains("Kept as written"), "{page}");
    // A form that can't be parsed.
    let (status, to, page) = send(&[("list", "nowhere")], "/runs").await;
    assert_eq!((status, to.as_str()), (303, "/runs"));
    assert!(page.contains("role=\"alert\""), "{page}");
    let (status, to, page) = send(&[("list", "runs"), ("name", "Fine"), ("query", "")], "/runs?q=").await;
    assert!((300..400).contains(&status) && to.ends_with("/runs?q="), "{to}");
    assert!(page.contains("Fine") && !page.contains("class=\"refused\""), "the error is shown once");
    let elsewhere = send(&[("list", "runs"), ("name", "Fine"), ("query", "")], "/runs?q=").await.2;
    assert!(elsewhere.contains("You already have a view “Fine”"), "{elsewhere}");
}

#[tokio::test]
async fn only_its_owner_can_save_rename_share_and_delete_a_view() {
    let app = TestApp::start().await;
    let mut owner = app.signed_in(DEMO).await;
    let built_in = ["All", "Failed", "Truncated", "Looping", "Running", "Mine"];
    let (_, views) = call(&app, &mut owner, Method::GET, "/api/views", Value::Null).await;
    assert_eq!(names(&views), built_in);
    assert_eq!(views[0]["default"], true);

    let new = json!({ "name": " Acme ", "query": "customer:acme  is:failed" });
    let (status, view) = call(&app, &mut owner, Method::POST, "/api/views", new).await;
    assert_eq!((status, &view["name"], &view["scope"]), (201, &json!("Acme"), &json!("private")), "{view}");
    assert_eq!(view["query"], "customer:acme is:failed");
    let path = format!("/api/views/{}", view["id"].as_str().unwrap());
    let (status, renamed) =
        call(&app, &mut owner, Method::PATCH, &path, json!({ "name": "Acme now", "shared": true })).await;
    assert_eq!((status, &renamed["scope"], &renamed["query"]), (200, &json!("shared"), &view["query"]));
    let (status, _) = call(&app, &mut owner, Method::PUT, "/api/default-view", json!({ "id": view["id"] })).await;
    assert_eq!(status, 204);
    let (_, views) = call(&app, &mut owner, Method::GET, "/api/views", Value::Null).await;
    assert_eq!((views[6]["default"].clone(), views[0]["default"].clone()), (json!(true), json!(false)));

    // An API key of the workspace can read shared views and change nothing. Another workspace sees none of them.
    let with_key = |method: Method, path: &str| app.http.request(method, app.url(path)).bearer_auth(api_key(DEMO));
    let shared: Value = with_key(Method::GET, "/api/views").send().await.unwrap().json().await.unwrap();
    assert_eq!(names(&shared).last(), Some(&"Acme now"));
    assert_eq!(with_key(Method::DELETE, &path).send().await.unwrap().status(), 403);
    let mut other = app.signed_in(OTHER).await;
    let (_, views) = call(&app, &mut other, Method::GET, "/api/views", Value::Null).await;
    assert_eq!(names(&views), built_in);
    assert_eq!(call(&app, &mut other, Method::DELETE, &path, Value::Null).await.0, 404);
    assert_eq!(call(&app, &mut other, Method::PATCH, &path, json!({ "name": "mine" })).await.0, 404);

    // The same person without the scope of the list.
    let mut limited = signed_in_with(&app, &["sessions:read"]).await;
    assert_eq!(call(&app, &mut limited, Method::DELETE, &path, Value::Null).await.0, 403);

    assert_eq!(call(&app, &mut owner, Method::DELETE, &path, Value::Null).await.0, 204);
    let (_, views) = call(&app, &mut owner, Method::GET, "/api/views", Value::Null).await;
    assert_eq!((names(&views), &views[0]["default"]), (built_in.to_vec(), &json!(true)));
}

#[tokio::test]
async fn an_invalid_view_is_rejected_with_the_reason() {
    let app = TestApp::start().await;
    let mut owner = app.signed_in(DEMO).await;
    for (body, field) in [
        (json!({ "name": "", "query": "" }), "name"),
        (json!({ "name": "x".repeat(81), "query": "" }), "name"),
        (json!({ "name": "nul \u{0} in it", "query": "" }), "name"),
        (json!({ "name": "red \u{1b}[31m", "query": "" }), "name"),
        (json!({ "name": "x", "query": "status:lost" }), "query"),
        (json!({ "name": 3 }), "body"),
    ] {
        let (status, answer) = call(&app, &mut owner, Method::POST, "/api/views", body).await;
        assert_eq!((status, &answer["field"]), (400, &json!(field)), "{answer}");
    }
}

#[tokio::test]
async fn sessions_are_listed_filtered_opened_and_paged() {
    let app = TestApp::start().await;
    let base = format!("{}/api/v1/workspaces/{DEMO}/agent-sessions", app.sandbox_url());
    let post = |url: String, body: Value| {
        let request = app.http.post(url).bearer_auth(api_key(DEMO)).json(&body);
        async move { request.send().await.unwrap().json::<Value>().await.unwrap() }
    };
    let mut ids = Vec::new();
    for customer in ["acme", "globex"] {
        let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "name": "desk", "metadata": { "customer": customer } });
        ids.push(post(base.clone(), spec).await["sessionId"].as_str().unwrap().to_owned());
    }
    for i in 0..3 {
        let run = post(format!("{base}/{}/messages", ids[0]), json!({ "prompt": format!("/say answer {i}") })).await;
        app.sandbox_stream(DEMO, run["runId"].as_str().unwrap()).await;
    }
    let get = |path: String| {
        let request = app.http.get(app.url(&path)).bearer_auth(api_key(DEMO));
        async move {
            let answer = request.send().await.unwrap();
            (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
        }
    };
    let listed = |page: &Value| -> Vec<String> {
        page["sessions"].as_array().unwrap().iter().map(|s| s["id"].as_str().unwrap().to_owned()).collect()
    };
    let (_, all) = get("/api/sessions".to_owned()).await;
    assert_eq!(listed(&all), [ids[0].clone(), ids[1].clone()], "{all}");
    for (query, expected) in [
        ("q=customer:globex", vec![&ids[1]]),
        ("q=-customer:globex", vec![&ids[0]]),
        ("q=name:desk+since:1h", vec![&ids[0], &ids[1]]),
        ("q=before:1h", vec![]),
        ("status=ended", vec![]),
        ("q=desk&limit=1", vec![&ids[0]]),
    ] {
        let (status, page) = get(format!("/api/sessions?{query}")).await;
        assert_eq!((status, listed(&page).iter().collect::<Vec<_>>()), (200, expected), "{query}: {page}");
    }
    let (_, first) = get("/api/sessions?limit=1".to_owned()).await;
    let (_, second) = get(format!("/api/sessions?limit=1&cursor={}", first["nextCursor"].as_str().unwrap())).await;
    assert_eq!(listed(&second), [ids[1].clone()]);
    let (status, refused) = get("/api/sessions?q=tool:recall".to_owned()).await;
    assert_eq!((status, &refused["field"]), (400, &json!("q")), "{refused}");

    get("/api/runs".to_owned()).await;
    let (_, detail) = get(format!("/api/sessions/{}", ids[0])).await;
    assert_eq!((&detail["totals"]["runs"], &detail["session"]["metadata"]["customer"]), (&json!(3), &json!("acme")));
    let (_, last) = get(format!("/api/sessions/{}/messages?limit=2", ids[0])).await;
    let before = last["nextBeforeSeq"].as_u64().unwrap();
    let (_, earlier) = get(format!("/api/sessions/{}/messages?limit=4&before={before}", ids[0])).await;
    let texts = |page: &Value| page["events"].as_array().unwrap().iter().map(|e| e["text"].clone()).collect::<Vec<_>>();
    assert_eq!(texts(&last).last(), Some(&json!("answer 2")));
    assert_eq!((texts(&earlier).len(), earlier["nextBeforeSeq"].clone()), (4, Value::Null), "{earlier}");
    for path in ["/api/sessions/ses_unknown", "/api/sessions/ses_unknown/messages"] {
        assert_eq!(get(path.to_owned()).await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn every_path_of_the_openapi_document_exists_and_needs_a_credential() {
    let app = TestApp::start().await;
    let document: Value = app.http.get(app.url("/api/openapi.json")).send().await.unwrap().json().await.unwrap();
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() >= 10);
    for (path, methods) in paths {
        for method in methods.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let request = app.http.request(method.clone(), app.url(&path.replace("{id}", "x"))).json(&json!({}));
            let answer = request.send().await.unwrap();
            let status = answer.status().as_u16();
            assert_eq!(status, 401, "{method} {path}");
            let body: Value = answer.json().await.unwrap();
            assert_eq!(body["error"], "signed_out", "{method} {path}");
        }
    }
    let run = &paths["/api/runs"]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(run["properties"]["runs"]["items"]["properties"]["costMicros"]["type"][0], "integer");
}

#[tokio::test]
async fn metrics_need_the_token_also_on_this_machine() {
    let app = TestApp::start_with(|config| config.metrics_token = Some("operator".to_owned())).await;
    app.finished_run(DEMO, "/say hi", json!({})).await;
    app.signed_in(DEMO).await;
    let get = |headers: &[(&'static str, &str)]| {
        let request = headers
            .iter()
            .fold(app.http.get(app.url("/metrics")), |request, (name, value)| request.header(*name, *value));
        async move {
            let answer = request.send().await.unwrap();
            (answer.status().as_u16(), answer.text().await.unwrap())
        }
    };
    let (status, text) = get(&[("authorization", "Bearer operator")]).await;
    assert_eq!(status, 200);
    for expected in [
        "runlens_http_request_duration_seconds_bucket{route=\"/runs\",status=\"200\"",
        "runlens_store_runs{workspace=\"demo\"} 1\n",
        "runlens_sync_lag_seconds{workspace=\"demo\"}",
        "runlens_store_bytes ",
        "runlens_live_streams 0\n",
    ] {
        assert!(text.contains(expected), "{expected} is missing in {text}");
    }
    assert_eq!(get(&[]).await.0, 401);
    assert_eq!(get(&[("authorization", "Bearer wrong")]).await.0, 401);
    let without_token = TestApp::start().await;
    let answer = without_token.http.get(without_token.url("/metrics")).send().await.unwrap();
    assert_eq!(answer.status(), 404);
}

#[tokio::test]
async fn the_api_has_a_documentation_page() {
    let app = TestApp::start().await;
    let page = app.http.get(app.url("/api/docs")).send().await.unwrap().text().await.unwrap();
    for expected in ["GET /api/runs<", "PATCH /api/views/{id}<", "nextCursor: string"] {
        assert!(page.contains(expected), "{expected} is missing");
    }
}
