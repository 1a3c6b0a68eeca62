//! The query language on real runs; facets, histogram and completion; compressed logs and retention.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{DEMO, OTHER, TestApp, api_key, eventually};

/// A server with some runs, each opened, so that its log is stored.
struct Fixture {
    app: TestApp,
    /// Run ids by the names that the tests use.
    ids: Vec<(&'static str, String)>,
}

impl Fixture {
    async fn open() -> Self {
        let app = TestApp::start().await;
        let tools = |names: &[&str]| -> Value {
            names.iter().map(|name| json!({ "kind": "mantyx_plugin", "name": name })).collect()
        };
        let tag = |customer: &str, env: &str| json!({ "customer": customer, "env": env });
        let specs = [
            ("answered", "/say The overdue invoice was paid.", json!({ "metadata": tag("acme", "prod") })),
            (
                "computed",
                "/call calculator {\"expression\":\"6*7\"}\n/say Done.",
                json!({ "metadata": tag("globex", "prod"), "tools": tools(&["calculator"]) }),
            ),
            ("cut", "/say A long answer that\n/truncate", json!({ "metadata": tag("acme", "dev") })),
            (
                "looped",
                "/repeat 4\n/call recall {\"query\":\"zebra crossing\"}\n/say Done.",
                json!({ "tools": tools(&["recall"]), "name": "looper" }),
            ),
            ("limited", "/fail rate_limit", json!({ "metadata": tag("initech", "prod") })),
        ];
        let mut ids = Vec::new();
        for (name, script, more) in specs {
            let id = app.finished_run(DEMO, script, more).await;
            let answer = get(&app, &format!("/api/runs/{id}")).await;
            assert_eq!(answer.0, 200, "{}", answer.1);
            ids.push((name, id));
        }
        Self { app, ids }
    }

    async fn found(&self, query: &str) -> Vec<&'static str> {
        let (status, page) = get(&self.app, &format!("/api/runs?q={}", encode(query))).await;
        assert_eq!(status, 200, "{query}: {page}");
        let runs = page["runs"].as_array().unwrap();
        let name = |run: &Value| self.ids.iter().find(|(_, id)| run["id"] == *id).unwrap().0;
        runs.iter().map(name).collect()
    }
}

async fn get(app: &TestApp, path: &str) -> (u16, Value) {
    let answer = app.http.get(app.url(path)).bearer_auth(api_key(DEMO)).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

fn encode(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[tokio::test]
async fn every_kind_of_clause_finds_its_runs() {
    let fixture = Fixture::open().await;
    let cases: &[(&str, &[&str])] = &[
        ("", &["limited", "looped", "cut", "computed", "answered"]),
        ("customer:acme", &["cut", "answered"]),
        ("customer:acme,globex", &["cut", "computed", "answered"]),
        ("customer:acme env:prod", &["answered"]),
        ("customer:acme -env:prod", &["cut"]),
        ("-customer:acme,globex", &["limited", "looped"]),
        ("customer:nobody", &[]),
        ("-customer:nobody env:dev", &["cut"]),
        ("has:customer", &["limited", "cut", "computed", "answered"]),
        ("-has:customer", &["looped"]),
        ("status:failed", &["limited", "cut"]),
        ("status:failed,succeeded env:prod", &["limited", "computed", "answered"]),
        ("is:failed -is:truncated", &["limited"]),
        ("is:truncated,looping", &["looped", "cut"]),
        ("is:running", &[]),
        ("is:imported", &[]),
        ("tool:recall", &["looped"]),
        ("tool:calculator,recall", &["looped", "computed"]),
        ("error:rate_limit", &["limited"]),
        ("model:script status:succeeded", &["looped", "computed", "answered"]),
        ("model:sandbox/script tool:recall", &["looped"]),
        ("agent:looper", &["looped"]),
        ("name:looper", &["looped"]),
        ("since:1h", &["limited", "looped", "cut", "computed", "answered"]),
        ("before:1h", &[]),
        ("since:2020-01-01 -since:2021-01-01", &[]),
        ("calls:>1", &["looped"]),
        ("calls:1", &["computed"]),
        ("turns:>=1 duration:<10m tokens:>0 customer:acme status:succeeded", &["answered"]),
        ("duration:>10m", &[]),
        ("cost:<1000 tool:recall", &[]),
        ("overdue", &["answered"]),
        ("\"invoice was\"", &["answered"]),
        ("\"was invoice\"", &[]),
        ("ZEBRA", &["looped"]),
        ("zebra tool:recall", &["looped"]),
        ("zebra customer:acme", &[]),
        ("text:zebra,overdue", &["looped", "answered"]),
        ("-overdue customer:acme", &["cut"]),
        ("calculator", &["computed"]),
        ("customer:acme overdue -env:dev since:1d", &["answered"]),
    ];
    for (query, expected) in cases {
        assert_eq!(fixture.found(query).await, *expected, "{query}");
    }
    for (name, id) in &fixture.ids {
        assert_eq!(fixture.found(&format!("id:{id}")).await, [*name]);
        assert_eq!(fixture.found(&format!("-id:{id}")).await.len(), 4);
    }
}

#[tokio::test]
async fn a_query_that_finds_nothing_names_the_clause_that_excludes() {
    let fixture = Fixture::open().await;
    let (_, page) = get(&fixture.app, "/api/runs?q=customer:acme+env:staging").await;
    assert_eq!((&page["runs"], &page["excluding"]), (&json!([]), &json!(["env:staging"])));
}

#[tokio::test]
async fn unknown_keys_and_values_get_a_hint() {
    let fixture = Fixture::open().await;
    let cases: &[(&str, usize, &[&str])] = &[
        ("-stauts:failed", 5, &["No run here has the metadata key `stauts`; did you mean `status`?"]),
        ("-custmer:acme", 5, &["No run here has the metadata key `custmer`; did you mean `customer`?"]),
        ("-env:Prod", 5, &["No run here has `env:Prod`; did you mean `env:prod`?"]),
        ("-env:elsewhere", 5, &["No run here has `env:elsewhere`."]),
        ("has:region", 0, &["No run here has the metadata key `region`."]),
        ("customer:acme,globx", 2, &["No run here has `customer:globx`; did you mean `customer:globex`?"]),
        ("customer:nobody", 0, &[]),
        ("-env:dev", 4, &[]),
    ];
    for (query, runs, notices) in cases {
        let (status, page) = get(&fixture.app, &format!("/api/runs?q={}", encode(query))).await;
        assert_eq!((status, page["runs"].as_array().unwrap().len()), (200, *runs), "{query}: {page}");
        assert_eq!(page.get("notices").cloned().unwrap_or_else(|| json!([])), json!(notices), "{query}");
    }
    let mut browser = fixture.app.signed_in(DEMO).await;
    let page = browser.open("/runs?q=-stauts:failed").await.body;
    assert!(page.contains("did you mean `status`?"), "{page}");
}

#[tokio::test]
async fn values_are_completed_in_any_case_with_counts() {
    let fixture = Fixture::open().await;
    let mut browser = fixture.app.signed_in(DEMO).await;
    for (text, wanted) in [("env:PR", "env:prod "), ("is:fa", "2 runs"), ("has:orph", "has:orphan-call ")] {
        let path = format!("suggest?text={}&caret={}", encode(text), text.len());
        let (status, found) = browser.read(&path).await;
        assert!(status == 200 && found.to_string().contains(wanted), "{text}: {found}");
    }
}

#[tokio::test]
async fn an_address_is_decoded_once() {
    let app = TestApp::start().await;
    let odd = "https://x.test/a?b=c&d=%20+";
    app.finished_run(DEMO, "/say Now 50%20off.", json!({ "metadata": { "from": odd } })).await;
    app.finished_run(DEMO, "/say Now 50 off.", json!({})).await;
    let mut browser = app.signed_in(DEMO).await;
    let page = browser.open("/runs?q=").await.body;
    let chip = page.split("href=\"").find(|rest| rest.contains("Filter by from:")).expect("a chip");
    let href = chip.split('"').next().unwrap().replace("&amp;", "&");
    let found = browser.open(&href).await;
    assert_eq!(found.status, 200);
    assert_eq!(found.body.matches("class=\"run-name\"").count(), 1, "{href}");
    let found = browser.open(&format!("/runs?q={}", encode("\"50%20off\""))).await.body;
    assert!(found.contains("Remove the filter &quot;50%20off&quot;"), "{found}");
}

#[tokio::test]
async fn facets_histogram_and_completion_count_runs() {
    let fixture = Fixture::open().await;
    fixture.app.finished_run(OTHER, "/say x", json!({ "metadata": { "customer": "other" } })).await;
    let counts = |facets: &Value, key: &str| -> Vec<(String, u64)> {
        let facet = facets["facets"].as_array().unwrap().iter().find(|facet| facet["key"] == key);
        let values = facet.map(|facet| facet["values"].as_array().unwrap().clone()).unwrap_or_default();
        values.iter().map(|v| (v["value"].as_str().unwrap().to_owned(), v["runs"].as_u64().unwrap())).collect()
    };
    let pair = |value: &str, runs: u64| (value.to_owned(), runs);
    let (_, all) = get(&fixture.app, "/api/facets").await;
    assert_eq!(counts(&all, "status"), [pair("succeeded", 3), pair("failed", 2)]);
    assert_eq!(counts(&all, "metadata.customer"), [pair("acme", 2), pair("globex", 1), pair("initech", 1)]);
    assert_eq!(all["countedNewest"], Value::Null);
    let (_, some) = get(&fixture.app, "/api/facets?q=env:prod").await;
    assert_eq!(counts(&some, "status"), [pair("succeeded", 2), pair("failed", 1)]);
    assert_eq!(counts(&some, "tool"), [pair("calculator", 1)]);

    let (_, values) = get(&fixture.app, "/api/values?key=metadata.customer&prefix=a").await;
    assert_eq!(values, json!([{ "value": "acme", "runs": 2, "selected": false }]));
    for query in ["", "?q=env:prod,dev", "?q=since:1h"] {
        let (status, histogram) = get(&fixture.app, &format!("/api/histogram{query}")).await;
        let runs: u64 = histogram["buckets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bucket| bucket["runs"].as_object().unwrap().values().map(|runs| runs.as_u64().unwrap()).sum::<u64>())
            .sum();
        assert_eq!((status, runs), (200, if query.contains("env") { 4 } else { 5 }), "{query}: {histogram}");
    }
    assert_eq!(get(&fixture.app, "/api/facets?q=status:lost").await.0, 400);
}

#[tokio::test]
async fn a_finished_log_is_compressed_and_reads_the_same() {
    let app = TestApp::start().await;
    let script = format!("/say {}", "many words in a row ".repeat(30));
    let id = app.finished_run(DEMO, &script, json!({})).await;
    let stream = app.sandbox_stream(DEMO, &id).await;
    let expected: Vec<Value> = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: ").or_else(|| line.strip_prefix("data:")))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    assert!(expected.len() > 10);
    get(&app, &format!("/api/runs/{id}")).await;
    let database = app.database.connect().await;
    let count = |sql: &'static str| {
        let database = database.clone();
        async move { sqlx::query_scalar::<_, i64>(sql).fetch_one(&database).await.unwrap() }
    };
    assert_eq!(count("SELECT COUNT(*) FROM run_event").await, 0);
    assert_eq!(count("SELECT COUNT(*) FROM run_log").await, 1);
    assert_eq!(count("SELECT CAST(SUM(events) AS BIGINT) FROM run_log").await, expected.len() as i64);
    let events = app.http.get(app.url(&format!("/api/runs/{id}/events"))).bearer_auth(api_key(DEMO));
    let events = events.send().await.unwrap().text().await.unwrap();
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events, expected);
    // The relay reads any part of it.
    let delta = |event: &Value| (event["type"] == "assistant_delta").then(|| event["data"]["text"].clone());
    for after in [0, 3, expected.len() - 1] {
        let url = app.url(&format!("/runs/{id}/live?after={after}"));
        let relayed = app.http.get(url).bearer_auth(api_key(DEMO)).send().await.unwrap().text().await.unwrap();
        let updates: Vec<Value> = relayed
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .filter(|data| *data != "{}")
            .map(|data| serde_json::from_str(data).unwrap())
            .collect();
        let texts: Vec<Value> = updates.iter().filter_map(|update| update.get("text").cloned()).collect();
        assert_eq!(texts, expected[after..].iter().filter_map(delta).collect::<Vec<_>>(), "after {after}");
        assert_eq!(updates.last().unwrap()["seq"], expected.last().unwrap()["seq"], "after {after}");
    }
    // Opening it again changes nothing.
    get(&app, &format!("/api/runs/{id}")).await;
    assert_eq!(count("SELECT COUNT(*) FROM run_log").await, 1);
}

#[tokio::test]
async fn runs_beyond_the_size_limit_are_deleted_with_all_their_rows() {
    let app = TestApp::start().await;
    let id = app.finished_run(DEMO, "/say judged", json!({})).await;
    let mut browser = app.signed_in(DEMO).await;
    browser.open(&format!("/runs/{id}")).await;
    let judged = browser.call("give-feedback", &[("id", &id), ("thumb", "UP"), ("explanation", "good")]).await;
    assert_eq!(judged.0, 200, "{}", judged.1);
    let log = "{\"seq\":1,\"type\":\"result\",\"data\":{\"text\":\"x\"}}";
    let (waiting, call) = crate::actions::waiting_run(&app, &mut browser).await;
    let form = [("id", waiting.as_str()), ("tool_use_id", call.as_str()), ("text", "{}")];
    assert_eq!(browser.answer(&form).await.status, 200);
    app.sandbox_stream(DEMO, &waiting).await;
    browser.open(&format!("/runs/{waiting}")).await;
    let imported = app.http.post(app.url("/api/import")).bearer_auth(api_key(DEMO)).body(log).send().await.unwrap();
    assert_eq!(imported.status(), 201);
    let database = app.database.connect().await;
    let answers: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM run_answer").fetch_one(&database).await.unwrap();
    assert_eq!(answers, 1);
    // Without a sign-in the restarted server doesn't sync the deleted runs again.
    browser.request(Method::POST, browser.url("/auth/sign-out"), &[]).await;
    app.running.stop().await.unwrap();
    let mut config = crate::harness::test_config(app.dir.path().to_owned(), app.database.url.clone());
    config.retention.max_bytes = Some(1);
    let again = runlens::serve::start(config).await.unwrap();
    eventually("the deletion of all runs", async || {
        let left: i64 = sqlx::query_scalar(
            "SELECT (SELECT COUNT(*) FROM run) + (SELECT COUNT(*) FROM run_log) + (SELECT COUNT(*) FROM run_spec) \
             + (SELECT COUNT(*) FROM run_feedback) + (SELECT COUNT(*) FROM run_import) \
             + (SELECT COUNT(*) FROM run_answer) + (SELECT COUNT(*) FROM run_answerer) \
             + (SELECT COUNT(*) FROM run_tag)",
        )
        .fetch_one(&database)
        .await
        .unwrap();
        (left == 0).then_some(())
    })
    .await;
    again.stop().await.unwrap();
}

#[tokio::test]
async fn runs_beyond_the_age_limit_are_deleted() {
    let app = TestApp::start_with(|config| config.retention.max_age_ms = Some(1)).await;
    let id = app.finished_run(DEMO, "/say gone soon", json!({ "metadata": { "a": "b" } })).await;
    let mut browser = app.signed_in(DEMO).await;
    browser.open(&format!("/runs/{id}")).await;
    let database = app.database.connect().await;
    browser.request(Method::POST, browser.url("/auth/sign-out"), &[]).await;
    app.running.stop().await.unwrap();
    let mut config = crate::harness::test_config(app.dir.path().to_owned(), app.database.url.clone());
    config.retention.max_age_ms = Some(1);
    let again = runlens::serve::start(config).await.unwrap();
    eventually("the deletion of all runs", async || {
        let left: i64 = sqlx::query_scalar(
            "SELECT (SELECT COUNT(*) FROM run) + (SELECT COUNT(*) FROM run_tag) \
             + (SELECT CAST(COALESCE(SUM(runs), 0) AS BIGINT) FROM tag) + (SELECT COUNT(*) FROM run_log)",
        )
        .fetch_one(&database)
        .await
        .unwrap();
        (left == 0).then_some(())
    })
    .await;
    again.stop().await.unwrap();
}
