//! Redaction patterns: what they match is not in anything that the server sends.

use reqwest::Method;
use reqwest::header::REFERER;
use runlens::config::Admins;
use serde_json::{Value, json};

use crate::harness::{Answer, Browser, DEMO, OTHER, TestApp, api_key};
use crate::sessions::{say, session};
use crate::times::import;

/// What the patterns of these tests match. The number is also sent as a number.
const CANARY: &str = "acct-7700123456";
const NUMBER: &str = "7700123456";
const PATTERN: &str = r"(acct-)?7700\d+";

async fn set_patterns(browser: &mut Browser, app: &TestApp, body: Value) -> Answer {
    let url = app.url("/api/redaction");
    let request = app.http.put(url.clone()).header("origin", url.origin().ascii_serialization()).json(&body);
    browser.send(request, url).await
}

async fn redact(browser: &mut Browser, app: &TestApp, mode: &str) {
    let answer = set_patterns(browser, app, json!({ "patterns": [{ "pattern": PATTERN, "mode": mode }] })).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

/// Sends the form of the settings page and opens the page that shows the result.
async fn send_form(app: &TestApp, browser: &mut Browser, form: &[(&str, &str)]) -> (u16, String) {
    let url = app.url("/settings/redaction");
    let request = app.http.post(url.clone()).form(form).header("origin", url.origin().ascii_serialization());
    let request = request.header("accept", "text/html").header(REFERER, app.url("/settings").as_str());
    let answer = browser.send(request, url).await;
    let url = app.url("/settings");
    let page = browser.send(app.http.get(url.clone()).header("accept", "text/html"), url).await;
    (answer.status, page.body)
}

async fn saved(browser: &mut Browser) -> Value {
    serde_json::from_str(&browser.open("/api/redaction").await.body).unwrap()
}

/// Runs and a session that have the canary in every place that a person or a model can fill.
struct Filled {
    runs: Vec<String>,
    session: String,
}

async fn fill(app: &TestApp) -> Filled {
    let input = format!("{{\"account\":\"{CANARY}\",\"number\":{NUMBER},\"{CANARY}\":1}}");
    let script = format!("/think about {CANARY}\n/say for {CANARY}\n/call look {input}\n/say done {CANARY}");
    let more = json!({
        "name": format!("refund {CANARY}"),
        "systemPrompt": format!("You serve {CANARY}."),
        "metadata": { "customer": CANARY, "plain": "yes" },
        "reasoningLevel": "low",
        "tools": [{ "kind": "local", "name": "look" }],
    });
    let waiting = app.start_run(DEMO, &script, more.clone()).await;
    let call = app.pending_call(DEMO, &waiting).await;
    let answered = app.start_run(DEMO, &script, more.clone()).await;
    let answered_call = app.pending_call(DEMO, &answered).await;
    app.answer_tool(DEMO, &answered, &answered_call, &format!("found {CANARY}")).await;
    app.sandbox_stream(DEMO, &answered).await;
    assert!(!call.is_empty());
    let failed = app.finished_run(DEMO, &format!("/say {CANARY}\n/fail {CANARY}"), json!({})).await;
    let session = session(app).await;
    say(app, &session, json!({ "prompt": format!("/say {CANARY}"), "metadata": { "ticket": CANARY } })).await;
    Filled { runs: vec![waiting, answered, failed], session }
}

fn assert_hidden(path: &str, answer: &Answer) {
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    let found = answer.body.find(NUMBER).map(|at| {
        let from = answer.body.floor_char_boundary(at.saturating_sub(300));
        &answer.body[from..answer.body.ceil_char_boundary(at + 40)]
    });
    assert_eq!(found, None, "{path}");
}

#[tokio::test]
async fn what_a_pattern_matches_is_on_no_page_and_in_no_export_and_no_response_of_the_api() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let Filled { runs, session } = fill(&app).await;
    let group = {
        browser.open("/runs").await;
        for id in &runs {
            browser.open(&format!("/runs/{id}")).await;
        }
        let groups: Value = serde_json::from_str(&browser.open("/api/failures").await.body).unwrap();
        groups["groups"][0]["id"].as_str().unwrap_or_default().to_owned()
    };
    let mut paths: Vec<String> = [
        "/runs",
        "/runs?chart=cost",
        "/sessions",
        "/failures",
        "/insights",
        "/insights?by=metadata.customer",
        "/insights?by=name",
        "/waiting",
        "/rpc/palette?text=refund",
        "/rpc/suggest?list=runs&text=customer:&caret=9",
        "/api/runs",
        "/api/facets",
        "/api/values?key=customer",
        "/api/insights?by=metadata.customer",
        "/api/failures",
        "/api/waiting",
        "/api/sessions",
        "/api/audit",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.extend([
        format!("/failures/{group}"),
        format!("/api/failures/{group}"),
        format!("/sessions/{session}"),
        format!("/sessions/{session}/delete"),
        format!("/api/sessions/{session}"),
        format!("/api/sessions/{session}/messages"),
        format!("/compare?left={}&right={}", runs[1], runs[2]),
    ]);
    for id in &runs {
        let views = [
            "",
            "?tab=output",
            "?tab=spec",
            "?density=events",
            "?density=conversation",
            "?density=waterfall",
            "?raw=1",
            "?tab=tools",
        ];
        paths.extend(views.map(|view| format!("/runs/{id}{view}")));
        paths.extend([
            format!("/runs?preview={id}"),
            format!("/rpc/run-preview?id={id}"),
            format!("/runs/{id}/delete"),
            format!("/runs/{id}/export"),
            format!("/runs/{id}/export?format=html"),
            format!("/api/runs/{id}"),
            format!("/api/runs/{id}/timeline"),
            format!("/api/runs/{id}/events"),
        ]);
    }
    // Caches of timelines and pages are filled before there is a pattern.
    let mut shown = 0;
    for path in &paths {
        shown += usize::from(browser.open(path).await.body.contains(NUMBER));
    }
    assert!(shown > paths.len() / 2, "the runs have what is to be hidden: {shown} of {}", paths.len());
    redact(&mut browser, &app, "hide").await;
    for path in &paths {
        assert_hidden(path, &browser.open(path).await);
    }
    // With an API key too, and in the stream of a run.
    let url = app.url(&format!("/api/runs/{}", runs[1]));
    let answer = app.http.get(url).bearer_auth(api_key(DEMO)).send().await.unwrap();
    let body = answer.text().await.unwrap();
    assert!(!body.contains(NUMBER) && body.contains("••••••••"), "{body}");
    let stream = browser.open(&format!("/runs/{}/live", runs[1])).await;
    assert!(stream.body.contains("\"seq\"") && !stream.body.contains("\"text\""), "{}", stream.body);
    // Ids stay, and the stored runs too.
    assert!(browser.open("/api/runs").await.body.contains(&runs[0]));
    let found = browser.open(&format!("/api/count?q=customer:{CANARY}")).await.body;
    assert!(found.contains("\"runs\":2"), "{found}");
    let refused = set_patterns(&mut browser, &app, json!({ "patterns": [] })).await;
    assert!(refused.status == 400 && refused.body.contains("replacesVersion"), "{}", refused.body);
    let cleared = set_patterns(&mut browser, &app, json!({ "patterns": [], "replacesVersion": 1 })).await;
    assert_eq!(cleared.status, 200);
    assert!(browser.open(&format!("/runs/{}/export", runs[1])).await.body.contains(CANARY));
    // Another workspace has patterns of its own.
    assert_eq!(saved(&mut app.signed_in(OTHER).await).await, json!({ "patterns": [], "version": 0 }));
}

/// A log whose model and tools chose the canary for everything that they name: also what other documents have as words and ids.
fn log_of_names() -> String {
    let named = |name: &str| format!("{name}_{NUMBER}");
    let tool = named("tool");
    let spec = json!({
        "name": "names", "modelId": named("model"), "systemPrompt": "You help.", "prompt": "Hi",
        "toolBudgets": { &tool: { "maxCalls": 1 } },
        "outputSchema": {
            "type": "object", "properties": { named("property"): { "type": "string" } }, "required": [named("property")]
        },
    });
    let run = json!({ "model": named("model"), "metadata": { named("key"): "plain" } });
    let step = json!({ "id": named("step"), "title": "Look", "status": named("status") });
    let call = |id: &str| json!({ "toolUseId": named(id), "name": tool, "input": { named("argument"): 1 } });
    let found = |id: &str, text: &str| json!({ "toolUseId": named(id), "name": tool, "result": text });
    let events = [
        json!({ "type": named("event"), "data": { "a": 1 }, named("extra"): named("value"), "status": named("word") }),
        json!({ "type": "assistant_message", "data": { "text": "Hm", "model": named("model") } }),
        json!({ "type": "task_plan", "data": { "id": named("plan"), "mode": named("mode"), "steps": [step] } }),
        json!({ "type": "tool_call", "data": call("call") }),
        json!({ "type": "tool_result", "data": found("call", "found") }),
        json!({ "type": "tool_call", "data": call("second") }),
        json!({ "type": "tool_result", "data": found("second", "over budget") }),
        json!({ "type": "tool_budget_exceeded", "data": { "tool": tool, "maxCalls": 1, "callIndex": 2 } }),
        json!({ "type": "error", "data": { "error": "call failed", "errorClass": named("class") } }),
    ];
    let mut log = format!("{}\n", json!({ "runlens": 1, "run": run, "spec": spec }));
    for (seq, mut event) in (1..).zip(events) {
        event["seq"] = json!(seq);
        log += &format!("{event}\n");
    }
    log
}

#[tokio::test]
async fn what_models_and_tools_named_is_redacted_like_their_texts() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = import(&mut browser, &log_of_names()).await;
    let other = json!({ "seq": 1, "type": "result", "data": { "subtype": "success", "text": "Done." } });
    let other = import(&mut browser, &format!("{other}\n")).await;
    let url = app.url("/api/views");
    let view = json!({ "list": "runs", "name": format!("mine {NUMBER}"), "query": format!("customer:{NUMBER}") });
    let request = app.http.post(url.clone()).header("origin", url.origin().ascii_serialization()).json(&view);
    let answer = browser.send(request, url).await;
    assert!(answer.status < 300, "{}", answer.body);
    let groups: Value = serde_json::from_str(&browser.open("/api/failures").await.body).unwrap();
    let group = groups["groups"][0]["id"].as_str().unwrap().to_owned();
    let run_pages = ["", "?tab=tools", "?tab=spec", "?tab=loop", "?density=events", "?density=waterfall", "/export"];
    let mut paths = run_pages.map(|path| format!("/runs/{id}{path}")).to_vec();
    paths.extend([
        format!("/runs/{id}/export?format=html"),
        format!("/api/runs/{id}"),
        format!("/api/runs/{id}/timeline"),
        format!("/api/runs/{id}/events"),
        format!("/rpc/run-preview?id={id}"),
        format!("/failures/{group}"),
        format!("/compare?left={id}&right={other}"),
    ]);
    let lists = [
        "/runs",
        "/sessions",
        "/insights",
        "/failures",
        "/launch",
        "/settings",
        "/rpc/palette?text=mine",
        "/api/views?list=runs",
    ];
    paths.extend(lists.map(str::to_owned));
    let mut open = Vec::new();
    for path in &paths {
        if browser.open(path).await.body.contains(NUMBER) {
            open.push(path);
        }
    }
    // Only the list of sessions has nothing of a run.
    assert_eq!(open.len(), paths.len() - 1, "shown before there is a pattern: {open:?}");
    redact(&mut browser, &app, "hide").await;
    for path in &paths {
        assert_hidden(path, &browser.open(path).await);
    }
    let tools = browser.open(&format!("/runs/{id}?tab=tools")).await.body;
    assert!(tools.contains("1 of 1"), "budgets of redacted tools are known: {tools}");
}

#[tokio::test]
async fn a_finding_shows_no_secrets() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let secret = "sk-proj-abcdefghijklmnopqrstuvwx";
    let error = format!("call failed: Authorization: Bearer {secret} api_key=supersecretvalue123");
    let event = json!({ "seq": 1, "type": "error", "data": { "error": error, "errorClass": "server" } });
    let id = import(&mut browser, &format!("{event}\n")).await;
    let groups: Value = serde_json::from_str(&browser.open("/api/failures").await.body).unwrap();
    let group = groups["groups"][0]["id"].as_str().unwrap().to_owned();
    for path in [format!("/runs/{id}"), format!("/runs/{id}/export?format=html"), format!("/failures/{group}")] {
        let body = browser.open(&path).await.body;
        assert!(body.contains("call failed") && body.contains("••••••••"), "{path}: {body}");
        assert!(!body.contains(secret) && !body.contains("supersecretvalue123"), "{path}: {body}");
    }
}

#[tokio::test]
async fn what_markdown_splits_or_encodes_is_redacted() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let text = "encoded &#55;700123456 and 77**0012**3456, [linked](https://e.test/&#55;700123456)";
    let event = json!({ "seq": 1, "type": "result", "data": { "subtype": "success", "text": text } });
    let id = import(&mut browser, &format!("{event}\n")).await;
    let answer = async |browser: &mut Browser| {
        let page = browser.open(&format!("/runs/{id}")).await.body;
        page.split("class=\"prose markdown\"").nth(1).unwrap().split("</div>").next().unwrap().to_owned()
    };
    let before = answer(&mut browser).await;
    assert!(before.contains(NUMBER) && before.contains("77<strong>0012</strong>3456"), "{before}");
    redact(&mut browser, &app, "hide").await;
    let after = answer(&mut browser).await;
    assert!(after.contains("encoded ••••••••") && !after.contains("0012") && !after.contains(NUMBER), "{after}");
}

#[tokio::test]
async fn an_export_with_secrets_is_redacted_too() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let spec = json!({
        "name": "test", "systemPrompt": "You help.", "modelId": "sandbox/script",
        "prompt": format!("/say password=hunter2secret {CANARY}"),
    });
    let id = browser.launch(&spec).await;
    app.sandbox_stream(DEMO, &id).await;
    redact(&mut browser, &app, "hide").await;
    let path = format!("/runs/{id}/export?format=html&secrets=true");
    let report = browser.open(&path).await;
    assert_hidden(&path, &report);
    assert!(report.body.contains("hunter2secret"), "{}", report.body);
}

#[tokio::test]
async fn equal_values_have_the_same_hash_wherever_they_are() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let run = async |script: String| app.finished_run(DEMO, &script, json!({})).await;
    let ids = [
        run(format!("/say a {CANARY}")).await,
        run(format!("/say b {CANARY}")).await,
        run("/say c 77001".to_owned()).await,
    ];
    redact(&mut browser, &app, "hash").await;
    let mut hashes = Vec::new();
    for id in &ids {
        let run: Value = serde_json::from_str(&browser.open(&format!("/api/runs/{id}")).await.body).unwrap();
        let answer = run["answer"].as_str().unwrap().to_owned();
        let hash = answer.rsplit(' ').next().unwrap().to_owned();
        assert!(hash.starts_with("•‹") && hash.ends_with('›') && !answer.contains("7700"), "{answer}");
        let page = browser.open(&format!("/runs/{id}?tab=output")).await.body;
        assert!(page.contains(&hash), "{hash}: {page}");
        hashes.push(hash);
    }
    assert!(hashes[0] == hashes[1] && hashes[0] != hashes[2], "{hashes:?}");
}

#[tokio::test]
async fn an_invalid_pattern_is_explained_at_its_field_and_nothing_is_saved() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let cases = [("(ab", "unclosed group"), ("x*", "empty text"), (r"\w{500}", "too large")];
    for (pattern, reason) in cases {
        let form =
            [("replaces_version", "0"), ("pattern", "fine"), ("mode", "hide"), ("pattern", pattern), ("mode", "hash")];
        let (status, page) = send_form(&app, &mut browser, &form).await;
        assert_eq!(status, 303);
        assert!(page.contains("Nothing was saved") && page.contains(reason), "{pattern}: {page}");
        let field = page.split("value=\"").find(|part| part.starts_with(pattern)).unwrap();
        assert!(field.split('>').next().unwrap().contains("aria-invalid=\"true\""), "{field}");
        assert!(page.contains("value=\"fine\""), "what is valid stays in the form too");
    }
    let many: Vec<Value> = (0..21).map(|number| json!({ "pattern": format!("x{number}"), "mode": "hide" })).collect();
    let answer = set_patterns(&mut browser, &app, json!({ "patterns": many })).await;
    assert!(answer.status == 400 && answer.body.contains("up to 20 patterns"), "{}", answer.body);
    let answer = set_patterns(&mut browser, &app, json!({ "patterns": [{ "pattern": "(", "mode": "hide" }] })).await;
    assert!(answer.status == 400 && answer.body.contains("/patterns/0/pattern"), "{}", answer.body);
    assert_eq!(saved(&mut browser).await, json!({ "patterns": [], "version": 0 }));
}

#[tokio::test]
async fn a_pattern_is_tested_on_a_sample_before_it_is_saved() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let form =
        [("replaces_version", "0"), ("pattern", r"\d+"), ("mode", "hide"), ("sample", "Call <12>"), ("action", "test")];
    let (_, page) = send_form(&app, &mut browser, &form).await;
    assert!(page.contains("Call &lt;••••••••&gt;") && page.contains("Call &lt;12&gt;"), "{page}");
    assert_eq!(saved(&mut browser).await["version"], 0);
    let form = [("replaces_version", "0"), ("pattern", r"\d+"), ("mode", "hide"), ("pattern", ""), ("mode", "hide")];
    let (_, page) = send_form(&app, &mut browser, &form).await;
    assert!(page.contains("patterns saved"), "{page}");
    assert_eq!(saved(&mut browser).await["patterns"], json!([{ "pattern": r"\d+", "mode": "hide" }]));
    // A form that was loaded before overwrites nothing.
    let (_, page) =
        send_form(&app, &mut browser, &[("replaces_version", "0"), ("pattern", "mine"), ("mode", "hide")]).await;
    assert!(page.contains("Someone else changed") && page.contains("value=\"mine\""), "{page}");
    assert_eq!(saved(&mut browser).await["version"], 1);
    let log = browser.open("/api/audit").await.body;
    assert!(log.matches("change_redaction").count() == 1 && log.contains("1 pattern"), "{log}");
    assert!(!log.contains(r"\\d+"), "the log has no contents: {log}");
}

#[tokio::test]
async fn only_administrators_see_and_change_patterns() {
    let app = TestApp::start_with(|config| config.admins = Admins::new("owner@other.test")).await;
    let mut browser = app.signed_in(DEMO).await;
    assert_eq!(browser.open("/api/redaction").await.status, 403);
    assert_eq!(set_patterns(&mut browser, &app, json!({ "patterns": [] })).await.status, 403);
    let (status, page) = send_form(&app, &mut browser, &[("pattern", "a"), ("mode", "hide")]).await;
    assert!(status == 403 && page.contains("no redaction patterns") && !page.contains("name=\"pattern\""), "{page}");
    let mut admin = app.signed_in(OTHER).await;
    redact(&mut admin, &app, "hide").await;
    assert!(admin.open("/settings").await.body.contains("name=\"pattern\""));
}

#[tokio::test]
async fn an_own_price_estimates_the_cost_of_a_model_without_one() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let log = |model: &str| {
        let tokens =
            json!({ "inputTokens": 1_000_000, "cachedTokens": 0, "reasoningTokens": 0, "outputTokens": 500_000 });
        let header = json!({ "runlens": 1, "run": { "model": model, "tokens": tokens } });
        format!(
            "{header}\n{}\n",
            json!({ "seq": 1, "type": "result", "data": { "subtype": "success", "text": "Done." } })
        )
    };
    let cost = async |browser: &mut Browser, id: &str| -> Value {
        let run: Value = serde_json::from_str(&browser.open(&format!("/api/runs/{id}")).await.body).unwrap();
        run["costMicros"].clone()
    };
    let before = import(&mut browser, &log("acme-1")).await;
    assert_eq!(cost(&mut browser, &before).await, Value::Null);
    let send = async |browser: &mut Browser, form: &[(&str, &str)]| -> String {
        let url = app.url("/settings/prices");
        let request = app.http.post(url.clone()).form(form).header("origin", url.origin().ascii_serialization());
        let answer = browser.send(request.header("accept", "text/html"), url).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        let url = app.url("/settings");
        browser.send(app.http.get(url.clone()).header("accept", "text/html"), url).await.body
    };
    let page = send(&mut browser, &[("model", "acme-1"), ("input", "cheap"), ("output", "-4"), ("cached", "")]).await;
    assert!(page.contains("Nothing was saved") && page.matches("Use a number from 0").count() >= 2, "{page}");
    assert!(page.contains("value=\"cheap\"") && page.contains("value=\"-4\""), "{page}");
    let page = send(&mut browser, &[("model", "acme-2"), ("input", "1"), ("output", "1"), ("cached", "")]).await;
    assert!(page.contains("No run in this workspace uses this model"), "{page}");
    let page = send(&mut browser, &[("model", "acme-1"), ("input", "2"), ("output", "4.5"), ("cached", "")]).await;
    assert!(page.contains("Prices saved") && page.contains("value=\"4.5\""), "{page}");
    let after = import(&mut browser, &log("acme-1")).await;
    assert_eq!(cost(&mut browser, &after).await, json!(2_000_000 + 2_250_000));
    let prices: Value = serde_json::from_str(&browser.open("/api/prices").await.body).unwrap();
    let own = json!([{ "model": "acme-1", "inputPer1MUsd": 2.0, "outputPer1MUsd": 4.5, "cacheReadPer1MUsd": null }]);
    assert_eq!(prices["own"], own);
    let log = browser.open("/api/audit").await.body;
    assert_eq!(log.matches("change_prices").count(), 1, "{log}");
    assert_eq!(browser.request(Method::GET, app.url("/settings"), &[]).await.status, 200);
}
