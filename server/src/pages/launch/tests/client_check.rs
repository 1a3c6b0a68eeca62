//! The browser reports the same errors while the user types as the server does for the sent form.

use app::launch::draft::{LaunchDraft, client_check};
use app::model::launch::{ClientFindings, Item, LaunchPageModel};
use serde_json::{Value, json};

use super::fields::shown_errors;
use super::{after, fields_with, page_of};

/// Returns the page that the browser shows after some typing, and the one that the server builds.
fn both(draft: &LaunchDraft, changes: &[(&str, &str)]) -> (LaunchPageModel, LaunchPageModel) {
    let mut browser = page_of(draft);
    let findings = client_check::check(&browser, draft, &fields_with(&browser, changes));
    browser.problems = findings.problems.clone().unwrap_or(browser.problems);
    browser.json_problem = findings.json_problem.clone().unwrap_or(browser.json_problem);
    for section in &mut browser.sections {
        apply_findings(&mut section.items, &findings);
    }
    apply_findings(&mut browser.mode, &findings);
    (browser, page_of(&after(draft, changes)))
}

fn apply_findings(items: &mut [Item], findings: &ClientFindings) {
    for item in items {
        match item {
            Item::Group { items, .. } | Item::Row { items } | Item::Fold { items, .. } => {
                apply_findings(items, findings)
            }
            Item::Field(field) => {
                let found = findings.errors.iter().find(|(id, _)| *id == field.id);
                field.error = found.map_or(field.error.clone(), |(_, error)| error.clone());
            }
            _ => {}
        }
    }
}

fn check(spec: Value, changes: &[(&str, &str)]) {
    let draft = LaunchDraft { launch_attempted: true, ..LaunchDraft::from_spec(spec) };
    let (browser, server) = both(&draft, changes);
    assert_eq!(shown_errors(&browser), shown_errors(&server), "{changes:?}");
    assert_eq!(browser.problems, server.problems, "{changes:?}");
    assert_eq!(browser.json_problem, server.json_problem, "{changes:?}");
    assert!(!server.problems.is_empty() || changes.is_empty(), "nothing is wrong with {changes:?}");
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
        ("t/prompt", ""),
        ("t/prompt", long.as_str()),
        ("t/systemPrompt", ""),
        ("t/tools/0/id", ""),
        ("t/tools/1/name", "not a plugin"),
        ("t/tools/2/name", "no-hyphens"),
        ("t/tools/2/name", "far"),
        ("j/tools/2/parameters", "{"),
        ("j/tools/2/parameters", r#"{"type":"array"}"#),
        ("t/tools/3/agentCardUrl", "ftp://x"),
        ("v/tools/3/headers#0", "a\u{e9}"),
        ("v/tools/3/headers#0", ""),
        ("j/tools/4/agentCard", "[]"),
        ("t/tools/5/url", "nowhere"),
        ("t/tools/6/tools/0/name", "a b"),
        ("j/tools/6/tools", "[]"),
        ("k/metadata#0", "b"),
        ("k/metadata#0", ""),
        ("v/metadata#2", "nameless"),
        ("k/metadata#0", "odd key"),
        ("v/toolBudgets#0", "many"),
        ("n/budgets/maxToolTurns", "101"),
        ("n/loopDetection/hardCutoffThreshold", "2"),
        ("n/supervisor/interval", "0"),
        ("t/outputSchema/name", "a b"),
        ("p/outputSchema/schema#0.name", "y"),
        ("p/outputSchema/schema#0.name", ""),
        ("json", "{\n  \"prompt\": 1,\n  oops"),
    ] {
        check(whole(), &[change]);
    }
}

#[test]
fn an_emptied_row_does_not_move_the_errors_of_other_rows() {
    let changes = [("k/metadata#0", ""), ("v/metadata#0", ""), ("k/metadata#1", "odd key")];
    let (browser, _) = both(&LaunchDraft::from_spec(whole()), &changes);
    let errors = shown_errors(&browser);
    assert_eq!(errors.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["v/metadata#1"], "{errors:?}");
}

#[test]
fn errors_that_only_the_server_finds_stay() {
    let mut draft =
        LaunchDraft { launch_attempted: true, ..LaunchDraft::from_spec(json!({ "prompt": "p", "systemPrompt": "s" })) };
    draft.spec["tools"] = json!([{ "kind": "local", "name": "ask" }]);
    let reply = domain::CannedReply { failed: true, ..Default::default() };
    draft.answers.insert("ask".to_owned(), domain::Answerer::Canned(reply));
    let (browser, server) = both(&draft, &[("t/prompt", "other")]);
    assert_eq!(shown_errors(&browser), shown_errors(&server));
    assert!(!server.problems.is_empty());
    assert_eq!(browser.problems, server.problems);
}

#[test]
fn missing_fields_are_reported_only_after_an_attempt() {
    let (browser, _) = both(&LaunchDraft::from_spec(json!({ "tools": [{ "kind": "local" }] })), &[("t/prompt", "")]);
    assert_eq!((shown_errors(&browser), browser.problems), (Vec::new(), Vec::new()));
}
