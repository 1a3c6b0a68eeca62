//! The launch page's form, as a browser sends it: what it keeps, what it refuses, and what MANTYX has to say about it.

use app::launch::sheet::{Item, LaunchAnswer, LaunchPage};
use app::wire::Wire;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Browser, DEMO, OTHER, TestApp, Trouble, Unsteady, api_key};

const SPEC: &str = r#"{"systemPrompt":"You help.","modelId":"sandbox/script","prompt":"/say hello"}"#;

async fn open(browser: &mut Browser, query: &str) -> LaunchPage {
    let (status, body) = browser.read(&format!("launch-page{query}")).await;
    assert_eq!(status, 200, "{body}");
    serde_json::from_value::<Wire<LaunchPage>>(body).unwrap().0
}

/// Where somebody signs in who is signed in already.
const AGAIN: &str = "/sign-in?return_to=%2Flaunch";

/// Sends the form with some of its fields, and gives the page that comes of it.
async fn send(browser: &mut Browser, page: &LaunchPage, fields: &[(&str, &str)]) -> LaunchPage {
    match answer(browser, page, fields).await {
        LaunchAnswer::Page { page } => *page,
        other => panic!("{other:?}"),
    }
}

async fn answer(browser: &mut Browser, page: &LaunchPage, fields: &[(&str, &str)]) -> LaunchAnswer {
    let fields = [&[("work", page.work.as_str())], fields].concat();
    let answer = browser.send_parts("/launch", &fields, &[], "application/json").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str::<Wire<LaunchAnswer>>(&answer.body).unwrap().0
}

async fn send_plain(browser: &mut Browser, page: &LaunchPage, fields: &[(&str, &str)]) -> Answer {
    let fields = [&[("work", page.work.as_str())], fields].concat();
    browser.send_parts("/launch", &fields, &[], "text/html").await
}

fn spec_of(page: &LaunchPage) -> Value {
    serde_json::from_str(&page.json).unwrap()
}

fn notices(page: &LaunchPage) -> String {
    serde_json::to_string(&page.notices).unwrap()
}

/// What is told beside the Launch button.
fn refusal(page: &LaunchPage) -> String {
    serde_json::to_string(&page.refusal).unwrap()
}

#[tokio::test]
async fn five_megabytes_of_files_go_through_the_form() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let spec = r#"{"systemPrompt":"s","modelId":"sandbox/script","messages":[{"role":"user","content":"/say read"}]}"#;
    let page = send(&mut browser, &page, &[("json", spec)]).await;
    let file = "a".repeat(5_000_000);
    let upload = [("f/messages/0/attachments", "large.txt", file.as_str())];
    let fields = [("work", page.work.as_str()), ("json", page.json.as_str()), ("do", "attach:/messages/0")];
    let sent = browser.send_parts("/launch", &fields, &upload, "application/json").await;
    assert_eq!(sent.status, 200, "{}", &sent.body[..sent.body.len().min(500)]);
    let LaunchAnswer::Page { page } = serde_json::from_str::<Wire<LaunchAnswer>>(&sent.body).unwrap().0 else {
        panic!("not a page");
    };
    assert!(page.json.len() < 2_000 && page.json.contains("large.txt"), "{}", page.json.len());
    assert_eq!(notices(&page), "[]");
    // The draft has it too.
    let page = open(&mut browser, "").await;
    let json = page.json.clone();
    let typed = [("json", json.as_str()), ("t/messages/0/content", "/say typed"), ("do", "launch")];
    let href = match answer(&mut browser, &page, &typed).await {
        LaunchAnswer::Done { href } => href,
        other => panic!("not launched: {other:?}"),
    };
    let spec = browser.read(&format!("launch-like?run_id={}", href.trim_start_matches("/runs/"))).await.1;
    let message = &spec["spec"]["messages"][0];
    assert_eq!(message["content"], "/say typed");
    assert_eq!(message["attachments"][0]["filename"], "large.txt", "{}", message["attachments"].to_string().len());
}

#[tokio::test]
async fn a_form_that_is_sent_after_a_sign_out_comes_back_with_the_next_sign_in() {
    let app = TestApp::start().await;
    for scripted in [false, true] {
        let mut browser = app.signed_in(DEMO).await;
        let page = open(&mut browser, "").await;
        browser.cookies.clear();
        let words = format!("Not to be lost, {scripted}");
        let fields = [("work", page.work.as_str()), ("t/prompt", words.as_str()), ("do", "launch")];
        let accept = if scripted { "application/json" } else { "text/html" };
        let sent = browser.send_parts("/launch", &fields, &[], accept).await;
        assert_eq!(sent.status, if scripted { 401 } else { 303 }, "{}", sent.body);
        let landed = browser.sign_in("/launch", DEMO).await;
        assert!(landed.body.contains(&words), "{}", landed.body);
        assert!(landed.body.contains("It was not launched."), "{}", landed.body);
    }
}

#[tokio::test]
async fn a_large_form_is_kept_too_when_this_server_gave_it_and_else_told_before_it_is_lost() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    browser.cookies.clear();
    let words = format!("{} Not to be lost", "x".repeat(150_000));
    let metadata = json!({ "prompt": words, "later": "y".repeat(400_000) }).to_string();
    let mut fields = vec![("work", page.work.as_str()), ("json", metadata.as_str())];
    let sent = browser.send_parts("/launch", &fields, &[], "application/json").await;
    assert_eq!(sent.status, 401, "{}", sent.body);
    let landed = browser.sign_in("/launch", DEMO).await;
    assert!(landed.body.contains(" Not to be lost"));
    assert_eq!(spec_of(&open(&mut browser, "").await)["later"].as_str().map(str::len), Some(400_000));

    browser.cookies.clear();
    let mut forged: Value = serde_json::from_str(&page.work).unwrap();
    forged["owner"] = "somebody else".into();
    let forged = forged.to_string();
    fields[0] = ("work", forged.as_str());
    let refused = browser.send_parts("/launch", &fields, &[], "application/json").await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("too large to be kept"), "{}", refused.body);
}

#[tokio::test]
async fn a_form_that_is_sent_after_a_sign_out_is_nobody_elses() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    browser.cookies.clear();
    send_plain(&mut browser, &page, &[("t/prompt", "A secret of mine")]).await;
    let landed = browser.sign_in("/launch", OTHER).await;
    assert!(!landed.body.contains("A secret of mine"));
}

#[tokio::test]
async fn a_form_is_refused_to_whoever_else_has_signed_in_since_and_comes_back_to_its_writer() {
    let app = TestApp::start().await;
    for action in ["", "launch", "batch", "save-template"] {
        let mut browser = app.signed_in(DEMO).await;
        let page = open(&mut browser, "").await;
        browser.sign_in(AGAIN, OTHER).await;
        let words = format!("/say Of demo alone, {action}");
        let fields =
            [("t/prompt", words.as_str()), ("q:inputs", "prompt\nx"), ("q:template-name", "Theirs"), ("do", action)];
        let LaunchAnswer::Foreign { message } = answer(&mut browser, &page, &fields).await else {
            panic!("taken for one of the other workspace: {action}");
        };
        assert!(message.contains("belongs to owner@demo.test (workspace demo)"), "{message}");
        let plain = send_plain(&mut browser, &page, &fields).await;
        assert_eq!(plain.status, 409, "{}", plain.body);
        assert!(
            plain.body.contains("belongs to owner@demo.test") && plain.body.contains("/sign-in?return_to=%2Flaunch")
        );

        let theirs = browser.open("/launch").await.body;
        assert!(!theirs.contains("Of demo alone") && !theirs.contains("Theirs"), "{theirs}");
        let runs = format!("{}/api/v1/workspaces/{OTHER}/agent-runs", app.sandbox_url());
        let runs: Value = app.http.get(runs).bearer_auth(api_key(OTHER)).send().await.unwrap().json().await.unwrap();
        assert_eq!(runs["runs"], json!([]));
        let landed = browser.sign_in(AGAIN, DEMO).await;
        assert!(landed.body.contains(&words), "{}", landed.body);
    }
}

#[tokio::test]
async fn beginning_something_else_keeps_what_was_written_before() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    send(&mut browser, &page, &[("t/prompt", "My own words")]).await;
    let template = open(&mut browser, "?template=built-in-hello").await;
    // Looking at a template changes nothing yet.
    assert_eq!(spec_of(&open(&mut browser, "").await)["prompt"], "My own words");
    let page = send(&mut browser, &template, &[("t/name", "renamed")]).await;
    assert!(notices(&page).contains("/launch?draft=earlier"), "{}", notices(&page));
    assert_eq!(spec_of(&open(&mut browser, "").await)["name"], "renamed");
    let earlier = open(&mut browser, "?draft=earlier").await;
    assert_eq!(spec_of(&earlier)["prompt"], "My own words");
    // And back again.
    send(&mut browser, &earlier, &[("t/prompt", "Mine again")]).await;
    assert_eq!(spec_of(&open(&mut browser, "").await)["prompt"], "Mine again");
    assert_eq!(spec_of(&open(&mut browser, "?draft=earlier").await)["name"], "renamed");
}

#[tokio::test]
async fn a_template_is_updated_in_its_place() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let named = [("json", SPEC), ("q:template-name", "Mine"), ("do", "save-template")];
    let page = send(&mut browser, &page, &named).await;
    let id = serde_json::to_string(&page.finish).unwrap().split("update-template:").nth(1).unwrap()[..8].to_owned();
    let (_, all) = browser.read("templates").await;
    let full = all[0]["id"].as_str().unwrap().to_owned();
    assert!(full.starts_with(&id[..id.len().min(full.len())]), "{full} {id}");
    let opened = open(&mut browser, &format!("?template={full}")).await;
    let update = format!("update-template:{full}");
    let shared = [("q:template-name", "Ours"), ("q:template-shared", "true"), ("t/prompt", "new"), ("do", &update)];
    send(&mut browser, &opened, &shared).await;
    let (_, all) = browser.read("templates").await;
    assert_eq!((&all[0]["id"], &all[0]["name"], &all[0]["shared"]), (&json!(full), &json!("Ours"), &json!(true)));
    assert_eq!(all[0]["content"]["spec"]["prompt"], "new");
    assert_ne!(all[1]["name"], "Mine");
}

#[tokio::test]
async fn a_launch_beyond_the_scope_leads_to_a_new_sign_in() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let sandbox = app.sandbox_database().await;
    sqlx::query("UPDATE access_tokens SET scope = replace(scope, 'runs:write', '')").execute(&sandbox).await.unwrap();
    let page = send(&mut browser, &page, &[("json", SPEC), ("do", "launch")]).await;
    let told = refusal(&page);
    assert!(told.contains("runs:write") && told.contains("/auth/start"), "{told}");
    assert_eq!(page.focus.as_deref(), Some("refusal"));
}

#[tokio::test]
async fn a_launch_too_many_is_told_when_to_try_again() {
    let limits = sandbox::RateLimits { runs: Some(1), ..sandbox::RateLimits::OFF };
    let app = TestApp::start_beside(|settings| settings.rate_limits = limits).await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let launch = [("json", SPEC), ("do", "launch")];
    assert!(matches!(answer(&mut browser, &page, &launch).await, LaunchAnswer::Done { .. }));
    let page = open(&mut browser, "").await;
    let page = send(&mut browser, &page, &[("do", "launch")]).await;
    let told = refusal(&page);
    assert!(told.contains("Try again in") && !told.contains("cannot be reached"), "{told}");
}

#[tokio::test]
async fn a_launch_that_nobody_confirmed_is_made_once_more_only_on_purpose() {
    let mut way = None;
    let app =
        TestApp::start_apart(|config| way = Some(Unsteady::before_launches(config, &[Trouble::AnswerLost]))).await;
    let posted = || way.as_ref().unwrap().posted();
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let page = send(&mut browser, &page, &[("json", SPEC), ("do", "launch")]).await;
    assert!(refusal(&page).contains("did not say whether it started the run") && page.unsure, "{}", refusal(&page));
    assert_eq!(page.focus.as_deref(), Some("refusal"));
    // Also after something else was written.
    let page = send(&mut browser, &page, &[("t/name", "renamed")]).await;
    assert_eq!((refusal(&page).as_str(), page.unsure), ("null", false));
    let page = send(&mut browser, &page, &[("do", "launch")]).await;
    assert!(page.unsure && posted() == 1, "{}", refusal(&page));
    let answer = answer(&mut browser, &page, &[("do", "launch-again")]).await;
    assert!(matches!(answer, LaunchAnswer::Done { .. }) && posted() == 2, "{answer:?}");
}

#[tokio::test]
async fn a_form_that_has_launched_something_else_launches_the_second_time() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let launch = |name: &'static str| [("json", SPEC), ("t/name", name), ("do", "launch")];
    assert!(matches!(answer(&mut browser, &page, &launch("")).await, LaunchAnswer::Done { .. }));
    let other = SPEC.replace("hello", "other");
    let told = send(&mut browser, &page, &[("json", &other), ("do", "launch")]).await;
    assert!(refusal(&told).contains("in another tab") && !refusal(&told).contains("eload"), "{}", refusal(&told));
    assert!(matches!(answer(&mut browser, &told, &[("do", "launch")]).await, LaunchAnswer::Done { .. }));
}

#[tokio::test]
async fn a_file_that_is_too_large_is_not_taken_and_the_words_are_kept() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let spec = r#"{"systemPrompt":"s","messages":[{"role":"user","content":"My words"}]}"#;
    let page = send(&mut browser, &page, &[("json", spec)]).await;
    assert_eq!(page.kept, "Draft kept.");
    let file = "a".repeat(6_000_000);
    let upload = [("f/messages/0/attachments", "large.txt", file.as_str())];
    let fields = [("work", page.work.as_str()), ("do", "attach:/messages/0")];
    let sent = browser.send_parts("/launch", &fields, &upload, "application/json").await;
    let LaunchAnswer::Page { page } = serde_json::from_str::<Wire<LaunchAnswer>>(&sent.body).unwrap().0 else {
        panic!("not a page");
    };
    assert!(
        page.problems.iter().any(|problem| problem.message.contains("large.txt is not attached")),
        "{:?}",
        page.problems
    );
    assert_eq!(spec_of(&page)["messages"], json!([{ "role": "user", "content": "My words" }]));

    let data = "QUJD".repeat(3_000_000);
    let files = json!([{ "type": "input_file", "filename": "f", "mimeType": "text/plain", "data": data }]);
    let spec = json!({ "messages": [{ "role": "user", "content": "More words", "attachments": files }] }).to_string();
    let page = send(&mut browser, &page, &[("json", &spec)]).await;
    assert!(page.kept.contains("without its files"), "{}", page.kept);
    assert_eq!(spec_of(&open(&mut browser, "").await)["messages"][0]["content"], "More words");
}

#[tokio::test]
async fn the_address_at_which_a_card_was_found_is_the_one_that_mantyx_is_given() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let base = format!("{}/demo/a2a", app.sandbox_url());
    let spec = json!({ "tools": [{ "kind": "a2a", "name": "desk", "agentCardUrl": base }] }).to_string();
    let page = send(&mut browser, &page, &[("json", &spec), ("do", "card:/tools/0")]).await;
    let found = spec_of(&page)["tools"][0]["agentCardUrl"].clone();
    assert_eq!(found, format!("{base}/.well-known/agent-card.json"), "{:?}", page.problems);
}

#[tokio::test]
async fn what_is_wrong_with_a_template_or_a_batch_is_forgotten_once_it_is_mended() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let page = send(&mut browser, &page, &[("json", SPEC), ("do", "save-template")]).await;
    assert_eq!((page.problems.len(), page.focus.as_deref()), (1, Some("f-q-template-name")));
    let page = send(&mut browser, &page, &[("q:template-name", "Named")]).await;
    assert_eq!(page.problems, []);
    let page = send(&mut browser, &page, &[("q:inputs", "[1]"), ("do", "batch")]).await;
    assert_eq!(page.problems.len(), 1);
    let page = send(&mut browser, &page, &[("q:inputs", "[\"x\"]")]).await;
    assert_eq!(page.problems, []);
}

#[tokio::test]
async fn a_batch_leads_to_the_list_of_its_runs_with_its_progress() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let inputs = "who\nAda\nGrace\n";
    let broken = [("json", "{ broken"), ("q:inputs", inputs), ("do", "batch")];
    let refused = send(&mut browser, &page, &broken).await;
    assert!(refused.problems.iter().any(|problem| problem.message.contains("JSON")), "{:?}", refused.problems);
    // What was written in the prompt would be lost.
    let lost = send(&mut browser, &refused, &[("json", SPEC), ("q:inputs", inputs), ("do", "batch")]).await;
    assert!(lost.problems.iter().any(|problem| problem.message.contains("{{who}}")), "{:?}", lost.problems);
    let spec = SPEC.replace("hello", "hello {{who}}");
    let shown = send(&mut browser, &lost, &[("json", &spec), ("q:inputs", inputs)]).await;
    assert!(serde_json::to_string(&shown.finish).unwrap().contains("2 runs. The first: “/say hello Ada”"));
    assert_eq!(shown.problems, []);
    let good = [("json", spec.as_str()), ("q:inputs", inputs), ("q:tag-value", "two words"), ("do", "batch")];
    let LaunchAnswer::Done { href } = answer(&mut browser, &shown, &good).await else { panic!("not launched") };
    assert!(href.starts_with("/runs?q=batch%3A%22two%20words%22&batch="), "{href}");
    let list = loop {
        let list = browser.open(&href).await.body;
        if list.contains("2 of 2 launched") {
            break list;
        }
    };
    assert!(list.contains("/launch/batches/"), "{list}");
    let found = browser.request(Method::GET, browser.url(&format!("/api{}", &href)), &[]).await.body;
    assert_eq!(serde_json::from_str::<Value>(&found).unwrap()["runs"].as_array().map(Vec::len), Some(2), "{found}");
}

#[tokio::test]
async fn the_demonstration_agent_answers_by_a_card_that_is_uploaded_and_by_one_that_mantyx_reads() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let address = format!("{}/demo/a2a/.well-known/agent-card.json", app.sandbox_url());
    let card = app.http.get(&address).send().await.unwrap().text().await.unwrap();
    let calls = "/call far_desk {\"message\":\"A-1001\"}\n/call order_desk {\"message\":\"A-1003\"}\n/say Asked.";
    let far = json!({ "kind": "a2a", "name": "far_desk", "description": "d", "agentCardUrl": address });
    let spec = json!({ "systemPrompt": "s", "modelId": "sandbox/script", "prompt": calls, "tools": [far, { "kind": "a2a_local" }] });
    let page = send(&mut browser, &page, &[("json", &spec.to_string())]).await;
    let fields = [("work", page.work.as_str()), ("do", "card:/tools/1")];
    let upload = [("f/tools/1/agentCard", "card.json", card.as_str())];
    let sent = browser.send_parts("/launch", &fields, &upload, "application/json").await;
    let LaunchAnswer::Page { page } = serde_json::from_str::<Wire<LaunchAnswer>>(&sent.body).unwrap().0 else {
        panic!("{}", sent.body);
    };
    let href = match answer(&mut browser, &page, &[("do", "launch")]).await {
        LaunchAnswer::Done { href } => href,
        other => panic!("not launched: {other:?}"),
    };
    let log = app.sandbox_stream(DEMO, href.trim_start_matches("/runs/")).await;
    assert!(log.contains("It left Hamburg") && log.contains("out of stock"), "{log}");
}

#[tokio::test]
async fn a_hostile_catalogue_is_drawn_as_text() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let hostile = "</textarea><script>alert(1)</script>";
    let spec = json!({ "systemPrompt": "s", "prompt": "p",
        "tools": [{ "kind": "mcp_local", "name": "m", "tools": [{ "name": hostile, "description": hostile }] }] });
    send(&mut browser, &page, &[("json", &spec.to_string())]).await;
    let drawn = browser.open("/launch").await.body;
    assert!(drawn.contains("alert(1)") && !drawn.contains("<script>alert"), "{drawn}");
}

#[tokio::test]
async fn red_lights_keep_a_run_from_being_launched_and_are_listed_with_their_place() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let spec = r#"{"systemPrompt":"s","prompt":"p","tools":[{"kind":"local","name":"ask"}]}"#;
    let page = send(&mut browser, &page, &[("json", spec)]).await;
    let page = send(&mut browser, &page, &[("a:ask:by", "mcp")]).await;
    let fields = [("a:ask:by", "mcp"), ("a:ask:url", "http://127.0.0.1:9/mcp"), ("do", "launch")];
    let page = send(&mut browser, &page, &fields).await;
    let problem = &page.problems[0];
    assert_eq!((problem.place.as_str(), problem.href.as_str()), ("Answers of ask", "#f-a-ask-by"), "{problem:?}");
}

#[tokio::test]
async fn the_tools_of_a_session_have_lights_too() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let mut spec: Value = serde_json::from_str(SPEC).unwrap();
    spec["tools"] = json!([{ "kind": "mantyx", "id": "tool_calculator" }, { "kind": "local", "name": "ask" },
        { "kind": "mcp_local", "name": "files", "tools": [{ "name": "read", "inputSchema": {} }] }]);
    let form = [("key", "a-key-of-its-own"), ("spec", &spec.to_string()), ("mode", "new_session")];
    let (status, launched) = browser.call("launch", &form).await;
    assert_eq!(status, 200, "{launched}");
    let query = format!("?session={}", launched["sessionId"].as_str().unwrap());

    let page = open(&mut browser, &query).await;
    let page = send(&mut browser, &page, &[("t/prompt", "/say on"), ("a:ask:by", "mcp"), ("do", "check")]).await;
    let lights = |page: &LaunchPage| {
        let tools = page.sections.iter().find(|section| section.id == "tools").unwrap();
        let group = tools.items.iter().find_map(|item| match item {
            Item::Group { id, lights, .. } if id == "f-session-tools" => Some(lights.clone()),
            _ => None,
        });
        group.unwrap().into_iter().map(|light| format!("{:?} {}", light.tone, light.message)).collect::<Vec<_>>()
    };
    let red = lights(&page);
    assert!(red.iter().any(|light| light.starts_with("Error ask:")), "{red:?}");
    assert!(red.iter().any(|light| light.contains("You answer read")), "{red:?}");
    assert!(!red.iter().any(|light| light.contains("MANTYX calls it")), "{red:?}");
    let refused = send(&mut browser, &page, &[("do", "launch")]).await;
    assert!(refused.problems.iter().any(|problem| problem.place == "Answers of ask"), "{:?}", refused.problems);

    let page = send(&mut browser, &page, &[("a:ask:by", "canned"), ("do", "check")]).await;
    let page = send(&mut browser, &page, &[("a:ask:text", "yes"), ("do", "check")]).await;
    let green = lights(&page);
    assert!(green.iter().all(|light| light.starts_with("Success")), "{green:?}");
}

#[tokio::test]
async fn an_unknown_session_is_told_at_its_field() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "?session=sess_nobody").await;
    assert!(serde_json::to_string(&page.mode).unwrap().contains("no such session"), "{:?}", page.mode);
    assert_eq!(page.problems[0].place, "session");
}

#[tokio::test]
async fn the_demonstration_server_is_discovered_and_its_tools_are_named_apart() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = open(&mut browser, "").await;
    let spec =
        r#"{"systemPrompt":"s","prompt":"p","tools":[{"kind":"local","name":"find_order"},{"kind":"mcp_local"}]}"#;
    let page = send(&mut browser, &page, &[("json", spec)]).await;
    let address = format!("{}/demo/mcp", app.sandbox_url());
    let fields = [("s/tools/1#url", address.as_str()), ("do", "discover:/tools/1")];
    let page = send(&mut browser, &page, &fields).await;
    let catalogue = &spec_of(&page)["tools"][1];
    assert_eq!((&catalogue["name"], &catalogue["tools"][1]["name"]), (&json!("demo"), &json!("find_order_2")));
    let work: Value = serde_json::from_str(&page.work).unwrap();
    assert_eq!(work["answers"]["find_order_2"]["tool"], "find_order");
}
