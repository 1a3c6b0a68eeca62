//! Tests that the browser reports the same errors while the user types as the server does for the sent form.

use app::launch::ControlName;
use app::launch::draft::{LaunchDraft, client_check};
use app::model::launch::{JsonProblem, PageControl, Problem};
use protocol::fields::SPEC_FIELDS;
use serde_json::{Value, json};

use super::super::items::Field;
use super::{after, fields_with, page_of, shown_errors, with_tools};

/// What the user sees: errors by control name, the list of problems, and the JSON editor's error.
type Seen = (Vec<(String, String)>, Vec<Problem>, Option<JsonProblem>);

/// Returns what the browser shows after some typing, and what the server does.
fn both(draft: &LaunchDraft, changes: &[(&str, &str)]) -> (Seen, Seen) {
    let page = page_of(draft);
    let control = |(field, name): (&Field, ControlName)| {
        let server_error = field.error.clone().filter(|_| !name.is_checked_by_browser());
        PageControl { id: field.id.clone(), name, server_error }
    };
    let controls: Vec<PageControl> = page.controls().map(control).collect();
    let values = fields_with(&page, changes);
    let findings = client_check::check(&controls, &page.findings.problems, draft, &values, SPEC_FIELDS);
    let error = |field: &Field| Some((field.name.clone(), findings.errors.get(&field.id)?.clone()));
    let errors = page.fields().into_iter().filter_map(error).collect();
    let server = page_of(&after(draft, changes));
    let browser = (errors, findings.problems, findings.json_problem);
    (browser, (shown_errors(&server), server.findings.problems, server.findings.json_problem))
}

/// A draft after the first attempt to launch it.
fn attempted(spec: Value) -> LaunchDraft {
    let mut draft = LaunchDraft::from_spec(spec);
    draft.last_action.launch_attempted = true;
    draft
}

fn check(spec: Value, changes: &[(&str, &str)]) {
    let draft = attempted(spec);
    let (browser, server) = both(&draft, changes);
    assert_eq!(browser, server, "{changes:?}");
    assert!(!server.1.is_empty() || changes.is_empty(), "nothing is wrong with {changes:?}");
}

fn whole() -> Value {
    json!({
        "prompt": "p", "systemPrompt": "s", "metadata": { "a": "1", "b": "2" },
        "toolBudgets": { "recall": { "maxCalls": 4 } }, "budgets": { "maxToolTurns": 3 },
        "outputSchema": { "name": "o", "schema": { "type": "object", "properties": { "x": { "type": "string" }, "y": {} } } },
        "loopDetection": { "consecutiveThreshold": 3, "hardCutoffThreshold": 6 }, "supervisor": { "interval": 3 },
        "plan": { "mode": "auto", "steps": ["one"] },
        "tools": [
            { "kind": "mantyx", "id": "t" }, { "kind": "mantyx_plugin", "name": "@a/b" },
            { "kind": "local", "name": "ask", "parameters": { "type": "object" } },
            { "kind": "a2a", "name": "far", "agentCardUrl": "https://x.test", "headers": { "h": "v" } },
            { "kind": "a2a_local", "name": "near", "agentCard": { "name": "N" } },
            { "kind": "mcp", "name": "m", "url": "https://x.test", "toolFilter": ["x"] },
            { "kind": "mcp_local", "name": "ml", "tools": [{ "name": "read", "inputSchema": {} }] },
        ],
    })
}

#[test]
fn browser_and_server_report_the_same_error_for_each_kind_of_control() {
    let long = "x".repeat(200_001);
    for change in [
        ("field:/prompt", ""),
        ("field:/prompt", long.as_str()),
        ("field:/systemPrompt", ""),
        ("field:/tools/0/id", ""),
        ("field:/tools/1/name", "not a plugin"),
        ("field:/tools/2/name", "no-hyphens"),
        ("field:/tools/2/name", "far"),
        ("field:/tools/2/parameters", "{"),
        ("field:/tools/2/parameters", r#"{"type":"array"}"#),
        ("field:/tools/3/agentCardUrl", "ftp://x"),
        ("row:/tools/3/headers#0.value", "a\u{e9}"),
        ("row:/tools/3/headers#0.value", ""),
        ("field:/tools/4/agentCard", "[]"),
        ("field:/tools/5/url", "nowhere"),
        ("field:/tools/6/tools/0/name", "a b"),
        ("field:/tools/6/tools", "[]"),
        ("row:/metadata#0.key", "b"),
        ("row:/metadata#0.key", ""),
        ("row:/metadata#2.value", "nameless"),
        ("row:/metadata#0.key", "odd key"),
        ("row:/toolBudgets#0.value", "many"),
        ("field:/budgets/maxToolTurns", "101"),
        ("field:/loopDetection/hardCutoffThreshold", "2"),
        ("field:/supervisor/interval", "0"),
        ("field:/outputSchema/name", "a b"),
        ("row:/outputSchema/schema#0.name", "y"),
        ("row:/outputSchema/schema#0.name", ""),
        ("json", "{\n  \"prompt\": 1,\n  oops"),
    ] {
        check(whole(), &[change]);
    }
}

#[test]
fn an_emptied_row_does_not_move_the_errors_of_other_rows() {
    let changes = [("row:/metadata#0.key", ""), ("row:/metadata#0.value", ""), ("row:/metadata#1.key", "odd key")];
    let ((errors, ..), _) = both(&LaunchDraft::from_spec(whole()), &changes);
    let names: Vec<&str> = errors.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["row:/metadata#1.value"], "{errors:?}");
}

#[test]
fn errors_that_only_the_server_finds_stay() {
    let tools = json!([{ "kind": "local", "name": "ask" }]);
    let mut draft = attempted(json!({ "prompt": "p", "systemPrompt": "s", "tools": tools }));
    let reply = domain::CannedReply { failed: true, ..Default::default() };
    draft.answers.insert("ask".to_owned(), domain::Answerer::Canned(reply));
    let (browser, server) = both(&draft, &[("field:/prompt", "other")]);
    assert_eq!(browser, server);
    assert!(!server.1.is_empty());
}

#[test]
fn missing_fields_are_reported_only_after_an_attempt() {
    let (browser, _) = both(&with_tools(json!([{ "kind": "local" }])), &[("field:/prompt", "")]);
    assert_eq!(browser, (Vec::new(), Vec::new(), None));
}
