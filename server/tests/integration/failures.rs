//! Failure groups: which runs belong to one, how they are counted, and how people and new runs change their state.

use std::process::Command;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, OTHER, TestApp, api_key, eventually};
use crate::times::import;

/// A log that ends with an error.
fn failed(class: &str, message: &str) -> String {
    json!({ "seq": 1, "type": "error", "data": { "error": message, "errorClass": class } }).to_string()
}

/// A log of a run that ended well after this call.
fn succeeded(events: &[Value]) -> String {
    let done = json!({ "type": "result", "data": { "subtype": "success", "text": "Done." } });
    let line = |(seq, event): (usize, &Value)| {
        let mut event = event.clone();
        event["seq"] = (seq + 1).into();
        event.to_string()
    };
    events.iter().chain([&done]).enumerate().map(line).collect::<Vec<_>>().join("\n")
}

async fn read(browser: &mut Browser, path: &str) -> Value {
    let answer = browser.open(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

async fn groups(browser: &mut Browser, parameters: &str) -> Vec<Value> {
    read(browser, &format!("/api/failures{parameters}")).await["groups"].as_array().unwrap().clone()
}

/// The only group, with its id.
async fn only_group(browser: &mut Browser) -> (Value, String) {
    let found = groups(browser, "").await;
    assert_eq!(found.len(), 1, "{found:?}");
    (found[0].clone(), found[0]["id"].as_str().unwrap().to_owned())
}

async fn change(app: &TestApp, browser: &mut Browser, id: &str, change: Value) -> (u16, Value) {
    let url = app.url(&format!("/api/failures/{id}"));
    let request = app.http.patch(url.clone()).header("origin", url.origin().ascii_serialization()).json(&change);
    let answer = browser.send(request, url).await;
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_default())
}

/// Actions of the audit log about failure groups, the oldest first, with who did them.
async fn audited(browser: &mut Browser) -> Vec<(String, String)> {
    let log = read(browser, "/api/audit?limit=200").await;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let entries = log["entries"].as_array().unwrap().iter().rev();
    let about_groups =
        entries.filter(|entry| entry["action"].as_str().is_some_and(|action| action.contains("failure")));
    about_groups.map(|entry| (text(&entry["action"]), text(&entry["actor"]))).collect()
}

#[tokio::test]
async fn runs_that_failed_alike_are_one_group_and_good_ones_are_in_none() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    for number in [17, 4_711, 99_999] {
        import(&mut browser, &failed("unknown", &format!("Order {number} was not found"))).await;
    }
    import(&mut browser, &failed("unknown", "Invoice 5 was not found")).await;
    import(&mut browser, &succeeded(&[])).await;
    let nudged = json!({ "type": "loop_detected", "data": { "consecutiveCount": 3, "tools": ["recall"] } });
    import(&mut browser, &succeeded(&[nudged])).await;
    import(&mut browser, r#"{"seq":1,"type":"cancelled","data":{"reason":"user"}}"#).await;
    let gave_up =
        json!({ "type": "loop_detected", "data": { "consecutiveCount": 6, "hardCutoff": true, "tools": ["recall"] } });
    let stopped = import(&mut browser, &succeeded(&[gave_up])).await;
    let cut_off = import(&mut browser, r#"{"seq":1,"type":"assistant_delta","data":{"text":"It"}}"#).await;

    let found = groups(&mut browser, "").await;
    let titles: Vec<(&str, u64)> =
        found.iter().map(|group| (group["title"].as_str().unwrap(), group["runs"].as_u64().unwrap())).collect();
    assert_eq!(titles[0], ("Order … was not found", 3), "most runs first: {titles:?}");
    for title in [
        "Invoice … was not found",
        "recall looped, and tools were turned off",
        "The imported log stops before the run's end",
    ] {
        assert!(titles.contains(&(title, 1)), "{title}: {titles:?}");
    }
    assert_eq!(titles.len(), 4, "{titles:?}");
    for group in &found {
        let (id, runs) = (group["id"].as_str().unwrap(), group["runs"].as_u64().unwrap());
        let counted = read(&mut browser, &format!("/api/count?q=group:{id}")).await;
        assert_eq!((counted["runs"].as_u64(), &counted["isExact"]), (Some(runs), &json!(true)), "{group}");
        let trend: u64 = group["trend"]["runs"].as_array().unwrap().iter().map(|runs| runs.as_u64().unwrap()).sum();
        assert_eq!((trend, &group["state"]), (runs, &json!("open")), "{group}");
        assert!(group["firstSeenAtMs"].as_i64().unwrap() <= group["lastSeenAtMs"].as_i64().unwrap(), "{group}");
    }
    for (run, title) in [(stopped, "recall looped"), (cut_off, "The imported log stops")] {
        let page = browser.open(&format!("/runs/{run}")).await.body;
        let stored = read(&mut browser, &format!("/api/runs/{run}")).await;
        let group = stored["group"].as_str().unwrap_or_else(|| panic!("{stored}"));
        assert!(page.contains(&format!("href=\"/failures/{group}\"")) && page.contains(title), "{page}");
    }
    let facets = read(&mut browser, "/api/facets").await;
    let facet = facets["facets"].as_array().unwrap().iter().find(|facet| facet["key"] == "group").unwrap();
    assert_eq!(facet["values"][0]["label"], "Order … was not found", "{facet}");
    let list = browser.open("/runs").await.body;
    assert!(list.contains("Failure group") && list.contains("Order … was not found"), "{list}");
}

#[tokio::test]
async fn a_tool_that_reports_a_failure_is_part_of_a_failure_and_is_found() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let log = |answer: Value| {
        let lines = [
            json!({ "seq": 1, "type": "tool_call", "data": { "toolUseId": "a", "name": "crm_lookup", "input": {} } }),
            json!({ "seq": 2, "type": "tool_result", "data": { "toolUseId": "a", "result": answer } }),
            json!({ "seq": 3, "type": "error", "data": { "error": "The worker stopped", "errorClass": "unknown" } }),
        ];
        lines.map(|line| line.to_string()).join("\n")
    };
    let mut with_failed_tool = Vec::new();
    for answer in [
        json!({ "success": 0 }),
        json!({ "success": false }),
        json!({ "ok": false }),
        json!({ "isError": true }),
        json!({ "error": "No such customer" }),
    ] {
        with_failed_tool.push(import(&mut browser, &log(answer)).await);
    }
    import(&mut browser, &log(json!({ "success": 1 }))).await;
    let found = groups(&mut browser, "").await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(
        (&found[0]["title"], &found[0]["runs"]),
        (&json!("The worker stopped, after crm_lookup failed"), &json!(5))
    );
    let affected = found[0]["affected"].as_array().unwrap();
    assert!(affected.contains(&json!({ "key": "failed-tool", "value": "crm_lookup", "runs": 5 })), "{affected:?}");
    for filter in ["is:tool-failed", "failed-tool:crm_lookup"] {
        assert_eq!(read(&mut browser, &format!("/api/count?q={filter}")).await["runs"], 5, "{filter}");
    }
    let page = browser.open(&format!("/runs/{}", with_failed_tool[0])).await.body;
    assert!(page.contains("reported failure"), "{page}");
}

#[tokio::test]
async fn a_new_run_reopens_a_resolved_group_and_leaves_a_muted_one_muted() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let log = failed("unknown", "Order 1 was not found");
    let first = import(&mut browser, &log).await;
    let (_, id) = only_group(&mut browser).await;
    let (status, resolved) = change(&app, &mut browser, &id, json!({ "state": "resolved" })).await;
    assert_eq!(
        (status, &resolved["state"], &resolved["changedBy"]),
        (200, &json!("resolved"), &json!("owner@demo.test"))
    );
    // Reading the first run again is not a new run.
    browser.open(&format!("/runs/{first}")).await;
    assert_eq!(only_group(&mut browser).await.0["state"], "resolved");
    assert_eq!(groups(&mut browser, "?state=open").await, Vec::<Value>::new());

    let second = import(&mut browser, &log).await;
    let (reopened, _) = only_group(&mut browser).await;
    assert_eq!(
        (&reopened["state"], &reopened["runs"], &reopened["reopenedByRunId"], &reopened["changedBy"]),
        (&json!("open"), &json!(2), &json!(second), &Value::Null)
    );
    let page = browser.open(&format!("/failures/{id}")).await.body;
    assert!(page.contains("reopened by the new run") && page.contains(&format!("/runs/{second}")), "{page}");

    assert_eq!(change(&app, &mut browser, &id, json!({ "state": "muted" })).await.0, 200);
    import(&mut browser, &log).await;
    let (muted, _) = only_group(&mut browser).await;
    assert_eq!((&muted["state"], &muted["runs"]), (&json!("muted"), &json!(3)));
    let counts = read(&mut browser, "/api/failures?state=muted").await["counts"].clone();
    assert_eq!(counts, json!({ "open": 0, "resolved": 0, "muted": 1 }));

    // What is so already gets no entry.
    assert_eq!(change(&app, &mut browser, &id, json!({ "state": "muted" })).await.0, 200);
    let person = "owner@demo.test".to_owned();
    let entry = |action: &str, actor: &str| (action.to_owned(), actor.to_owned());
    assert_eq!(
        audited(&mut browser).await,
        [
            entry("resolve_failure_group", &person),
            entry("reopen_failure_group", "server"),
            entry("mute_failure_group", &person),
        ]
    );
}

#[tokio::test]
async fn an_old_run_that_is_stored_later_does_not_reopen_a_group() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    import(&mut browser, &failed("unknown", "Order 1 was not found")).await;
    let (_, id) = only_group(&mut browser).await;
    change(&app, &mut browser, &id, json!({ "state": "resolved" })).await;
    // An export of a run that is older than the resolution.
    let exported = exported_long_ago(&mut browser).await;
    let old = import(&mut browser, &exported).await;
    let run = read(&mut browser, &format!("/api/runs/{old}")).await;
    assert_eq!(run["createdAtMs"], 1_770_000_000_000_i64, "{run}");
    let (group, _) = only_group(&mut browser).await;
    assert_eq!((&group["state"], &group["runs"]), (&json!("resolved"), &json!(2)));
    assert_eq!(group["firstSeenAtMs"], 1_770_000_000_000_i64);
}

#[tokio::test]
async fn a_log_of_earlier_events_does_not_reopen_a_group() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    import(&mut browser, &failed("unknown", "Order 1 was not found")).await;
    let (_, id) = only_group(&mut browser).await;
    change(&app, &mut browser, &id, json!({ "state": "resolved" })).await;
    let mut event: Value = serde_json::from_str(&failed("unknown", "Order 2 was not found")).unwrap();
    event["at"] = 1_770_000_000_000_i64.into();
    let old = import(&mut browser, &event.to_string()).await;
    let run = read(&mut browser, &format!("/api/runs/{old}")).await;
    assert_eq!(run["createdAtMs"], 1_770_000_000_000_i64, "{run}");
    let (group, _) = only_group(&mut browser).await;
    assert_eq!((&group["state"], &group["runs"]), (&json!("resolved"), &json!(2)));
}

/// The export of the newest run, as of a run that was created long ago.
async fn exported_long_ago(browser: &mut Browser) -> String {
    let list = read(browser, "/api/runs?q=is:imported").await;
    let id = list["runs"][0]["id"].as_str().unwrap();
    let created_at = list["runs"][0]["createdAtMs"].to_string();
    let export = browser.open(&format!("/runs/{id}/export")).await;
    assert_eq!(export.status, 200);
    export.body.replace(&created_at, "1770000000000")
}

#[tokio::test]
async fn plain_forms_set_the_state_and_the_note() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    import(&mut browser, &failed("unknown", "Order 1 <b>was</b> not found")).await;
    let (_, id) = only_group(&mut browser).await;
    let page = browser.open(&format!("/failures/{id}")).await;
    assert_eq!(page.status, 200);
    for words in
        ["Order … &lt;b&gt;was&lt;/b&gt; not found", "Resolve", "Mute", "Save note", "Typical finding", "Next step"]
    {
        assert!(page.body.contains(words), "{words}: {}", page.body);
    }
    let url = app.url(&format!("/failures/{id}"));
    let note = "</textarea><script>alert(1)</script> since the deploy";
    for form in [[("note", note)], [("state", "resolved")]] {
        let done = browser.request(Method::POST, url.clone(), &form).await;
        assert_eq!((done.status, done.headers["location"].to_str().unwrap()), (303, url.path()), "{}", done.body);
    }
    // The forms lead back to the time range that is shown.
    let page = browser.open(&format!("/failures/{id}?since=30d")).await.body;
    let return_to = format!("name=\"return_to\" value=\"{}?since=30d\"", url.path());
    let action = format!("action=\"{}\"", url.path());
    let forms: Vec<&str> = page.split("<form").filter(|form| form.contains(&action)).collect();
    assert!(forms.len() > 1 && forms.iter().all(|form| form.contains(&return_to)), "{page}");
    let back = format!("{}?since=30d", url.path());
    let done = browser.request(Method::POST, url.clone(), &[("state", "resolved"), ("return_to", &back)]).await;
    assert_eq!(done.headers["location"].to_str().unwrap(), back);
    let page = browser.open(url.path()).await.body;
    assert!(page.contains("Resolved by owner@demo.test") && page.contains("Reopen"), "{page}");
    assert!(page.contains("since the deploy") && !page.contains("<script>alert"), "{page}");
    let list = browser.open("/failures?state=resolved").await.body;
    assert!(list.contains(&id) && list.contains("sparkline"), "{list}");
    assert!(browser.open("/failures").await.body.contains("No open failures"));
    let too_long = "x".repeat(2_001);
    let refused = browser.request(Method::POST, url.clone(), &[("note", &too_long)]).await;
    assert!(refused.status == 400 && refused.body.contains(&too_long), "the text is not lost: {}", refused.status);
    for (body, status) in [(json!({ "state": "closed" }), 400), (json!({ "note": "x".repeat(2_001) }), 400)] {
        assert_eq!(change(&app, &mut browser, &id, body).await.0, status);
    }
    assert_eq!(change(&app, &mut browser, "failed-000000000000", json!({ "state": "open" })).await.0, 404);
    assert_eq!(browser.open("/failures/failed-000000000000").await.status, 404);
}

#[tokio::test]
async fn a_row_and_the_page_behind_it_count_the_same_runs() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    import(&mut browser, &failed("unknown", "Order 1 was not found")).await;
    let old = exported_long_ago(&mut browser).await;
    import(&mut browser, &old).await;
    let (group, id) = only_group(&mut browser).await;
    assert_eq!(group["runs"], 2);
    let list = browser.open("/failures").await.body;
    let href = format!("/failures/{id}?since=30d");
    assert!(list.contains(&format!("href=\"{href}\"")), "{list}");
    let page = browser.open(&href).await.body;
    assert!(page.contains("Last 30 days") && page.contains("<dt>Runs</dt>"), "{page}");
    let runs = page.split("<dt>Runs</dt>").nth(1).unwrap_or_default();
    assert!(runs.split("</dd>").next().is_some_and(|runs| runs.contains(">1<")), "{page}");
}

#[tokio::test]
async fn a_list_that_is_not_of_all_groups_says_so() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    import(&mut browser, &failed("unknown", "Order 1 was not found")).await;
    const NOTICE: &str = "list and counts are of the 2,000 that were seen last.";
    assert_eq!(read(&mut browser, "/api/failures").await["countedNewest"], Value::Null);
    assert!(!browser.open("/failures").await.body.contains(NOTICE));
    let pool = app.database.connect().await;
    let more = "WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 2000) \
         INSERT INTO failure_group (workspace_id, id, title, next_step, runs, first_seen_at, last_seen_at, state) \
         SELECT g.workspace_id, 'failed-' || i, g.title, g.next_step, 1, g.first_seen_at, g.last_seen_at, g.state \
         FROM failure_group g CROSS JOIN number";
    sqlx::query(more).execute(&pool).await.unwrap();
    assert_eq!(read(&mut browser, "/api/failures").await["countedNewest"], 2_000);
    let page = browser.open("/failures").await.body;
    assert!(page.contains(NOTICE), "{page}");
}

#[tokio::test]
async fn a_time_range_limits_groups_and_an_invalid_one_is_explained() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    import(&mut browser, &failed("unknown", "Order 1 was not found")).await;
    let old = exported_long_ago(&mut browser).await;
    import(&mut browser, &old).await;
    assert_eq!(groups(&mut browser, "").await[0]["runs"], 2);
    assert_eq!(groups(&mut browser, "?since=24h").await[0]["runs"], 1);
    assert_eq!(groups(&mut browser, "?before=2026-03-01").await[0]["runs"], 1);
    assert_eq!(groups(&mut browser, "?since=2026-03-01&before=2026-04-01").await, Vec::<Value>::new());
    let (_, id) = only_group(&mut browser).await;
    assert_eq!(read(&mut browser, &format!("/api/failures/{id}?since=24h")).await["runs"], 1);
    for (parameters, words) in [
        ("since=soon", "Write the time as"),
        ("since=2026-04-01&before=2026-03-01", "The time range is empty"),
        ("sort=name", "Use one of"),
        ("state=closed", "Use one of"),
        ("cursor=x", "no longer exists"),
    ] {
        let answer = browser.open(&format!("/api/failures?{parameters}")).await;
        assert!(answer.status == 400 && answer.body.contains(words), "{parameters}: {}", answer.body);
    }
    let page = browser.open("/failures?since=2026-04-01&before=2026-03-01").await;
    assert!(page.status == 400 && page.body.contains("The time range is empty"), "{}", page.body);
}

#[tokio::test]
async fn a_page_of_groups_ends_where_the_next_one_begins() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    for word in ["alpha", "beta", "gamma"] {
        import(&mut browser, &failed("unknown", &format!("No {word} here"))).await;
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    for _ in 0..3 {
        let page = read(&mut browser, &format!("/api/failures?limit=1&sort=last-seen{cursor}")).await;
        seen.push(page["groups"][0]["title"].as_str().unwrap().to_owned());
        cursor = page["nextCursor"].as_str().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
    }
    assert_eq!(
        (seen.as_slice(), cursor.as_str()),
        (&["No gamma here", "No beta here", "No alpha here"].map(str::to_owned)[..], "")
    );
}

#[tokio::test]
async fn failures_of_another_workspace_do_not_exist() {
    let app = TestApp::start().await;
    let mut demo = app.signed_in(DEMO).await;
    import(&mut demo, &failed("unknown", "Order 1 was not found")).await;
    let (_, id) = only_group(&mut demo).await;
    let mut other = app.signed_in(OTHER).await;
    assert_eq!(groups(&mut other, "").await, Vec::<Value>::new());
    assert_eq!(other.open(&format!("/failures/{id}")).await.status, 404);
    assert_eq!(other.open(&format!("/api/failures/{id}")).await.status, 404);
    assert_eq!(change(&app, &mut other, &id, json!({ "state": "resolved" })).await.0, 404);
    assert!(!other.open("/runs").await.body.contains("Order …"));
    // The same failure has the same id there, and its own state.
    import(&mut other, &failed("unknown", "Order 2 was not found")).await;
    assert_eq!(change(&app, &mut other, &id, json!({ "state": "muted" })).await.0, 200);
    let (group, _) = only_group(&mut demo).await;
    assert_eq!((&group["state"], &group["runs"]), (&json!("open"), &json!(1)));
    let url = app.url("/api/failures");
    let answer = app.http.get(url).bearer_auth(api_key(OTHER)).send().await.unwrap().json::<Value>().await.unwrap();
    assert_eq!(answer["groups"][0]["state"], "muted", "{answer}");
}

#[tokio::test]
async fn an_impossible_creation_time_in_a_file_breaks_no_group() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let before = chrono::Utc::now().timestamp_millis();
    for created_at_ms in [i64::MIN, -9_200_000_000_000_000, i64::MAX, 5] {
        let header = json!({ "runlens": 1, "run": { "createdAtMs": created_at_ms } });
        let log = format!("{header}\n{}", failed("unknown", "Order 1 was not found"));
        let id = import(&mut browser, &log).await;
        let run = read(&mut browser, &format!("/api/runs/{id}")).await;
        assert!(run["createdAtMs"].as_i64().unwrap() >= before, "{run}");
    }
    let (group, id) = only_group(&mut browser).await;
    assert_eq!(group["runs"], 4);
    for since in ["15000000w", "0001-01-01"] {
        assert_eq!(groups(&mut browser, &format!("?since={since}")).await[0]["runs"], 4, "{since}");
        let chart = browser.open(&format!("/runs?q=since:{since}")).await;
        assert!(chart.status == 200 && chart.body.contains("4 failed"), "{since}: {}", chart.body);
    }
    assert_eq!(change(&app, &mut browser, &id, json!({ "note": "seen" })).await.0, 200);
}

#[tokio::test]
async fn a_run_from_the_future_reopens_a_group_now() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    import(&mut browser, &failed("unknown", "Order 1 was not found")).await;
    let (_, id) = only_group(&mut browser).await;
    change(&app, &mut browser, &id, json!({ "state": "resolved" })).await;
    let header = json!({ "runlens": 1, "run": { "createdAtMs": 4_000_000_000_000_i64 } });
    import(&mut browser, &format!("{header}\n{}", failed("unknown", "Order 2 was not found"))).await;
    let (group, _) = only_group(&mut browser).await;
    assert_eq!(group["state"], "open", "{group}");
    let log = read(&mut browser, "/api/audit?limit=200").await;
    for entry in log["entries"].as_array().unwrap() {
        assert!(entry["atMs"].as_i64().unwrap() <= chrono::Utc::now().timestamp_millis(), "{entry}");
    }
}

#[tokio::test]
async fn the_second_of_two_people_does_not_replace_a_note_unseen() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    import(&mut browser, &failed("unknown", "Order 1 was not found")).await;
    let (_, id) = only_group(&mut browser).await;
    let page = browser.open(&format!("/failures/{id}")).await.body;
    assert!(page.contains(r#"name="replaces_note_at_ms" value="0""#), "{page}");
    let first = json!({ "note": "from the first", "replacesNoteAtMs": 0 });
    assert_eq!(change(&app, &mut browser, &id, first).await.0, 200);
    let url = app.url(&format!("/failures/{id}"));
    let form = [("note", "from the second"), ("replaces_note_at_ms", "0")];
    let refused = browser.request(Method::POST, url.clone(), &form).await;
    assert_eq!(refused.status, 409);
    assert!(refused.body.contains("from the second"), "the text is not lost: {}", refused.body);
    let (group, _) = only_group(&mut browser).await;
    assert_eq!(group["note"]["text"], "from the first");
    let at_ms = group["note"]["atMs"].clone();
    let second = json!({ "note": "from the second", "replacesNoteAtMs": at_ms });
    assert_eq!(change(&app, &mut browser, &id, second).await.0, 200);
    // Scripts that do not name the note replace it.
    assert_eq!(change(&app, &mut browser, &id, json!({ "note": "" })).await.0, 200);
}

#[tokio::test]
async fn groups_are_counted_again_after_retention_and_erasure() {
    let app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let first = import(&mut browser, &failed("unknown", "zqorder 1 was not found")).await;
    let old = exported_long_ago(&mut browser).await;
    let second = import(&mut browser, &old).await;
    let (_, id) = only_group(&mut browser).await;
    let request = app.http.delete(app.url(&format!("/api/runs/{second}"))).bearer_auth(api_key(DEMO));
    assert_eq!(request.send().await.unwrap().status(), 200);
    let (group, _) = only_group(&mut browser).await;
    assert_eq!((&group["runs"], &group["firstSeenAtMs"]), (&json!(1), &group["lastSeenAtMs"]));

    // Retention deletes the old run again, and keeps what people set.
    import(&mut browser, &old).await;
    change(&app, &mut browser, &id, json!({ "state": "muted" })).await;
    let retain = || {
        let retained = Command::new(env!("CARGO_BIN_EXE_runlens"))
            .args(["retain"])
            .env_clear()
            .env("RUNLENS_DATA_DIR", app.dir.path())
            .env("DATABASE_URL", &app.database.url)
            .env("RUNLENS_RETAIN_DAYS", "100")
            .output()
            .unwrap();
        assert!(retained.status.success(), "{}", String::from_utf8_lossy(&retained.stderr));
    };
    retain();
    let (group, _) = only_group(&mut browser).await;
    assert_eq!((&group["runs"], &group["state"]), (&json!(1), &json!("muted")));

    // A group goes with the last of its runs.
    let header = json!({ "runlens": 1, "run": { "createdAtMs": 1_770_000_000_000_i64 } });
    import(&mut browser, &format!("{header}\n{}", failed("timeout", "Alone and old"))).await;
    assert_eq!(groups(&mut browser, "").await.len(), 2);
    retain();
    assert_eq!(groups(&mut browser, "").await.len(), 1);
    let database = app.database.connect().await;
    let titles: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM failure_group").fetch_one(&database).await.unwrap();
    assert_eq!(titles, 1);

    let request = app.http.delete(app.url(&format!("/api/runs/{first}"))).bearer_auth(api_key(DEMO));
    assert_eq!(request.send().await.unwrap().status(), 200);
    assert_eq!(groups(&mut browser, "").await, Vec::<Value>::new());
    let sql = "SELECT COUNT(*) FROM failure_group";
    let left: i64 = sqlx::query_scalar(sql).fetch_one(&database).await.unwrap();
    assert_eq!(left, 0, "the title of an erased run is gone");
}

#[tokio::test]
async fn a_run_that_ends_while_it_is_followed_joins_its_group_once() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = app.finished_run(DEMO, "/fail overloaded", json!({ "metadata": { "customer": "acme" } })).await;
    browser.open(&format!("/runs/{id}")).await;
    let group = eventually("the group", async || groups(&mut browser, "").await.first().cloned()).await;
    assert_eq!((&group["runs"], group["id"].as_str().unwrap().starts_with("failed-")), (&json!(1), true));
    // Opened again, synced again, counted once.
    for path in [format!("/runs/{id}"), "/runs".to_owned(), format!("/api/runs/{id}")] {
        assert_eq!(browser.open(&path).await.status, 200);
    }
    let (group, _) = only_group(&mut browser).await;
    let customer = json!({ "key": "metadata.customer", "value": "acme", "runs": 1 });
    assert!(group["runs"] == 1 && group["affected"].as_array().unwrap().contains(&customer), "{group}");
}
