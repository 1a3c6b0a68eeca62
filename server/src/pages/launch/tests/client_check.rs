//! The browser reports the same errors while the user types as the server does for the sent form.

use app::launch::draft::{LaunchDraft, client_check};
use app::model::launch::{JsonProblem, Problem};
use protocol::fields::SPEC_FIELDS;
use serde_json::{Value, json};

use super::{after, fields_with, page_of, shown_errors};

/// What the user sees: errors by control name, the list of problems, and the JSON editor's error.
type Seen = (Vec<(String, String)>, Vec<Problem>, Option<JsonProblem>);

/// Returns what the browser shows after some typing, and what the server does.
fn both(draft: &LaunchDraft, changes: &[(&str, &str)]) -> (Seen, Seen) {
    let page = page_of(draft);
    let findings = client_check::check(&page, draft, &fields_with(&page, changes), SPEC_FIELDS);
    let mut errors = Vec::new();
    page.each_field(&mut |field| {
        let found = findings.errors.iter().find(|(id, _)| *id == field.id).map(|(_, error)| error);
        errors.extend(found.unwrap_or(&field.error).clone().map(|error| (field.name.clone(), error)));
    });
    let problems = findings.problems.unwrap_or(page.problems);
    let server = page_of(&after(draft, changes));
    let browser = (errors, problems, findings.json_problem.unwrap_or(page.json_problem));
    (browser, (shown_errors(&server), server.problems, server.json_problem))
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
    assert_eq!(
        errors.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["row:/metadata#1.value"],
        "{errors:?}"
    );
}

#[test]
fn errors_that_only_the_server_finds_stay() {
    let mut draft = attempted(json!({ "prompt": "p", "systemPrompt": "s" }));
    draft.spec["tools"] = json!([{ "kind": "local", "name": "ask" }]);
    let reply = domain::CannedReply { failed: true, ..Default::default() };
    draft.answers.insert("ask".to_owned(), domain::Answerer::Canned(reply));
    let (browser, server) = both(&draft, &[("field:/prompt", "other")]);
    assert_eq!(browser, server);
    assert!(!server.1.is_empty());
}

#[test]
fn missing_fields_are_reported_only_after_an_attempt() {
    let (browser, _) =
        both(&LaunchDraft::from_spec(json!({ "tools": [{ "kind": "local" }] })), &[("field:/prompt", "")]);
    assert_eq!(browser, (Vec::new(), Vec::new(), None));
}
