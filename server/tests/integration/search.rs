//! Search: what a list shows is found by any of its words, also while it is typed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::harness::{DEMO, TestApp, api_key};

async fn get(app: &TestApp, path: &str) -> Value {
    let answer = app.http.get(app.url(path)).bearer_auth(api_key(DEMO)).send().await.unwrap();
    let status = answer.status();
    let body: Value = answer.json().await.unwrap();
    assert_eq!(status, 200, "{path}: {body}");
    body
}

async fn list(app: &TestApp, query: &str) -> Vec<Value> {
    let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
    let page = get(app, &format!("/api/runs?limit=200&q={query}")).await;
    page["runs"].as_array().unwrap().clone()
}

async fn names(app: &TestApp, query: &str) -> Vec<String> {
    let mut names: Vec<String> =
        list(app, query).await.iter().map(|run| run["name"].as_str().unwrap_or("").to_owned()).collect();
    names.sort();
    names
}

/// Reads the log of each listed run, as opening its page does.
async fn open_all(app: &TestApp) {
    for run in list(app, "").await {
        get(app, &format!("/api/runs/{}", run["id"].as_str().unwrap())).await;
    }
}

/// The words of a text as a reader would type them: without punctuation around them. Those that are syntax are left out.
fn typed(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty() && !word.contains(['"', ':', ',']) && !["OR", "AND", "NOT"].contains(word))
}

#[tokio::test]
async fn every_word_that_the_list_shows_finds_its_run() {
    let app = TestApp::start_beside(|sandbox| sandbox.demo = true).await;
    app.sandbox.as_ref().unwrap().demo_done().await;
    open_all(&app).await;
    let runs = list(&app, "").await;
    assert!(runs.len() > 40, "{}", runs.len());
    let mut runs_by_word: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for run in &runs {
        let metadata = run["metadata"].as_object().unwrap().values();
        let fields = ["name", "inputPreview", "model", "agentId", "reason"].map(|field| &run[field]);
        for text in fields.into_iter().chain(metadata).filter_map(Value::as_str) {
            for word in typed(text) {
                let id = run["id"].as_str().unwrap();
                runs_by_word.entry(word.to_owned()).or_default().insert(id.to_owned());
                // Half of it is enough.
                let half: String = word.chars().take(word.chars().count().div_ceil(2)).collect();
                if typed(&half).next() == Some(&half) {
                    runs_by_word.entry(half).or_default().insert(id.to_owned());
                }
            }
        }
    }
    assert!(runs_by_word.len() > 300, "{}", runs_by_word.len());
    assert!(runs.iter().any(|run| run["reason"].is_string()));
    for (word, expected) in runs_by_word {
        let found: BTreeSet<String> =
            list(&app, &word).await.iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect();
        let missing: Vec<&String> = expected.difference(&found).collect();
        assert!(missing.is_empty(), "{word} does not find {missing:?}");
    }
}

#[tokio::test]
async fn words_are_beginnings_and_quotes_are_exact() {
    let app = TestApp::start().await;
    let run = async |name: &str, script: &str, more: Value| {
        let mut spec = json!({ "name": name });
        more.as_object().into_iter().flatten().for_each(|(key, value)| spec[key] = value.clone());
        app.finished_run(DEMO, script, spec).await
    };
    run("research-brief", "/say Nothing to see.", json!({ "metadata": { "customer": "Umbrella Corp" } })).await;
    run("refund-approval", "/say The research is over.", json!({})).await;
    let tools = json!([{ "kind": "mantyx_plugin", "name": "document_search" }]);
    run("policies", "/call document_search {\"query\":\"refund policy\"}\n/say Done.", json!({ "tools": tools })).await;
    run("limited", "/fail rate_limit", json!({})).await;
    open_all(&app).await;
    let cases: &[(&str, &[&str])] = &[
        ("research", &["refund-approval", "research-brief"]),
        ("RESEA", &["refund-approval", "research-brief"]),
        ("research-brief", &["research-brief"]),
        ("research-bri", &["research-brief"]),
        ("refun", &["policies", "refund-approval"]),
        ("re", &["limited", "policies", "refund-approval", "research-brief"]),
        ("name:research", &["research-brief"]),
        ("name:brief", &["research-brief"]),
        ("name:research-brief", &["research-brief"]),
        ("name:refund-approval,research-b", &["refund-approval", "research-brief"]),
        ("name:refund-approval,research-x", &["refund-approval"]),
        ("-name:research", &["limited", "policies", "refund-approval"]),
        ("agent:resea", &["research-brief"]),
        ("umbre", &["research-brief"]),
        ("\"umbrella corp\"", &["research-brief"]),
        ("\"umbrella cor\"", &[]),
        ("\"umbre\"", &[]),
        ("\"research\"", &["refund-approval", "research-brief"]),
        ("\"research is\" ref", &["refund-approval"]),
        ("text:umbr,\"research is\"", &["refund-approval", "research-brief"]),
        ("rate-limited", &["limited"]),
        ("reque name:limi", &["limited"]),
        ("-refun -umbrella", &["limited"]),
        ("document_se", &["policies"]),
        // From the document that the tool returned.
        ("30 days refunds", &["policies"]),
        // Copied from a text, with a sign between words.
        ("30 * days", &["policies"]),
        ("nowherefound", &[]),
    ];
    for (query, expected) in cases {
        assert_eq!(names(&app, query).await, *expected, "{query}");
    }
}

#[tokio::test]
async fn a_run_is_found_by_its_id() {
    let app = TestApp::start().await;
    let run = app.finished_run(DEMO, "/say x", json!({ "name": "one", "metadata": { "env": "prod" } })).await;
    app.finished_run(DEMO, "/say run_tests", json!({ "name": "other" })).await;
    open_all(&app).await;
    for (query, expected) in [
        (run.clone(), vec!["one"]),
        (format!("{run} env:prod"), vec!["one"]),
        (format!("{run} env:dev"), vec![]),
        (format!("text:{run},x"), vec!["one"]),
        (format!("-{run} other"), vec!["other"]),
        ("run_tests".to_owned(), vec!["other"]),
    ] {
        assert_eq!(names(&app, &query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn the_palette_finds_runs_by_name_first() {
    let app = TestApp::start().await;
    app.finished_run(DEMO, "/say x", json!({ "name": "research-brief" })).await;
    for _ in 0..6 {
        app.finished_run(DEMO, "/say All the research.", json!({ "name": "other" })).await;
    }
    open_all(&app).await;
    let mut browser = app.signed_in(DEMO).await;
    let (status, found) = browser.read("palette?text=research").await;
    assert_eq!(status, 200, "{found}");
    let text = found.to_string();
    let (named, other) = (text.find("research-brief"), text.find("\"other\""));
    assert!(named.is_some() && named < other, "{text}");
}

#[tokio::test]
async fn the_only_clause_of_a_filter_is_not_suggested_for_removal() {
    let app = TestApp::start().await;
    app.finished_run(DEMO, "/say x", json!({ "metadata": { "env": "prod" } })).await;
    for (query, excluding) in [("nowhere", json!(null)), ("env:prod+nowhere", json!(["nowhere"]))] {
        let page = get(&app, &format!("/api/runs?q={query}")).await;
        assert_eq!((&page["runs"], &page["excluding"]), (&json!([]), &excluding), "{query}");
    }
}

#[tokio::test]
async fn a_list_is_sorted_and_counted() {
    let app = TestApp::start().await;
    for i in 0..5 {
        let script = format!("/say {}", "word ".repeat(10 * ((i * 2) % 5 + 1)));
        let env = if i < 3 { "prod" } else { "dev" };
        app.finished_run(DEMO, &script, json!({ "metadata": { "env": env } })).await;
    }
    open_all(&app).await;
    let tokens =
        |run: &Value| run["tokens"]["inputTokens"].as_u64().unwrap() + run["tokens"]["outputTokens"].as_u64().unwrap();
    for query in ["", "env:prod,dev", "word", "env:prod"] {
        let mut listed = Vec::new();
        let mut cursor = String::new();
        for page_number in 0.. {
            assert!(page_number < 10, "the list has an end");
            let page = get(&app, &format!("/api/runs?q={query}&sort=-tokens&limit=2{cursor}")).await;
            listed.extend(page["runs"].as_array().unwrap().iter().map(tokens));
            let Some(next) = page["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        let runs = list(&app, query).await.len();
        assert!(listed.len() == runs && listed.is_sorted_by(|a, b| a >= b), "{query}: {listed:?}");
        let count = get(&app, &format!("/api/count?q={query}")).await;
        assert_eq!(count, json!({ "runs": runs, "isExact": true }), "{query}");
    }
    let bad = app.http.get(app.url("/api/runs?sort=-status")).bearer_auth(api_key(DEMO)).send().await.unwrap();
    assert_eq!(bad.status(), 400);
    let other =
        app.http.get(app.url("/api/runs?sort=cost&cursor=123")).bearer_auth(api_key(DEMO)).send().await.unwrap();
    assert_eq!(other.status(), 400, "a cursor of another order");
}

#[tokio::test]
async fn a_facet_lists_the_other_values_of_its_key() {
    let app = TestApp::start().await;
    for (customer, env) in [("acme", "prod"), ("acme", "dev"), ("globex", "prod"), ("initech", "dev")] {
        app.finished_run(DEMO, "/say x", json!({ "metadata": { "customer": customer, "env": env } })).await;
    }
    let values = async |query: &str, key: &str| -> Vec<(String, u64, bool)> {
        let facets = get(&app, &format!("/api/facets?q={query}")).await;
        let facet = facets["facets"].as_array().unwrap().iter().find(|facet| facet["key"] == key).unwrap().clone();
        let value = |value: &Value| {
            let selected = value["selected"].as_bool().unwrap();
            (value["value"].as_str().unwrap().to_owned(), value["runs"].as_u64().unwrap(), selected)
        };
        facet["values"].as_array().unwrap().iter().map(value).collect()
    };
    list(&app, "").await;
    let of = |value: &str, runs, selected| (value.to_owned(), runs, selected);
    assert_eq!(
        values("customer:globex", "metadata.customer").await,
        [of("acme", 2, false), of("globex", 1, true), of("initech", 1, false)]
    );
    assert_eq!(
        values("customer:globex,acme+env:prod", "metadata.customer").await,
        [of("acme", 1, true), of("globex", 1, true)]
    );
    assert_eq!(
        values("customer:globex,acme+env:prod", "metadata.env").await,
        [of("dev", 1, false), of("prod", 2, true)]
    );
}
