//! The list of runs: sync, filters, paging, and the list while MANTYX is down.

use serde_json::json;

use crate::harness::{DEMO, TestApp, eventually};

#[tokio::test]
async fn lists_runs_of_mantyx_with_their_figures() {
    let app = TestApp::start().await;
    let metadata = json!({ "metadata": { "customer": "acme", "env": "prod" }, "name": "greeter" });
    let id = app.finished_run(DEMO, "/say hello there", metadata).await;
    let page = app.signed_in(DEMO).await.open("/runs").await;
    for expected in [&format!("/runs/{id}"), "greeter", "succeeded", "sandbox/script", "acme", "/say hello there"] {
        assert!(page.body.contains(expected), "{expected} is missing");
    }
}

#[tokio::test]
async fn filters_by_metadata_and_status_are_anded_and_shown_as_chips() {
    let app = TestApp::start().await;
    let tagged = |customer: &str, env: &str| json!({ "metadata": { "customer": customer, "env": env } });
    let acme_prod = app.finished_run(DEMO, "/say one", tagged("acme", "prod")).await;
    let acme_dev = app.finished_run(DEMO, "/say two", tagged("acme", "dev")).await;
    let failed = app.finished_run(DEMO, "/fail server", tagged("acme", "prod")).await;
    let globex = app.finished_run(DEMO, "/say three", tagged("globex", "prod")).await;
    let all = [&acme_prod, &acme_dev, &failed, &globex];
    let mut browser = app.signed_in(DEMO).await;
    let cases: [(&str, &[&String]); 7] = [
        ("/runs", &all),
        ("/runs?q=customer:acme", &[&acme_prod, &acme_dev, &failed]),
        ("/runs?metadata=customer:acme&metadata=env:prod", &[&acme_prod, &failed]),
        ("/runs?q=customer:acme+env:prod&status=failed", &[&failed]),
        ("/runs?status=succeeded&metadata=env:prod", &[&acme_prod, &globex]),
        ("/runs?q=-customer:acme", &[&globex]),
        ("/runs?q=customer:nobody", &[]),
    ];
    for (path, expected) in cases {
        let page = browser.open(path).await;
        assert_eq!(page.status, 200, "{path}");
        for id in all {
            assert_eq!(page.body.contains(id.as_str()), expected.contains(&id), "{path} and {id}");
        }
    }
    let page = browser.open("/runs?metadata=customer:acme&status=failed").await;
    assert!(
        page.body.contains("Remove the filter customer:acme") && page.body.contains("Remove the filter status:failed")
    );
}

#[tokio::test]
async fn pages_follow_each_other_without_a_gap_or_a_repetition() {
    let app = TestApp::start().await;
    let mut expected = Vec::new();
    for i in 0..60 {
        expected.push(app.finished_run(DEMO, &format!("/say {i}"), json!({ "metadata": { "batch": "b" } })).await);
    }
    expected.reverse();
    let mut browser = app.signed_in(DEMO).await;
    for filter in ["", "q=batch:b"] {
        let mut seen = Vec::new();
        let mut path = format!("/runs?{filter}");
        // An upper limit, so that the test ends.
        for _ in 0..10 {
            let page = browser.open(&path).await;
            seen.extend(
                page.body.split("href=\"/runs/").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()),
            );
            let next = page.body.split("href=\"").find(|rest| rest.contains(">Older runs<"));
            match next {
                Some(rest) => path = rest.split('"').next().unwrap().replace("&amp;", "&"),
                None => break,
            }
        }
        assert_eq!(seen, expected, "{filter}");
    }
}

#[tokio::test]
async fn runs_beyond_the_first_page_of_mantyx_are_synced_on_demand() {
    let app = TestApp::start().await;
    let first = app.finished_run(DEMO, "/json 1", json!({ "metadata": { "first": "yes" } })).await;
    for _ in 0..230 {
        app.start_run(DEMO, "/json 1", json!({})).await;
    }
    let mut browser = app.signed_in(DEMO).await;
    let found = browser.open("/runs?q=first:yes").await.body;
    assert!(found.contains(&first), "{found}");
    let listed = browser.open("/api/runs?limit=200").await;
    let listed: serde_json::Value = serde_json::from_str(&listed.body).unwrap();
    let rest = browser.open(&format!("/api/runs?limit=200&cursor={}", listed["nextCursor"].as_str().unwrap())).await;
    let rest: serde_json::Value = serde_json::from_str(&rest.body).unwrap();
    assert_eq!(rest["runs"].as_array().unwrap().len(), 31);
}

#[tokio::test]
async fn an_invalid_filter_is_explained_and_stays_in_the_form() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    for (query, message) in [
        ("q=status:lost", "Unknown status"),
        ("q=duration:30s", "Add a comparison"),
        ("q=a%22b:c", "Put quotes around the whole"),
        ("status=lost", "Unknown status"),
        ("metadata=nocolon", "Write metadata as key:value"),
        ("metadata=a/b:c", "Metadata keys may use letters"),
        (&format!("q={}", "a:b+".repeat(800)), "longer than 2000 characters"),
    ] {
        let page = browser.open(&format!("/runs?{query}")).await;
        assert_eq!(page.status, 400, "{query}");
        assert!(page.body.contains(message), "{query}: {message}");
    }
    assert!(browser.open("/runs?q=status:lost").await.body.contains("value=\"status:lost\""));
    assert_eq!(browser.open("/runs?cursor=nonsense").await.status, 400);
}

#[tokio::test]
async fn stored_runs_are_shown_while_mantyx_is_down() {
    let mut app = TestApp::start().await;
    let id = app.finished_run(DEMO, "/say kept", json!({})).await;
    let mut browser = app.signed_in(DEMO).await;
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 200);
    let sandbox = app.running.sandbox.take().unwrap();
    let addr = sandbox.addr();
    sandbox.shutdown().await;
    hang_up_on(addr).await;
    let page = browser.open(&format!("/runs/{id}")).await;
    assert!(page.status == 200 && page.body.contains("kept"));
    let missing = browser.open("/runs/run_never_seen").await;
    assert_eq!(missing.status, 503, "{}", missing.body);
    // The list was synced a moment ago, so it becomes stale only at the next sync.
    eventually("a stale list", async || {
        let list = browser.open("/runs").await;
        assert!(list.status == 200 && list.body.contains(&id));
        list.body.contains("MANTYX cannot be reached").then_some(())
    })
    .await;
}

/// Listens on the port and closes every connection, so that no other test's server can use it.
async fn hang_up_on(addr: std::net::SocketAddr) {
    let listener = tokio::net::TcpListener::bind(addr).await.unwrap();
    tokio::spawn(async move { while listener.accept().await.is_ok() {} });
}
