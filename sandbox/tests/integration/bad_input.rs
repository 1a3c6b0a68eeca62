//! Tests of invalid input: each error names the field, and nothing changes.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::*;

/// A run that waits for its client, and a session with messages.
struct Scene {
    harness: Harness,
    run: String,
    tool_use_id: String,
    session: String,
}

/// The state that a bad request could change.
#[derive(Debug, PartialEq)]
struct State {
    run: Value,
    session: Value,
    runs: Value,
    sessions: Value,
}

impl Scene {
    async fn set() -> Self {
        let harness = Harness::start().await;
        let run = harness.launch("/call approve {}\n/say Done.", json!({ "tools": [local("approve")] })).await;
        let call = harness.follow(&run, 0).await.wait_for("local_tool_call").await.data;
        let session = harness.post("/agent-sessions", json!({ "systemPrompt": "You help." })).await.json();
        let session = session["sessionId"].as_str().expect("an id").to_owned();
        let messages = format!("/agent-sessions/{session}/messages");
        let said = harness.post(&messages, json!({ "prompt": "/say Hello." })).await.json();
        harness.log(said["runId"].as_str().expect("an id")).await;
        let tool_use_id = call["toolUseId"].as_str().expect("an id").to_owned();
        Self { harness, run, tool_use_id, session }
    }

    async fn state(&self) -> State {
        State {
            run: self.harness.snapshot(&self.run).await,
            session: self.harness.get(&format!("/agent-sessions/{}", self.session)).await.json(),
            runs: self.harness.get("/agent-runs?includeTotal=1").await.json(),
            sessions: self.harness.get("/agent-sessions").await.json(),
        }
    }

    fn path(&self, path: &str) -> String {
        path.replace("RUN", &self.run).replace("SESSION", &self.session)
    }

    /// Answers the call and checks that the log has only this answer.
    async fn finish(self) {
        let body = json!({ "toolUseId": self.tool_use_id, "result": "yes" });
        let path = self.path("/agent-runs/RUN/tool-results");
        assert_eq!(self.harness.post(&path, body.clone()).await.status, 204);
        let log = self.harness.log(&self.run).await;
        let expected = ["assistant_message", "local_tool_call", "local_tool_result_in", "assistant_delta"];
        assert_eq!(kinds(&log), [&expected[..], &["assistant_message", "result"]].concat());
        assert_eq!(of_kind(&log, "local_tool_result_in")[0]["output"], "yes");
        let late = self.harness.post(&path, body).await;
        assert_eq!((late.status, &late.json()["error"]), (409, &json!("run_terminal")));
        assert_eq!(self.harness.log(&self.run).await, log, "a late answer changes nothing either");
    }
}

/// Specs with one error, for runs, sessions and messages.
fn faulty_specs() -> Vec<(Value, &'static str)> {
    let many = |count: usize| (0..count).map(|i| (format!("k{i}"), json!("v"))).collect::<serde_json::Map<_, _>>();
    let budgets = |count: usize| {
        (0..count).map(|i| (format!("t{i}"), json!({ "maxCalls": 1 }))).collect::<serde_json::Map<_, _>>()
    };
    vec![
        (json!({ "tools": {} }), "/tools"),
        (json!({ "tools": [{ "kind": "wish", "name": "a" }] }), "/tools/0/kind"),
        (json!({ "tools": [{ "kind": "local" }] }), "/tools/0/name"),
        (json!({ "tools": [{ "kind": "local", "name": "a b" }] }), "/tools/0/name"),
        (json!({ "tools": [local("a"), local("a")] }), "/tools/1/name"),
        (json!({ "tools": [7] }), "/tools/0"),
        (json!({ "tools": [{ "kind": "local", "name": "a", "parameters": 7 }] }), "/tools/0/parameters"),
        (json!({ "outputSchema": 7 }), "/outputSchema"),
        (json!({ "budgets": 7 }), "/budgets"),
        (json!({ "supervisor": { "interval": 0 } }), "/supervisor/interval"),
        (json!({ "plan": "perhaps" }), "/plan"),
        (json!({ "metadata": [] }), "/metadata"),
        (json!({ "metadata": { "a b": "x" } }), "/metadata/a b"),
        (json!({ "metadata": { "a": 7 } }), "/metadata/a"),
        (json!({ "metadata": { "a": "x".repeat(257) } }), "/metadata/a"),
        (json!({ "metadata": many(17) }), "/metadata"),
        (json!({ "loopDetection": true }), "/loopDetection"),
        (json!({ "loopDetection": { "consecutiveThreshold": 1 } }), "/loopDetection/consecutiveThreshold"),
        (json!({ "loopDetection": { "hardCutoffThreshold": 101 } }), "/loopDetection/hardCutoffThreshold"),
        (json!({ "toolBudgets": [] }), "/toolBudgets"),
        (json!({ "toolBudgets": { "a": { "maxCalls": -1 } } }), "/toolBudgets/a/maxCalls"),
        (json!({ "toolBudgets": { "a": { "maxCalls": 1001 } } }), "/toolBudgets/a/maxCalls"),
        (json!({ "toolBudgets": budgets(33) }), "/toolBudgets"),
        (json!({ "reasoningLevel": "extreme" }), "/reasoningLevel"),
        (json!({ "reasoningLevel": 101 }), "/reasoningLevel"),
        (json!({ "outputSchema": { "schema": [] } }), "/outputSchema/schema"),
        (json!({ "outputSchema": { "schema": {}, "name": "a b" } }), "/outputSchema/name"),
        (json!({ "outputSchema": { "schema": {}, "enforcement": "please" } }), "/outputSchema/enforcement"),
        (json!({ "budgets": { "maxToolTurns": 101 } }), "/budgets/maxToolTurns"),
    ]
}

#[tokio::test]
async fn an_invalid_body_is_refused_with_the_path_of_the_error() {
    let scene = Scene::set().await;
    let before = scene.state().await;
    let spec = |base: Value, changes: Value| {
        let mut spec = base;
        spec.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
        spec
    };
    let mut cases: Vec<(&str, Value, String)> = Vec::new();
    for (changes, path) in faulty_specs() {
        cases.push(("/agent-runs", spec(json!({ "systemPrompt": "x", "prompt": "x" }), changes.clone()), path.into()));
        cases.push(("/agent-sessions", spec(json!({ "systemPrompt": "x" }), changes.clone()), path.into()));
        cases.push(("/agent-sessions/SESSION/messages", spec(json!({ "prompt": "x" }), changes), path.into()));
    }
    let mut add = |route, body, path: &str| cases.push((route, body, path.to_owned()));
    for whole in [json!(null), json!(7), json!("text"), json!([])] {
        for route in
            ["/agent-runs", "/agent-sessions", "/agent-sessions/SESSION/messages", "/agent-runs/RUN/tool-results"]
        {
            add(route, whole.clone(), "");
        }
    }
    let last_is_assistant = json!([{ "role": "user", "content": "x" }, { "role": "assistant", "content": "y" }]);
    for (route, base) in
        [("/agent-runs", json!({ "systemPrompt": "x" })), ("/agent-sessions/SESSION/messages", json!({}))]
    {
        add(route, base.clone(), "/prompt");
        add(route, spec(base.clone(), json!({ "prompt": ["x"] })), "/prompt");
        add(
            route,
            spec(base.clone(), json!({ "prompt": "x", "messages": [{ "role": "user", "content": "x" }] })),
            "/messages",
        );
        add(route, spec(base.clone(), json!({ "messages": [] })), "/messages");
        add(
            route,
            spec(base.clone(), json!({ "messages": [{ "role": "robot", "content": "x" }] })),
            "/messages/0/role",
        );
        add(
            route,
            spec(base.clone(), json!({ "messages": [{ "role": "user", "content": 7 }] })),
            "/messages/0/content",
        );
        add(route, spec(base, json!({ "messages": last_is_assistant })), "/messages/1/role");
    }
    add("/agent-runs", json!({ "prompt": "x" }), "/systemPrompt");
    add("/agent-sessions", json!({}), "/systemPrompt");
    add("/agent-sessions", json!({ "systemPrompt": "x", "prompt": "x" }), "/prompt");
    let result = |changes: Value| spec(json!({ "toolUseId": scene.tool_use_id }), changes);
    let results = "/agent-runs/RUN/tool-results";
    add(results, json!({ "result": "x" }), "/toolUseId");
    add(results, json!({ "toolUseId": 7, "result": "x" }), "/toolUseId");
    add(results, result(json!({})), "/result");
    add(results, result(json!({ "result": 7 })), "/result");
    add(results, result(json!({ "error": {} })), "/error");
    add(results, result(json!({ "result": "x", "error": "y" })), "/error");
    add(results, result(json!({ "result": "x", "files": {} })), "/files");
    add(
        results,
        result(json!({ "result": "x", "files": [{ "mimeType": "a/b", "data": "eA==" }] })),
        "/files/0/filename",
    );
    add("/agent-runs/RUN/feedback", json!({ "verdict": "MAYBE" }), "/verdict");
    add("/agent-runs/RUN/feedback", json!({ "verdict": "UP", "contentSnapshot": 7 }), "/contentSnapshot");

    let mut wrong = Vec::new();
    for (route, body, path) in cases {
        let refused = scene.harness.post(&scene.path(route), body.clone()).await;
        let answer = refused.json();
        if (refused.status, &answer["details"][0]["path"]) != (400, &json!(path)) {
            wrong.push(format!("{route} {body}: not {path} but {} {answer}", refused.status));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(scene.state().await, before);
    scene.finish().await;
}

#[tokio::test]
async fn a_body_that_is_no_json_or_too_large_is_refused_whole() {
    let scene = Scene::set().await;
    let before = scene.state().await;
    let routes = [
        "/agent-runs",
        "/agent-sessions",
        "/agent-sessions/SESSION/messages",
        "/agent-runs/RUN/tool-results",
        "/agent-runs/RUN/feedback",
    ];
    for route in routes {
        let send = |body: Vec<u8>| {
            let request = scene.harness.request(Method::POST, &scene.path(route)).body(body);
            scene.harness.send(request.header("Content-Type", "application/json"))
        };
        for body in [&b""[..], b"{", b"{\"a\": nul}", b"{\"a\": \"\xff\"}", b"{\"a\": \"\\ud800\"}", b"1e999", b"{} {}"]
        {
            let refused = send(body.to_vec()).await;
            assert_eq!((refused.status, &refused.json()["details"][0]["path"]), (400, &json!("")), "{route} {body:?}");
        }
        assert_eq!(send(vec![b'['; 100_000]).await.status, 400, "{route}");
        let large = send(vec![b' '; 8 * 1024 * 1024 + 1]).await;
        assert_eq!((large.status, &large.json()["error"]), (413, &json!("payload_too_large")), "{route}");
    }
    let too_large = [
        json!({ "toolUseId": scene.tool_use_id, "result": "x".repeat(2 * 1024 * 1024 + 1) }),
        json!({ "toolUseId": scene.tool_use_id, "error": "x".repeat(8 * 1024 + 1) }),
    ];
    for body in too_large {
        let refused = scene.harness.post(&scene.path("/agent-runs/RUN/tool-results"), body).await;
        assert_eq!((refused.status, &refused.json()["error"]), (413, &json!("payload_too_large")));
    }
    assert_eq!(scene.state().await, before);
    scene.finish().await;
}

#[tokio::test]
async fn unknown_ids_are_not_found() {
    let scene = Scene::set().await;
    let before = scene.state().await;
    let unknown_call = json!({ "toolUseId": "tu_none", "result": "x" });
    let refused = scene.harness.post(&scene.path("/agent-runs/RUN/tool-results"), unknown_call.clone()).await;
    assert_eq!((refused.status, &refused.json()["error"]), (404, &json!("unknown_tool_use")));
    for (method, route) in [
        (Method::POST, "/agent-runs/run_none/tool-results"),
        (Method::POST, "/agent-runs/run_none/cancel"),
        (Method::GET, "/agent-runs/run_none"),
        (Method::GET, "/agent-runs/%ff"),
        (Method::GET, "/agent-runs/a%2Fb/stream"),
        (Method::DELETE, "/agent-sessions/ses_none"),
        (Method::POST, "/agent-runs/RUN/nothing"),
    ] {
        let request = scene.harness.request(method, &scene.path(route)).json(&unknown_call);
        let refused = scene.harness.send(request).await;
        assert_eq!((refused.status, &refused.json()["error"]), (404, &json!("not_found")), "{route}");
    }
    assert_eq!(scene.state().await, before);
    scene.finish().await;
}

#[tokio::test]
async fn invalid_queries_are_refused_with_the_name_of_the_parameter() {
    let harness = Harness::start().await;
    for (path, name) in [
        ("/agent-runs?limit=0", "limit"),
        ("/agent-runs?limit=201", "limit"),
        ("/agent-runs?limit=ten", "limit"),
        ("/agent-runs?status=asleep", "status"),
        ("/agent-runs?cursor=%25", "cursor"),
        ("/agent-runs?metadata=novalue", "metadata"),
        ("/agent-sessions?status=asleep", "status"),
        ("/agent-sessions?offset=-1", "offset"),
        ("/agent-sessions?metadata=a%20b:c", "metadata"),
    ] {
        let refused = harness.get(path).await;
        assert_eq!((refused.status, &refused.json()["details"][0]["path"]), (400, &json!(name)), "{path}");
    }
}
