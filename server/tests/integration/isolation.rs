//! Isolation of workspaces: data of another workspace cannot be listed, opened or streamed, and looks like missing data.

use serde_json::{Value, json};

use crate::harness::{Answer, DEMO, OTHER, TestApp, api_key};

/// A response without the parts that differ between requests: the requested id and the nonce.
fn normalised(answer: Answer, id: &str) -> (u16, String) {
    let body = answer.body.replace(id, "ID");
    let mut parts = body.split("nonce=\"");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('"').map_or("", |(_, rest)| rest));
    (answer.status, std::iter::once(first.as_str()).chain(rest).collect())
}

#[tokio::test]
async fn runs_of_another_workspace_do_not_exist() {
    let app = TestApp::start().await;
    let secret =
        app.finished_run(OTHER, "/say the secret of the other", json!({ "metadata": { "customer": "acme" } })).await;
    let ours = app.finished_run(DEMO, "/say ours", json!({ "metadata": { "customer": "acme" } })).await;
    // The run is now stored in the same database: only the workspace id of each query separates it.
    let mut other = app.signed_in(OTHER).await;
    assert_eq!(other.open(&format!("/runs/{secret}")).await.status, 200);

    let mut demo = app.signed_in(DEMO).await;
    for path in ["/runs", "/runs?q=customer:acme", "/api/runs", "/api/runs?q=customer:acme"] {
        let answer = demo.open(path).await;
        assert_eq!(answer.status, 200);
        assert!(answer.body.contains(&ours) && !answer.body.contains(&secret), "{path}");
        assert!(!answer.body.contains("secret of the other"), "{path}");
    }
    // Metadata and names of another workspace are hidden too.
    let telling = json!({ "metadata": { "customer": "hidden-customer", "hidden-key": "x" }, "name": "hidden-name" });
    let telling = app.finished_run(OTHER, "/say hidden", telling).await;
    other.open(&format!("/runs/{telling}")).await;
    for path in [
        "/api/facets",
        "/api/facets?q=customer:acme,hidden-customer",
        "/api/values?key=metadata.customer",
        "/api/values?key=has",
        "/api/values?key=name",
        "/api/histogram?q=customer:hidden-customer",
        "/rpc/suggest?text=customer:&caret=9",
        "/rpc/suggest?text=hid&caret=3",
        "/rpc/palette?text=hidden",
        "/rpc/run-updates?q=",
        "/api/sessions",
        "/api/views",
    ] {
        let answer = demo.open(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        let ours = path.contains("hid").then(|| answer.body.replace("hidden\"", "").replace("hidden+", ""));
        let body = ours.unwrap_or(answer.body);
        for secret in ["hidden-customer", "hidden-key", "hidden-name", "secret of the other", telling.as_str()] {
            assert!(!body.contains(secret), "{path}: {body}");
        }
    }
    let unknown = format!("run_{}", "0".repeat(secret.len() - 4));
    for template in [
        "/runs/{id}",
        "/runs/{id}/live",
        "/runs/{id}/export",
        "/api/runs/{id}",
        "/api/runs/{id}/timeline",
        "/api/runs/{id}/events",
        "/rpc/run?id={id}",
        "/rpc/run-preview?id={id}",
    ] {
        let theirs = demo.open(&template.replace("{id}", &secret)).await;
        let missing = demo.open(&template.replace("{id}", &unknown)).await;
        assert_eq!(theirs.status, 404, "{template}: {}", theirs.body);
        assert_eq!(normalised(theirs, &secret), normalised(missing, &unknown), "{template}");
    }
}

#[tokio::test]
async fn a_bearer_only_sees_its_own_workspace() {
    let app = TestApp::start().await;
    let secret = app.finished_run(OTHER, "/say hidden", json!({})).await;
    let get = |path: String, slug: Option<&str>| {
        let mut request = app.http.get(app.url(&path)).bearer_auth(api_key(DEMO));
        if let Some(slug) = slug {
            request = request.header("X-Mantyx-Workspace", slug);
        }
        async move { request.send().await.unwrap() }
    };
    let answer = get(format!("/api/runs/{secret}"), None).await;
    assert_eq!(answer.status(), 404);
    let listed: Value = get("/api/runs".to_owned(), Some(OTHER)).await.json().await.unwrap();
    assert_eq!(listed["runs"], json!([]));
}
