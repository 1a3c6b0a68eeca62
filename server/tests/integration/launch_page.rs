//! The launch form as a browser sends it: drafts, sign-outs, uploads, templates and errors.

use app::model::launch::LaunchResponse;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{
    DEMO, LaunchForm, LaunchPage, OTHER, TestApp, Trouble, Unsteady, api_key, eventually, launched_run,
    launched_session, shown_page,
};

const SPEC: &str = r#"{"systemPrompt":"You help.","modelId":"sandbox/script","prompt":"/say hello"}"#;

/// Signs in again although a user is signed in.
const AGAIN: &str = "/sign-in?return_to=%2Flaunch";

fn spec_of(page: &LaunchPage) -> Value {
    serde_json::from_str(&page.json).unwrap()
}

fn notices(page: &LaunchPage) -> String {
    page.notices().concat()
}

/// The error beside the Launch button.
fn general_error(page: &LaunchPage) -> String {
    page.general_error().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn five_megabytes_of_files_go_through_the_form() {
    let (_app, LaunchForm { mut browser, page }) = TestApp::with_launch_form().await;
    let spec = r#"{"systemPrompt":"s","modelId":"sandbox/script","messages":[{"role":"user","content":"/say read"}]}"#;
    let page = browser.change_launch_form(&page, &[("json", spec)]).await;
    let file = "a".repeat(5_000_000);
    let upload = [("file:/messages/0/attachments", "large.txt", file.as_str())];
    let fields = [("json", page.json.as_str()), ("action", "attach:/messages/0")];
    let page = shown_page(browser.upload_with_launch_form(&page, &fields, &upload).await);
    assert!(page.json.len() < 2_000 && page.json.contains("large.txt"), "{}", page.json.len());
    assert_eq!(notices(&page), "");
    // The draft has it too.
    let page = browser.launch_page("").await;
    let json = page.json.clone();
    let typed = [("json", json.as_str()), ("field:/messages/0/content", "/say typed"), ("action", "launch")];
    let id = launched_run(browser.send_launch_form(&page, &typed).await);
    let again = browser.launch_page(&format!("?like={id}")).await;
    let message: Value = serde_json::from_str::<Value>(&again.draft).unwrap()["spec"]["messages"][0].clone();
    assert_eq!(message["content"], "/say typed");
    assert_eq!(message["attachments"][0]["filename"], "large.txt", "{}", message["attachments"].to_string().len());
}

#[tokio::test]
async fn a_form_sent_after_a_sign_out_is_restored_at_the_next_sign_in() {
    let app = TestApp::start().await;
    for scripted in [false, true] {
        let mut browser = app.signed_in(DEMO).await;
        let page = browser.launch_page("").await;
        browser.cookies.clear();
        let words = format!("Not to be lost, {scripted}");
        let fields = [("draft", page.draft.as_str()), ("field:/prompt", words.as_str()), ("action", "launch")];
        let accept = if scripted { "application/json" } else { "text/html" };
        let sent = browser.send_parts("/launch", &fields, &[], accept).await;
        assert_eq!(sent.status, if scripted { 401 } else { 303 }, "{}", sent.body);
        let landed = browser.sign_in("/launch", DEMO).await;
        assert!(landed.body.contains(&words), "{}", landed.body);
        assert!(landed.body.contains("It was not launched."), "{}", landed.body);
    }
}

#[tokio::test]
async fn a_form_sent_after_a_sign_out_is_restored_if_it_is_small_and_otherwise_refused() {
    let (_app, mut form) = TestApp::with_launch_form().await;
    form.browser.cookies.clear();
    let words = format!("{} Not to be lost", "x".repeat(30_000));
    let small = json!({ "prompt": words, "later": "y".repeat(20_000) }).to_string();
    let mut fields = vec![("draft", form.page.draft.as_str()), ("json", small.as_str())];
    let sent = form.browser.send_parts("/launch", &fields, &[], "application/json").await;
    assert_eq!(sent.status, 401, "{}", sent.body);
    let landed = form.browser.sign_in("/launch", DEMO).await;
    assert!(landed.body.contains(" Not to be lost"));
    assert_eq!(spec_of(&form.browser.launch_page("").await)["later"].as_str().map(str::len), Some(20_000));

    form.browser.cookies.clear();
    let large = json!({ "prompt": words, "later": "y".repeat(40_000) }).to_string();
    fields[1] = ("json", large.as_str());
    let refused = form.browser.send_parts("/launch", &fields, &[], "application/json").await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("too large to save"), "{}", refused.body);
}

#[tokio::test]
async fn a_form_sent_after_a_sign_out_is_hidden_from_other_users() {
    let (_app, mut form) = TestApp::with_launch_form().await;
    form.browser.cookies.clear();
    form.browser.send_plain_launch_form(&form.page, &[("field:/prompt", "A secret of mine")]).await;
    let landed = form.browser.sign_in("/launch", OTHER).await;
    assert!(!landed.body.contains("A secret of mine"));
}

#[tokio::test]
async fn a_form_of_another_user_is_refused_and_restored_for_its_owner() {
    let app = TestApp::start().await;
    for action in ["", "launch", "batch", "save-template"] {
        let mut browser = app.signed_in(DEMO).await;
        let page = browser.launch_page("").await;
        browser.sign_in(AGAIN, OTHER).await;
        let words = format!("/say Of demo alone, {action}");
        let fields = [
            ("field:/prompt", words.as_str()),
            ("batch.inputs", "prompt\nx"),
            ("template.name", "Theirs"),
            ("action", action),
        ];
        let LaunchResponse::Foreign { message } = browser.send_launch_form(&page, &fields).await else {
            panic!("taken for one of the other workspace: {action}");
        };
        assert!(message.contains("belongs to owner@demo.test (workspace demo)"), "{message}");
        let plain = browser.send_plain_launch_form(&page, &fields).await;
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
async fn a_new_draft_keeps_the_previous_one() {
    let (_app, LaunchForm { mut browser, page }) = TestApp::with_launch_form().await;
    browser.change_launch_form(&page, &[("field:/prompt", "My own words")]).await;
    let template = browser.launch_page("?template=built-in-hello").await;
    // Looking at a template changes nothing yet.
    assert_eq!(spec_of(&browser.launch_page("").await)["prompt"], "My own words");
    let page = browser.change_launch_form(&template, &[("field:/name", "renamed")]).await;
    assert!(notices(&page).contains("/launch?draft=earlier"), "{}", notices(&page));
    assert_eq!(spec_of(&browser.launch_page("").await)["name"], "renamed");
    let earlier = browser.launch_page("?draft=earlier").await;
    assert_eq!(spec_of(&earlier)["prompt"], "My own words");
    // And back again.
    browser.change_launch_form(&earlier, &[("field:/prompt", "Mine again")]).await;
    assert_eq!(spec_of(&browser.launch_page("").await)["prompt"], "Mine again");
    assert_eq!(spec_of(&browser.launch_page("?draft=earlier").await)["name"], "renamed");
}

#[tokio::test]
async fn two_tabs_that_change_the_same_draft_are_told_and_keep_both_versions() {
    let (_app, LaunchForm { mut browser, page }) = TestApp::with_launch_form().await;
    let first = browser.change_launch_form(&page, &[("field:/prompt", "Begun together")]).await;
    let second = browser.launch_page("").await;
    // Also a form whose last response was lost belongs to the same tab.
    browser.send_launch_form(&first, &[("field:/prompt", "Of the first tab")]).await;
    let first = browser.change_launch_form(&first, &[("field:/prompt", "Of the first tab, longer")]).await;
    assert_eq!(notices(&first), "");

    let second = browser.change_launch_form(&second, &[("field:/prompt", "Of the second tab")]).await;
    assert!(notices(&second).contains("also changed on another page, perhaps in another tab"), "{}", notices(&second));
    assert_eq!(spec_of(&browser.launch_page("").await)["prompt"], "Of the second tab");
    let other = browser.launch_page("?draft=earlier").await;
    assert_eq!(spec_of(&other)["prompt"], "Of the first tab, longer");
    // The message stays while only one of the tabs is used.
    let second = browser.change_launch_form(&second, &[("field:/prompt", "Of the second tab, longer")]).await;
    assert!(notices(&second).contains("perhaps in another tab"));
    assert_eq!(spec_of(&browser.launch_page("?draft=earlier").await)["prompt"], "Of the first tab, longer");

    // A form without scripts, whose page shows the saved draft.
    let sent = browser.send_plain_launch_form(&first, &[("field:/prompt", "Of the first tab again")]).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    let shown = browser.open("/launch").await.body;
    assert!(shown.contains("perhaps in another tab") && shown.contains("Of the first tab again"), "{shown}");
    let other = browser.launch_page("?draft=earlier").await;
    assert_eq!(spec_of(&other)["prompt"], "Of the second tab, longer");
    // A restored version keeps the one that it replaces, although both began as the same draft.
    let restored = browser.change_launch_form(&other, &[("field:/name", "restored")]).await;
    assert!(!notices(&restored).contains("another tab") && notices(&restored).contains("An earlier draft is saved"));
    assert_eq!(spec_of(&browser.launch_page("?draft=earlier").await)["prompt"], "Of the first tab again");
}

#[tokio::test]
async fn tabs_that_close_together_lose_nothing() {
    let app = TestApp::start().await;
    for _ in 0..10 {
        let mut one = app.signed_in(DEMO).await;
        let page = one.launch_form_with(&json!({ "prompt": "Begun together" })).await;
        let mut two = app.browser();
        two.cookies.clone_from(&one.cookies);
        let [first, second] = [one.launch_page("").await, two.launch_page("").await];
        assert_ne!(page.draft, first.draft);
        let (typed, other) = ([("field:/prompt", "Of one")], [("field:/prompt", "Of the other")]);
        tokio::join!(one.send_launch_form(&first, &typed), two.send_launch_form(&second, &other));
        let kept = [one.launch_page("").await, one.launch_page("?draft=earlier").await];
        let mut kept = kept.map(|page| spec_of(&page)["prompt"].as_str().unwrap_or_default().to_owned());
        kept.sort_unstable();
        assert_eq!(kept, ["Of one", "Of the other"]);
    }
}

#[tokio::test]
async fn a_template_is_updated() {
    let (_app, LaunchForm { mut browser, page }) = TestApp::with_launch_form().await;
    let named = [("json", SPEC), ("template.name", "Mine"), ("action", "save-template")];
    let page = browser.change_launch_form(&page, &named).await;
    let id = page.templates()[0].href.strip_prefix("/launch?template=").unwrap().to_owned();
    assert!(page.html.contains(&format!("update-template:{id}")));
    let opened = browser.launch_page(&format!("?template={id}")).await;
    let update = format!("update-template:{id}");
    let shared =
        [("template.name", "Ours"), ("template.shared", "true"), ("field:/prompt", "new"), ("action", &update)];
    let page = browser.change_launch_form(&opened, &shared).await;
    assert_eq!(page.templates()[0].name, "Ours");
    assert_ne!(page.templates()[1].name, "Mine");
    let updated = browser.launch_page(&format!("?template={id}")).await;
    assert_eq!(spec_of(&updated)["prompt"], "new");
    let state: Value = serde_json::from_str(&updated.draft).unwrap();
    assert_eq!((&state["templateId"], &state["texts"]["template.shared"]), (&json!(id), &json!("true")));
}

#[tokio::test]
async fn a_launch_without_the_scope_links_to_a_new_sign_in() {
    let (app, mut form) = TestApp::with_launch_form().await;
    let sandbox = app.sandbox_database().await;
    sqlx::query("UPDATE access_tokens SET scope = replace(scope, 'runs:write', '')").execute(&sandbox).await.unwrap();
    form.change(&[("json", SPEC), ("action", "launch")]).await;
    let message = general_error(&form.page);
    assert!(message.contains("runs:write") && message.contains("/auth/start"), "{message}");
    assert_eq!(form.page.focus.as_deref(), Some("refusal"));
}

#[tokio::test]
async fn a_rate_limited_launch_says_when_to_try_again() {
    let limits = sandbox::RateLimits { runs: Some(1), ..sandbox::RateLimits::OFF };
    let app = TestApp::start_beside(|settings| settings.rate_limits = limits).await;
    let mut browser = app.signed_in(DEMO).await;
    let page = browser.launch_page("").await;
    let launch = [("json", SPEC), ("action", "launch")];
    assert!(matches!(browser.send_launch_form(&page, &launch).await, LaunchResponse::Done { .. }));
    let page = browser.launch_page("").await;
    let page = browser.change_launch_form(&page, &[("action", "launch")]).await;
    let message = general_error(&page);
    assert!(message.contains("Try again in") && !message.contains("cannot be reached"), "{message}");
}

#[tokio::test]
async fn an_unconfirmed_launch_is_repeated_only_by_its_own_button() {
    let mut way = None;
    let app =
        TestApp::start_apart(|config| way = Some(Unsteady::before_launches(config, &[Trouble::AnswerLost]))).await;
    let posted = || way.as_ref().unwrap().posted();
    let mut browser = app.signed_in(DEMO).await;
    let page = browser.launch_page("").await;
    let page = browser.change_launch_form(&page, &[("json", SPEC), ("action", "launch")]).await;
    assert!(
        general_error(&page).contains("did not say whether it started the run") && page.asks_to_launch_again(),
        "{}",
        general_error(&page)
    );
    assert_eq!(page.focus.as_deref(), Some("refusal"));
    // Also after something else was written.
    let page = browser.change_launch_form(&page, &[("field:/name", "renamed")]).await;
    assert_eq!((general_error(&page).as_str(), page.asks_to_launch_again()), ("", false));
    let page = browser.change_launch_form(&page, &[("action", "launch")]).await;
    assert!(page.asks_to_launch_again() && posted() == 1, "{}", general_error(&page));
    let answer = browser.send_launch_form(&page, &[("action", "launch-again")]).await;
    assert!(matches!(answer, LaunchResponse::Done { .. }) && posted() == 2, "{answer:?}");
}

#[tokio::test]
async fn a_changed_form_with_a_used_key_launches_at_the_second_attempt() {
    let (_app, mut form) = TestApp::with_launch_form().await;
    let launch = |name: &'static str| [("json", SPEC), ("field:/name", name), ("action", "launch")];
    assert!(matches!(form.send(&launch("")).await, LaunchResponse::Done { .. }));
    let other = SPEC.replace("hello", "other");
    form.change(&[("json", &other), ("action", "launch")]).await;
    assert!(
        general_error(&form.page).contains("in another tab") && !general_error(&form.page).contains("eload"),
        "{}",
        general_error(&form.page)
    );
    assert!(matches!(form.send(&[("action", "launch")]).await, LaunchResponse::Done { .. }));
}

#[tokio::test]
async fn a_file_that_is_too_large_is_refused_and_the_text_is_kept() {
    let (_app, mut form) = TestApp::with_launch_form().await;
    let spec = r#"{"systemPrompt":"s","messages":[{"role":"user","content":"My words"}]}"#;
    form.change(&[("json", spec)]).await;
    assert_eq!(form.page.draft_status, "Draft saved.");
    let file = "a".repeat(6_000_000);
    let upload = [("file:/messages/0/attachments", "large.txt", file.as_str())];
    form.upload(&[("action", "attach:/messages/0")], &upload).await;
    assert!(
        form.page.problems.iter().any(|problem| problem.message.contains("large.txt is not attached")),
        "{:?}",
        form.page.problems
    );
    assert_eq!(spec_of(&form.page)["messages"], json!([{ "role": "user", "content": "My words" }]));

    let data = "QUJD".repeat(3_000_000);
    let files = json!([{ "type": "input_file", "filename": "f", "mimeType": "text/plain", "data": data }]);
    let spec = json!({ "messages": [{ "role": "user", "content": "More words", "attachments": files }] }).to_string();
    form.change(&[("json", &spec)]).await;
    assert!(form.page.draft_status.contains("without its files"), "{}", form.page.draft_status);
    assert_eq!(spec_of(&form.browser.launch_page("").await)["messages"][0]["content"], "More words");
}

#[tokio::test]
async fn the_spec_gets_the_address_at_which_the_card_was_found() {
    let (app, mut form) = TestApp::with_launch_form().await;
    let base = format!("{}/demo/a2a", app.sandbox_url());
    let spec = json!({ "tools": [{ "kind": "a2a", "name": "desk", "agentCardUrl": base }] }).to_string();
    form.change(&[("json", &spec), ("action", "load-card:/tools/0")]).await;
    let found = spec_of(&form.page)["tools"][0]["agentCardUrl"].clone();
    assert_eq!(found, format!("{base}/.well-known/agent-card.json"), "{:?}", form.page.problems);
}

#[tokio::test]
async fn errors_of_a_template_or_batch_disappear_when_it_is_changed() {
    let (_app, mut form) = TestApp::with_launch_form().await;
    form.change(&[("json", SPEC), ("action", "save-template")]).await;
    assert_eq!((form.page.problems.len(), form.page.focus.as_deref()), (1, Some("template-name")));
    form.change(&[("template.name", "Named")]).await;
    assert_eq!(form.page.problems, []);
    form.change(&[("batch.inputs", "[1]"), ("action", "launch-batch")]).await;
    assert_eq!(form.page.problems.len(), 1);
    form.change(&[("batch.inputs", "[\"x\"]")]).await;
    assert_eq!(form.page.problems, []);
}

#[tokio::test]
async fn a_chosen_file_of_a_batch_is_described_at_its_field_and_replaces_the_inputs() {
    let (_app, mut form) = TestApp::with_launch_form().await;
    let spec = SPEC.replace("hello", "hello {{who}}");
    form.change(&[("json", &spec), ("batch.inputs", "age\n36\n"), ("action", "launch-batch")]).await;
    let file = |text| [("batch.file", "people.csv", text)];
    form.upload(&[("batch.inputs", "age\n36\n")], &file("name\nAda\n")).await;
    assert!(!form.page.html.contains("age\n36"), "{}", form.page.html);
    let note = form.page.html.split("id=\"batch-file-note\"").nth(1).and_then(|rest| rest.split("</p>").next());
    assert!(note.is_some_and(|note| note.contains("no column who")), "{note:?}");
    assert_eq!(form.page.draft_status, "Draft saved.");
    form.upload(&[], &file("who\nAda\nGrace\n")).await;
    assert!(form.page.html.contains("people.csv: 2 runs. The first: “/say hello Ada”"), "{}", form.page.html);
    assert_eq!(form.page.problems, []);
}

#[tokio::test]
async fn a_batch_opens_the_list_of_its_runs_with_its_progress() {
    let (_app, mut form) = TestApp::with_launch_form().await;
    let inputs = "who\nAda\nGrace\n";
    let broken = [("json", "{ broken"), ("batch.inputs", inputs), ("action", "launch-batch")];
    form.change(&broken).await;
    assert!(form.page.problems.iter().any(|problem| problem.place == "JSON"), "{:?}", form.page.problems);
    // The prompt would be lost.
    form.change(&[("json", SPEC), ("batch.inputs", inputs), ("action", "launch-batch")]).await;
    assert!(form.page.problems.iter().any(|problem| problem.message.contains("{{who}}")), "{:?}", form.page.problems);
    let spec = SPEC.replace("hello", "hello {{who}}");
    form.change(&[("json", &spec), ("batch.inputs", inputs)]).await;
    assert!(form.page.html.contains("2 runs. The first: “/say hello Ada”"));
    assert_eq!(form.page.problems, []);
    let good =
        [("json", spec.as_str()), ("batch.inputs", inputs), ("batch.value", "two words"), ("action", "launch-batch")];
    let LaunchResponse::Done { href } = form.send(&good).await else { panic!("not launched") };
    assert!(href.starts_with("/runs?q=batch:%22two+words%22&batch="), "{href}");
    let list = eventually("the launch of both", async || {
        Some(form.browser.open(&href).await.body).filter(|list| list.contains("2 of 2 launched"))
    })
    .await;
    assert!(list.contains("/launch/batches/"), "{list}");
    let found = form.browser.request(Method::GET, form.browser.url(&format!("/api{}", &href)), &[]).await.body;
    assert_eq!(serde_json::from_str::<Value>(&found).unwrap()["runs"].as_array().map(Vec::len), Some(2), "{found}");
}

#[tokio::test]
async fn the_demo_agent_answers_with_an_uploaded_card_and_with_a_remote_one() {
    let (app, mut form) = TestApp::with_launch_form().await;
    let address = format!("{}/demo/a2a/.well-known/agent-card.json", app.sandbox_url());
    let card = app.http.get(&address).send().await.unwrap().text().await.unwrap();
    let calls = "/call far_desk {\"message\":\"A-1001\"}\n/call order_desk {\"message\":\"A-1003\"}\n/say Asked.";
    let far = json!({ "kind": "a2a", "name": "far_desk", "description": "d", "agentCardUrl": address });
    let spec = json!({ "systemPrompt": "s", "modelId": "sandbox/script", "prompt": calls, "tools": [far, { "kind": "a2a_local" }] });
    form.change(&[("json", &spec.to_string())]).await;
    let upload = [("file:/tools/1/agentCard", "card.json", card.as_str())];
    form.upload(&[("action", "load-card:/tools/1")], &upload).await;
    let id = form.browser.launch_page_as_is(&form.page).await;
    let log = app.sandbox_stream(DEMO, &id).await;
    assert!(log.contains("It left Hamburg") && log.contains("out of stock"), "{log}");
}

#[tokio::test]
async fn untrusted_tool_names_are_rendered_as_text() {
    let (_app, mut form) = TestApp::with_launch_form().await;
    let hostile = "</textarea><script>alert(1)</script>";
    let spec = json!({ "systemPrompt": "s", "prompt": "p",
        "tools": [{ "kind": "mcp_local", "name": "m", "tools": [{ "name": hostile, "description": hostile }] }] });
    form.change(&[("json", &spec.to_string())]).await;
    let drawn = form.browser.open("/launch").await.body;
    assert!(drawn.contains("alert(1)") && !drawn.contains("<script>alert"), "{drawn}");
}

#[tokio::test]
async fn failed_checks_prevent_a_launch_and_are_listed_with_their_field() {
    let (_app, mut form) = TestApp::with_launch_form().await;
    let spec = r#"{"systemPrompt":"s","prompt":"p","tools":[{"kind":"local","name":"ask"}]}"#;
    form.change(&[("json", spec)]).await;
    form.change(&[("answerer:ask#by", "mcp")]).await;
    let fields = [("answerer:ask#by", "mcp"), ("answerer:ask#url", "http://127.0.0.1:9/mcp"), ("action", "launch")];
    form.change(&fields).await;
    let problem = &form.page.problems[0];
    assert_eq!(
        (problem.place.as_str(), problem.href.as_str()),
        ("Responder of ask", "#answerer-ask-by"),
        "{problem:?}"
    );
}

#[tokio::test]
async fn the_tools_of_a_session_are_checked_too() {
    let (_app, mut browser) = TestApp::start().await.with_browser().await;
    let mut spec: Value = serde_json::from_str(SPEC).unwrap();
    spec["tools"] = json!([{ "kind": "mantyx", "id": "tool_calculator" }, { "kind": "local", "name": "ask" },
        { "kind": "mcp_local", "name": "files", "tools": [{ "name": "read", "inputSchema": {} }] }]);
    let page = browser.launch_form_with(&spec).await;
    let answer = browser.send_launch_form(&page, &[("mode", "new_session"), ("action", "launch")]).await;
    let query = format!("?session={}", launched_session(answer));

    let page = browser.launch_page(&query).await;
    let page = browser
        .change_launch_form(
            &page,
            &[("field:/prompt", "/say on"), ("answerer:ask#by", "mcp"), ("action", "check-tools")],
        )
        .await;
    let checks = |page: &LaunchPage| -> Vec<String> {
        let group = page.html.find("id=\"session-tools\"").unwrap();
        let before = page.html[..group].matches("class=\"tool-checks\"").count();
        page.checks()[before].iter().map(|[_, state, message]| format!("{state} {message}")).collect()
    };
    let red = checks(&page);
    assert!(red.iter().any(|check| check.starts_with("error ask:")), "{red:?}");
    assert!(red.iter().any(|check| check.contains("You answer read")), "{red:?}");
    assert!(!red.iter().any(|check| check.contains("MANTYX calls it")), "{red:?}");
    let refused = browser.change_launch_form(&page, &[("action", "launch")]).await;
    assert!(refused.problems.iter().any(|problem| problem.place == "Responder of ask"), "{:?}", refused.problems);

    let page = browser.change_launch_form(&page, &[("answerer:ask#by", "canned"), ("action", "check-tools")]).await;
    let page = browser.change_launch_form(&page, &[("answerer:ask#text", "yes"), ("action", "check-tools")]).await;
    let green = checks(&page);
    assert!(green.iter().all(|check| check.starts_with("success")), "{green:?}");
}

#[tokio::test]
async fn an_unknown_session_is_an_error_at_its_field() {
    let (_app, mut browser) = TestApp::start().await.with_browser().await;
    let page = browser.launch_page("?session=sess_nobody").await;
    assert!(page.html.contains("no such session"), "{:?}", page.problems);
    assert_eq!(page.problems[0].place, "Session");
}

#[tokio::test]
async fn the_demo_server_is_discovered_and_its_tools_get_unique_names() {
    let (app, mut form) = TestApp::with_launch_form().await;
    let spec =
        r#"{"systemPrompt":"s","prompt":"p","tools":[{"kind":"local","name":"find_order"},{"kind":"mcp_local"}]}"#;
    form.change(&[("json", spec)]).await;
    let address = format!("{}/demo/mcp", app.sandbox_url());
    let fields = [("source:/tools/1#url", address.as_str()), ("action", "discover-tools:/tools/1")];
    form.change(&fields).await;
    let catalogue = &spec_of(&form.page)["tools"][1];
    assert_eq!((&catalogue["name"], &catalogue["tools"][1]["name"]), (&json!("demo"), &json!("find_order_2")));
    let draft: Value = serde_json::from_str(&form.page.draft).unwrap();
    assert_eq!(draft["answers"]["find_order_2"]["tool"], "find_order");
}
