//! The OpenAPI document and real responses: every response matches its schema, and the schema names all of its fields.

use protocol::schema;
use serde_json::{Value, json};

use crate::harness::{DEMO, TestApp, api_key};

/// Collects fields of a value that its schema does not name. A schema without properties allows any.
fn unnamed(shape: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| unnamed(&shape["items"], item, &format!("{at}/-"), found)),
        Value::Object(fields) => {
            let Some(known) = shape["properties"].as_object().filter(|known| !known.is_empty()) else { return };
            for (name, value) in fields {
                match known.get(name) {
                    Some(shape) => unnamed(shape, value, &format!("{at}/{name}"), found),
                    None => found.push(format!("{at}/{name}")),
                }
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn responses_match_the_document() {
    let app = TestApp::start().await;
    let get = |path: String| {
        let request = app.http.get(app.url(&path)).bearer_auth(api_key(DEMO));
        async move { request.send().await.unwrap() }
    };
    let document: Value = get("/api/openapi.json".to_owned()).await.json().await.unwrap();
    let tools = json!({ "tools": [{ "kind": "mantyx_plugin", "name": "recall" }], "metadata": { "customer": "acme" } });
    let looped =
        app.finished_run(DEMO, "/think Hm.\n/repeat 4\n/call recall {\"query\":\"x\"}\n/say Done.", tools).await;
    let failed = app.finished_run(DEMO, "/say cut\n/truncate", json!({ "metadata": { "customer": "acme" } })).await;
    let declined = app.finished_run(DEMO, "/refuse", json!({})).await;
    let url = format!("{}/api/v1/workspaces/{DEMO}/agent-sessions", app.sandbox_url());
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "metadata": { "customer": "acme" } });
    let session: Value =
        app.http.post(url).bearer_auth(api_key(DEMO)).json(&spec).send().await.unwrap().json().await.unwrap();
    let session = session["sessionId"].as_str().unwrap();
    let at = |seq: u64, kind: &str, data: Value| json!({ "seq": seq, "type": kind, "data": data, "at": 1_790_000_000_000_u64 + seq });
    let call = json!({ "id": "a", "name": "look", "input": {} });
    let usage = json!({ "input_tokens": 900, "output_tokens": 60 });
    let log = [
        at(1, "assistant_message", json!({ "text": "", "toolCalls": [call], "usage": usage })),
        at(2, "local_tool_call", json!({ "toolUseId": "a", "name": "look", "args": {} })),
        at(3, "local_tool_result_in", json!({ "toolUseId": "a", "name": "look", "result": "x" })),
        at(4, "error", json!({ "error": "The worker stopped", "errorClass": "unknown" })),
    ];
    let log = log.map(|event| event.to_string()).join("\n");
    let imported = app.http.post(app.url("/api/import")).bearer_auth(api_key(DEMO)).body(log).send().await.unwrap();
    let imported: Value = imported.json().await.unwrap();
    let imported = imported["runId"].as_str().unwrap();
    let group = get(format!("/api/runs/{imported}")).await.json::<Value>().await.unwrap()["group"].clone();
    let group = group.as_str().unwrap();
    let asked = [
        ("/api/runs/{id}", format!("/api/runs/{imported}")),
        ("/api/runs/{id}/timeline", format!("/api/runs/{imported}/timeline")),
        ("/api/insights", "/api/insights".to_owned()),
        ("/api/insights", "/api/insights?q=tool:look&since=7d&by=metadata.customer".to_owned()),
        ("/api/failures/{id}", format!("/api/failures/{group}")),
        ("/api/runs", "/api/runs".to_owned()),
        ("/api/runs", "/api/runs?q=customer:nobody".to_owned()),
        ("/api/runs/{id}", format!("/api/runs/{looped}")),
        ("/api/runs/{id}", format!("/api/runs/{failed}")),
        ("/api/runs/{id}", format!("/api/runs/{declined}")),
        ("/api/runs/{id}/timeline", format!("/api/runs/{looped}/timeline")),
        ("/api/runs/{id}/timeline", format!("/api/runs/{failed}/timeline")),
        ("/api/facets", "/api/facets".to_owned()),
        ("/api/failures", "/api/failures".to_owned()),
        ("/api/failures", "/api/failures?since=7d&state=resolved".to_owned()),
        ("/api/waiting", "/api/waiting".to_owned()),
        ("/api/values", "/api/values?key=group".to_owned()),
        ("/api/values", "/api/values?key=metadata.customer".to_owned()),
        ("/api/histogram", "/api/histogram".to_owned()),
        ("/api/sync", "/api/sync".to_owned()),
        ("/api/sessions", "/api/sessions".to_owned()),
        ("/api/sessions", "/api/sessions?q=customer:nobody".to_owned()),
        ("/api/sessions/{id}", format!("/api/sessions/{session}")),
        ("/api/sessions/{id}/messages", format!("/api/sessions/{session}/messages")),
        ("/api/views", "/api/views".to_owned()),
    ];
    for (path, address) in asked {
        let answer = get(address.clone()).await;
        assert_eq!(answer.status(), 200, "{address}");
        let answer: Value = answer.json().await.unwrap();
        let shape = &document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        assert_eq!(schema::compile_errors(shape), [], "{path}");
        assert_eq!(schema::check(shape, &answer), [], "{address}: {answer}");
        let mut found = Vec::new();
        unnamed(shape, &answer, "", &mut found);
        // What a banner has depends on its kind.
        found.retain(|at| !at.contains("/banners/-/") && !at.starts_with("/outcome/"));
        assert_eq!(found, Vec::<String>::new(), "{address}");
    }
    let timeline: Value = get(format!("/api/runs/{imported}/timeline")).await.json().await.unwrap();
    let turn = &timeline["turns"][0];
    assert_eq!((&turn["tokens"]["inputTokens"], &turn["entries"][0]["call"]["durationMs"]), (&json!(900), &json!(1)));
    let events = get(format!("/api/runs/{looped}/events")).await;
    let media = events.headers()["content-type"].to_str().unwrap().to_owned();
    let shape = &document["paths"]["/api/runs/{id}/events"]["get"]["responses"]["200"]["content"][media]["schema"];
    for line in events.text().await.unwrap().lines() {
        assert_eq!(schema::check(shape, &serde_json::from_str(line).unwrap()), [], "{line}");
    }
    let refused: Value = get("/api/runs?limit=0".to_owned()).await.json().await.unwrap();
    assert_eq!(schema::check(&document["components"]["schemas"]["Error"], &refused), []);
    let limit = &document["paths"]["/api/runs"]["get"]["parameters"][1]["schema"];
    assert_eq!((&limit["type"], &limit["maximum"]), (&json!("integer"), &json!(200)));
}
