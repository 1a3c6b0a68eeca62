//! Tests that input is kept and errors are shown at their fields.

use app::launch::LaunchMode;
use app::launch::draft::apply::{SubmittedFields, apply};
use app::launch::draft::{LaunchDraft, Origin, SessionInfo};
use domain::{A2aPeer, Answerer, McpEndpoint};
use protocol::fields::SPEC_FIELDS;
use serde_json::{Value, json};

use super::super::items::Item;
use super::{after, page_of, shown_errors, with_answerer, with_discovered, with_tools};
use crate::launch::form::peers;
use crate::launch::validation;

#[test]
fn unfinished_template_fields_and_file_addresses_are_kept() {
    let draft = LaunchDraft::from_spec(json!({ "messages": [{ "role": "user", "content": "c" }] }));
    let url = ("file-url:/messages/0/attachments", "https://x.test/a");
    let template = [("template.name", "Mine"), ("template.notes", "Why"), ("template.shared", "true"), url];
    let again = after(&after(&draft, &template), &[]);
    for (name, text) in template {
        assert_eq!(again.unfinished.texts[name], text);
    }
    assert!(!after(&again, &[("template.shared", "")]).unfinished.texts.contains_key("template.shared"));
}

#[test]
fn each_exceeded_limit_is_an_error_at_its_field() {
    let budgets: serde_json::Map<String, Value> =
        (0..33).map(|i| (format!("tool_{i}"), json!({ "maxCalls": 1 }))).collect();
    let many: Vec<Value> = (0..65).map(|i| json!({ "name": format!("t{i}"), "inputSchema": {} })).collect();
    let big = json!({ "type": "object", "description": "x".repeat(40_000) });
    let cases = [
        (json!({ "prompt": "x".repeat(200_001) }), "field:/prompt"),
        (json!({ "tools": [{ "kind": "mcp_local", "name": "s", "tools": many }] }), "field:/tools/0/tools"),
        (json!({ "outputSchema": { "schema": big } }), "choice:/outputSchema"),
        (
            json!({ "tools": [{ "kind": "mcp", "name": "m", "url": "https://x.test", "headers": { "A": "a\r\nb" } }] }),
            "row:/tools/0/headers#0.value",
        ),
    ];
    for (spec, control) in cases {
        let errors = shown_errors(&page_of(&LaunchDraft::from_spec(spec)));
        assert!(errors.iter().any(|(name, error)| name == control && !error.is_empty()), "{control}: {errors:?}");
    }
    let page = page_of(&LaunchDraft::from_spec(json!({ "toolBudgets": budgets })));
    let (notes, problems) = (page.render(&[], ""), page.findings.problems);
    assert!(
        notes.contains("data-tone=\"error\"") && problems.iter().any(|found| found.place == "Calls per tool"),
        "{problems:?}"
    );
}

#[test]
fn a_header_with_a_line_break_is_an_error_at_the_answerer() {
    let headers = [("Authorization".to_owned(), "a\nb".to_owned())].into();
    let server = McpEndpoint::Http { url: "https://m.test/mcp".to_owned(), headers };
    let errors = shown_errors(&page_of(&with_answerer("ask", Answerer::Mcp { server, tool: None })));
    assert!(errors.iter().any(|(name, error)| name == "answerer:ask#by" && error.contains("line break")), "{errors:?}");
}

#[test]
fn untrusted_tool_names_are_text() {
    let hostile = "</textarea><script>alert(1)</script>";
    let draft = with_discovered(&[hostile]);
    let one = after(&draft, &[(&format!("checkbox:/tools/0/toolFilter#{hostile}"), "")]);
    assert_eq!(one.spec["tools"][0]["toolFilter"], json!([]));
    let page = page_of(&draft).render(&[], "");
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script>"), "{page}");
}

#[test]
fn edited_json_and_fields_outside_the_spec_are_both_applied() {
    let mut draft = LaunchDraft::from_spec(json!({ "prompt": "p", "tools": [{ "kind": "local", "name": "ask" }] }));
    draft.answers.insert("ask".to_owned(), Answerer::Hand);
    let json = r#"{"prompt":"q","tools":[{"kind":"local","name":"ask"}]}"#;
    let others = [("mode", "new_session"), ("batch.inputs", "a\nb"), ("batch.key", "k"), ("answerer:ask#by", "canned")];
    let sent = after(&draft, &[&[("json", json)], others.as_slice()].concat());
    assert_eq!((&sent.spec["prompt"], &sent.mode), (&json!("q"), &LaunchMode::NewSession));
    let texts = &sent.unfinished.texts;
    assert_eq!((texts["batch.inputs"].as_str(), texts["batch.key"].as_str()), ("a\nb", "k"));
    assert!(matches!(sent.answers["ask"], Answerer::Canned(_)));
}

#[test]
fn of_two_tools_with_one_name_both_keep_the_answerer_after_a_rename() {
    let mut draft = with_tools(json!([{ "kind": "local", "name": "read" }, { "kind": "local", "name": "read" }]));
    let server = McpEndpoint::Http { url: "https://m.test/mcp".to_owned(), headers: Default::default() };
    let by_server = |tool: Option<&str>| Answerer::Mcp { server: server.clone(), tool: tool.map(str::to_owned) };
    draft.answers.insert("read".to_owned(), by_server(None));
    let sent = after(&draft, &[("field:/tools/1/name", "read_2")]);
    assert_eq!((&sent.answers["read"], &sent.answers["read_2"]), (&by_server(None), &by_server(Some("read"))));
}

#[test]
fn a_pasted_card_becomes_the_answerer_and_choosing_an_agent_uses_it() {
    let draft = with_tools(json!([{ "kind": "a2a_local" }]));
    let card = json!({ "name": "Weather", "url": "https://w.test" });
    let sent = after(&draft, &[("field:/tools/0/agentCard", &card.to_string())]);
    let by_card = Answerer::A2a(A2aPeer { card: Some(card.clone()), ..A2aPeer::default() });
    assert_eq!(sent.answers["weather"], by_card);
    let by_hand = after(&sent, &[("answerer:weather#by", "hand")]);
    assert_eq!(by_hand.answers["weather"], Answerer::Hand);
    assert_eq!(after(&by_hand, &[("answerer:weather#by", "a2a")]).answers["weather"], by_card);
    let other = json!({ "name": "Weather", "url": "https://other.test" });
    let edited = after(&sent, &[("field:/tools/0/agentCard", &other.to_string())]);
    assert_eq!(edited.answers["weather"], Answerer::A2a(A2aPeer { card: Some(other), ..A2aPeer::default() }));
}

#[test]
fn discovered_tools_get_valid_and_unique_names() {
    let tools = ["read-file", "read_file", "read file", "ok"].map(|name| json!({ "name": name }));
    let (tools, names) = peers::with_valid_names(&tools, ["ok".to_owned()].into());
    let shown: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(shown, ["read_file", "read_file_2", "read_file_3", "ok_2"]);
    assert_eq!(names[3], ("ok_2".to_owned(), "ok".to_owned()));
}

#[test]
fn a_field_with_an_invalid_name_changes_nothing() {
    let draft = LaunchDraft::from_spec(json!({ "prompt": "p" }));
    for name in ["é/prompt", "日", "", "field", "field:/prompt#", "field:/later", "field:/tools/0/name"] {
        let fields = [(name.to_owned(), "x".to_owned())];
        let mut sent = draft.clone();
        apply(&mut sent, &SubmittedFields::new(&fields), SPEC_FIELDS);
        assert_eq!(sent.spec, draft.spec, "{name}");
    }
}

#[test]
fn another_answerer_is_a_change_and_the_default_one_is_not() {
    let mut draft = with_answerer("ask", Answerer::Hand);
    draft.origin = Some(Origin { spec: draft.spec.clone(), ..Origin::default() });
    assert_eq!(page_of(&draft).changes.expect("compared").lines, []);
    draft.answers.insert("ask".to_owned(), Answerer::A2a(A2aPeer::default()));
    let lines = page_of(&draft).changes.expect("compared").lines;
    assert_eq!(lines[0].0, "/answers/ask");
}

#[test]
fn a_message_lists_its_overrides_and_answers_the_tools_of_its_session() {
    let spec = json!({ "modelId": "a", "systemPrompt": "s", "tools": [{ "kind": "local", "name": "ask" }] });
    let session = SessionInfo { id: "sess_1".to_owned(), spec, problem: None };
    let mode = LaunchMode::Message { session_id: "sess_1".to_owned() };
    let draft = LaunchDraft {
        mode,
        session: Some(session),
        ..LaunchDraft::from_spec(json!({ "prompt": "p", "modelId": "b" }))
    };
    let page = page_of(&draft);
    let text = page.render(&[], "");
    assert!(text.contains("“b” instead of “a”") && text.contains("The session's (a)"), "{text}");
    let sent = after(&draft, &[("answerer:ask#by", "canned")]);
    assert!(matches!(sent.answers["ask"], Answerer::Canned(_)));
    let gone = SessionInfo { id: "sess_1".to_owned(), problem: Some("Gone.".to_owned()), ..SessionInfo::default() };
    let errors = shown_errors(&page_of(&LaunchDraft { session: Some(gone), ..draft }));
    assert_eq!(errors, [("session".to_owned(), "Gone.".to_owned())]);
}

#[test]
fn code_samples_have_no_secrets() {
    let samples = |draft: &LaunchDraft| -> Vec<(String, String)> {
        let page = page_of(draft);
        let code = page.items().into_iter().filter_map(|item| match item {
            Item::Code { title, text } => Some((title.clone(), text.clone())),
            _ => None,
        });
        code.collect()
    };
    let headers = json!({ "Authorization": "Bearer very-secret" });
    let mut draft = with_tools(json!([{ "kind": "mcp", "url": "https://x.test", "headers": headers }]));
    draft.spec["prompt"] = "p".into();
    let shown = samples(&draft);
    let titles: Vec<&str> = shown.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(titles, ["As curl", "As Python", "As TypeScript"]);
    let is_fine = |text: &str| text.contains("/demo/agent-runs") && !text.contains("very-secret");
    assert!(shown.iter().all(|(_, text)| is_fine(text)), "{shown:?}");
    draft.mode = LaunchMode::Message { session_id: "sess_1".to_owned() };
    let shown = samples(&draft);
    assert!(shown.iter().all(|(_, text)| text.contains("/demo/agent-sessions/sess_1/messages")), "{shown:?}");
    draft.spec["prompt"] = "x".repeat(70_000).into();
    assert_eq!(samples(&draft), []);
}

#[test]
fn a_batch_needs_valid_json_and_no_prompt() {
    let draft = LaunchDraft::from_spec(json!({ "systemPrompt": "s" }));
    assert_eq!(validation::batch_errors(&draft), []);
    let broken = after(&draft, &[("json", "{")]);
    assert_eq!(validation::batch_errors(&broken).len(), 1);
}

#[test]
fn folded_sections_say_what_is_set_and_open_for_errors() {
    let fold = |spec: Value, id: &str| {
        let page = page_of(&LaunchDraft::from_spec(spec));
        let section = page.sections.iter().find(|section| section.id == id).expect("a section").clone();
        section.open.map(|open| (section.summary, open))
    };
    assert_eq!(fold(json!({}), "what"), None);
    assert_eq!(fold(json!({}), "limits"), Some(("Defaults".to_owned(), false)));
    let limits = json!({ "budgets": { "maxToolTurns": 3 }, "toolBudgets": { "recall": { "maxCalls": 2 } } });
    assert_eq!(fold(limits, "limits"), Some(("Turns with tools: 3 · recall: 2".to_owned(), false)));
    let tags = json!({ "name": "triage", "metadata": { "env": "dev" } });
    assert_eq!(fold(tags, "tags"), Some(("Name: triage · env: dev".to_owned(), false)));
    let wrong = json!({ "budgets": { "maxToolTurns": 1000 } });
    assert!(fold(wrong, "limits").is_some_and(|(_, open)| open));
}
