//! What people type stays, and what is wrong with it is told where it stands.

use app::launch::LaunchMode;
use app::launch::sheet::{Item, LaunchPage};
use domain::{A2aPeer, Answerer, McpEndpoint, McpTool};
use serde_json::{Value, json};

use super::tests::{after, drawn};
use super::work::{FoundTool, Like, SessionFacts, Work};
use super::{faults, peers};

/// The errors that controls of the page show, by the control's name.
pub fn shown_errors(page: &LaunchPage) -> Vec<(String, String)> {
    fn collect(items: &[Item], errors: &mut Vec<(String, String)>) {
        for item in items {
            match item {
                Item::Group { items, .. } | Item::Row { items } | Item::Fold { items, .. } => collect(items, errors),
                Item::Field(field) => errors.extend(field.error.clone().map(|error| (field.name.clone(), error))),
                _ => {}
            }
        }
    }
    let mut errors = Vec::new();
    page.sections.iter().for_each(|section| collect(&section.items, &mut errors));
    collect(&page.mode, &mut errors);
    errors
}

#[test]
fn a_template_half_named_and_a_file_half_addressed_stay_in_their_fields() {
    let work = Work::of(json!({ "messages": [{ "role": "user", "content": "c" }] }));
    let url = ("u/messages/0/attachments", "https://x.test/a");
    let typed =
        after(&work, &[("q:template-name", "Mine"), ("q:template-notes", "Why"), ("q:template-shared", "true"), url]);
    let again = after(&typed, &[]);
    assert_eq!(
        (again.template.name.as_str(), again.template.notes.as_str(), again.template.shared),
        ("Mine", "Why", true)
    );
    assert_eq!(again.file_urls["/messages/0/attachments"], "https://x.test/a");
    assert!(!after(&again, &[("q:template-shared", "")]).template.shared);
}

#[test]
fn each_extreme_is_told_at_its_field() {
    let budgets: serde_json::Map<String, Value> =
        (0..33).map(|i| (format!("tool_{i}"), json!({ "maxCalls": 1 }))).collect();
    let many: Vec<Value> = (0..65).map(|i| json!({ "name": format!("t{i}"), "inputSchema": {} })).collect();
    let big = json!({ "type": "object", "description": "x".repeat(40_000) });
    let cases = [
        (json!({ "prompt": "x".repeat(200_001) }), "t/prompt"),
        (json!({ "tools": [{ "kind": "mcp_local", "name": "s", "tools": many }] }), "j/tools/0/tools"),
        (json!({ "outputSchema": { "schema": big } }), "x:output"),
        (
            json!({ "tools": [{ "kind": "mcp", "name": "m", "url": "https://x.test", "headers": { "A": "a\r\nb" } }] }),
            "v/tools/0/headers#0",
        ),
    ];
    for (spec, control) in cases {
        let errors = shown_errors(&drawn(&Work::of(spec)));
        assert!(errors.iter().any(|(name, error)| name == control && !error.is_empty()), "{control}: {errors:?}");
    }
    let page = drawn(&Work::of(json!({ "toolBudgets": budgets })));
    let notes = serde_json::to_string(&page.sections).expect("a page");
    assert!(
        notes.contains("\"error\"") && page.problems.iter().any(|problem| problem.place == "calls per tool"),
        "{:?}",
        page.problems
    );
}

#[test]
fn a_peers_header_with_a_line_break_is_told_at_who_answers() {
    let mut work = Work::of(json!({ "tools": [{ "kind": "local", "name": "ask" }] }));
    let headers = [("Authorization".to_owned(), "a\nb".to_owned())].into();
    let server = McpEndpoint::Http { url: "https://m.test/mcp".to_owned(), headers };
    work.answers.insert("ask".to_owned(), Answerer::Mcp(McpTool { server, tool: None }));
    let errors = shown_errors(&drawn(&work));
    assert!(errors.iter().any(|(name, error)| name == "a:ask:by" && error.contains("line break")), "{errors:?}");
}

#[test]
fn a_hostile_catalogue_is_text() {
    let mut work = Work::of(json!({ "tools": [{ "kind": "mcp", "name": "m", "url": "https://x.test" }] }));
    let hostile = "</textarea><script>alert(1)</script>";
    work.found
        .insert("/tools/0".to_owned(), vec![FoundTool { name: hostile.to_owned(), description: hostile.to_owned() }]);
    let one = after(&work, &[(&format!("c/tools/0/toolFilter#{hostile}"), "")]);
    assert_eq!(one.spec["tools"][0]["toolFilter"], json!([]));
    let page = serde_json::to_string(&drawn(&work).sections).expect("a page");
    assert!(page.contains("<script>"), "shown to the letter; drawing escapes it");
}

#[test]
fn a_json_edit_and_what_stands_beside_the_spec_are_both_taken_up() {
    let mut work = Work::of(json!({ "prompt": "p", "tools": [{ "kind": "local", "name": "ask" }] }));
    work.answers.insert("ask".to_owned(), Answerer::Hand);
    let json = r#"{"prompt":"q","tools":[{"kind":"local","name":"ask"}]}"#;
    let sent = after(
        &work,
        &[("json", json), ("x:mode", "new_session"), ("q:inputs", "a\nb"), ("q:tag-key", "k"), ("a:ask:by", "canned")],
    );
    assert_eq!((&sent.spec["prompt"], &sent.mode), (&json!("q"), &LaunchMode::NewSession));
    assert_eq!((sent.batch.inputs.as_str(), sent.batch.tag_key.as_str()), ("a\nb", "k"));
    assert!(matches!(sent.answers["ask"], Answerer::Canned(_)));
}

#[test]
fn one_of_two_tools_with_a_name_is_renamed_and_both_are_answered() {
    let tools = json!([{ "kind": "local", "name": "read" }, { "kind": "local", "name": "read" }]);
    let mut work = Work::of(json!({ "tools": tools }));
    let server = McpEndpoint::Http { url: "https://m.test/mcp".to_owned(), headers: Default::default() };
    let by_server =
        |tool: Option<&str>| Answerer::Mcp(McpTool { server: server.clone(), tool: tool.map(str::to_owned) });
    work.answers.insert("read".to_owned(), by_server(None));
    let sent = after(&work, &[("t/tools/1/name", "read_2")]);
    assert_eq!((&sent.answers["read"], &sent.answers["read_2"]), (&by_server(None), &by_server(Some("read"))));
}

#[test]
fn a_pasted_card_answers_for_its_agent_and_choosing_an_agent_takes_it() {
    let work = Work::of(json!({ "tools": [{ "kind": "a2a_local" }] }));
    let card = json!({ "name": "Weather", "url": "https://w.test" });
    let sent = after(&work, &[("j/tools/0/agentCard", &card.to_string())]);
    let by_card = Answerer::A2a(A2aPeer { card: Some(card.clone()), ..A2aPeer::default() });
    assert_eq!(sent.answers["weather"], by_card);
    let by_hand = after(&sent, &[("a:weather:by", "hand")]);
    assert_eq!(by_hand.answers["weather"], Answerer::Hand);
    assert_eq!(after(&by_hand, &[("a:weather:by", "a2a")]).answers["weather"], by_card);
    let other = json!({ "name": "Weather", "url": "https://other.test" });
    let edited = after(&sent, &[("j/tools/0/agentCard", &other.to_string())]);
    assert_eq!(edited.answers["weather"], Answerer::A2a(A2aPeer { card: Some(other), ..A2aPeer::default() }));
}

#[test]
fn names_of_a_catalogue_are_made_to_fit_and_told_apart() {
    let tools = ["read-file", "read_file", "read file", "ok"].map(|name| json!({ "name": name }));
    let (tools, names) = peers::renamed(&tools, ["ok".to_owned()].into());
    let shown: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(shown, ["read_file", "read_file_2", "read_file_3", "ok_2"]);
    assert_eq!(names[3], ("ok_2".to_owned(), "ok".to_owned()));
}

#[test]
fn a_field_whose_name_is_no_name_changes_nothing() {
    let work = Work::of(json!({ "prompt": "p" }));
    for name in ["é/prompt", "日", "", "t", "t/prompt#"] {
        let posted = super::Posted { fields: vec![(name.to_owned(), "x".to_owned())], uploads: Vec::new() };
        let mut sent = work.clone();
        super::apply::apply(&mut sent, &super::apply::Sent::new(&posted.fields));
        assert_eq!(sent.spec, work.spec, "{name}");
    }
}

#[test]
fn another_answerer_is_a_change_and_what_nobody_answers_is_none() {
    let mut work = Work::of(json!({ "tools": [{ "kind": "local", "name": "ask" }] }));
    work.like = Some(Like { spec: work.spec.clone(), ..Like::default() });
    work.answers.insert("ask".to_owned(), Answerer::Hand);
    assert_eq!(drawn(&work).changes.expect("compared").lines, []);
    work.answers.insert("ask".to_owned(), Answerer::A2a(A2aPeer::default()));
    let lines = drawn(&work).changes.expect("compared").lines;
    assert_eq!(lines[0].0, "/answers/ask");
}

#[test]
fn a_message_lists_what_it_sets_and_answers_the_tools_of_its_session() {
    let spec = json!({ "modelId": "a", "systemPrompt": "s", "tools": [{ "kind": "local", "name": "ask" }] });
    let session = SessionFacts { id: "sess_1".to_owned(), spec, problem: None };
    let mode = LaunchMode::Message { session_id: "sess_1".to_owned() };
    let work = Work { mode, session: Some(session), ..Work::of(json!({ "prompt": "p", "modelId": "b" })) };
    let page = drawn(&work);
    let text = serde_json::to_string(&page).expect("a page");
    assert!(text.contains("“b” instead of “a”") && text.contains("The session's (a)"), "{text}");
    let sent = after(&work, &[("a:ask:by", "canned")]);
    assert!(matches!(sent.answers["ask"], Answerer::Canned(_)));
    let gone = SessionFacts { id: "sess_1".to_owned(), problem: Some("Gone.".to_owned()), ..SessionFacts::default() };
    let errors = shown_errors(&drawn(&Work { session: Some(gone), ..work }));
    assert_eq!(errors, [("x:session".to_owned(), "Gone.".to_owned())]);
}

#[test]
fn the_spec_is_shown_as_programs_without_its_secrets() {
    fn programs(items: &[Item]) -> Vec<(String, String)> {
        let of = |item: &Item| match item {
            Item::Fold { items, .. } => programs(items),
            Item::Code { title, text } => vec![(title.clone(), text.clone())],
            _ => Vec::new(),
        };
        items.iter().flat_map(of).collect()
    }
    let headers = json!({ "Authorization": "Bearer very-secret" });
    let mut work =
        Work::of(json!({ "prompt": "p", "tools": [{ "kind": "mcp", "url": "https://x.test", "headers": headers }] }));
    let shown = programs(&drawn(&work).finish);
    assert_eq!(
        shown.iter().map(|(title, _)| title.as_str()).collect::<Vec<_>>(),
        ["As curl", "As Python", "As TypeScript"]
    );
    assert!(
        shown.iter().all(|(_, text)| text.contains("/demo/agent-runs") && !text.contains("very-secret")),
        "{shown:?}"
    );
    work.mode = LaunchMode::Message { session_id: "sess_1".to_owned() };
    let shown = programs(&drawn(&work).finish);
    assert!(shown.iter().all(|(_, text)| text.contains("/demo/agent-sessions/sess_1/messages")), "{shown:?}");
    work.spec["prompt"] = "x".repeat(70_000).into();
    assert_eq!(programs(&drawn(&work).finish), []);
}

#[test]
fn a_batch_minds_what_cannot_be_read_and_not_the_missing_prompt() {
    let work = Work::of(json!({ "systemPrompt": "s" }));
    assert_eq!(faults::of_batch(&work), []);
    let broken = after(&work, &[("json", "{")]);
    assert_eq!(faults::of_batch(&broken).len(), 1);
}
