//! What the browser tells while somebody types is what the server tells when the form is sent.

use app::launch::sheet::{Item, LaunchPage, Since};
use app::launch::work::typed;
use serde_json::{Value, json};

use super::field_tests::shown_errors;
use super::tests::{after, drawn, fields_with};
use super::work::Work;

/// The page as a browser shows it after some typing, and as the server draws it then.
fn both(work: &Work, changes: &[(&str, &str)]) -> (LaunchPage, LaunchPage) {
    let mut here = drawn(work);
    let since = typed::check(&here, work, &fields_with(&here, changes));
    here.problems = since.problems.clone().unwrap_or(here.problems);
    here.json_problem = since.json_problem.clone().unwrap_or(here.json_problem);
    for section in &mut here.sections {
        tell(&mut section.items, &since);
    }
    tell(&mut here.mode, &since);
    (here, drawn(&after(work, changes)))
}

fn tell(items: &mut [Item], since: &Since) {
    for item in items {
        match item {
            Item::Group { items, .. } | Item::Row { items } | Item::Fold { items, .. } => tell(items, since),
            Item::Field(field) => {
                let found = since.errors.iter().find(|(id, _)| *id == field.id);
                field.error = found.map_or(field.error.clone(), |(_, error)| error.clone());
            }
            _ => {}
        }
    }
}

fn check(spec: Value, changes: &[(&str, &str)]) {
    let work = Work { tried: true, ..Work::of(spec) };
    let (here, there) = both(&work, changes);
    assert_eq!(shown_errors(&here), shown_errors(&there), "{changes:?}");
    assert_eq!(here.problems, there.problems, "{changes:?}");
    assert_eq!(here.json_problem, there.json_problem, "{changes:?}");
    assert!(!there.problems.is_empty() || changes.is_empty(), "nothing is wrong with {changes:?}");
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
fn a_bad_value_in_each_kind_of_control_is_told_the_same_here_and_there() {
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
fn a_row_that_is_emptied_does_not_move_what_is_told_of_the_others() {
    let changes = [("k/metadata#0", ""), ("v/metadata#0", ""), ("k/metadata#1", "odd key")];
    let (here, _) = both(&Work::of(whole()), &changes);
    let errors = shown_errors(&here);
    assert_eq!(errors.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["v/metadata#1"], "{errors:?}");
}

#[test]
fn what_only_the_server_judges_stays_as_it_said() {
    let mut work = Work { tried: true, ..Work::of(json!({ "prompt": "p", "systemPrompt": "s" })) };
    work.spec["tools"] = json!([{ "kind": "local", "name": "ask" }]);
    let reply = domain::CannedReply { failed: true, ..Default::default() };
    work.answers.insert("ask".to_owned(), domain::Answerer::Canned(reply));
    let (here, there) = both(&work, &[("t/prompt", "other")]);
    assert_eq!(shown_errors(&here), shown_errors(&there));
    assert!(!there.problems.is_empty());
    assert_eq!(here.problems, there.problems);
}

#[test]
fn what_is_missing_is_told_only_once_a_launch_was_tried() {
    let (here, _) = both(&Work::of(json!({ "tools": [{ "kind": "local" }] })), &[("t/prompt", "")]);
    assert_eq!((shown_errors(&here), here.problems), (Vec::new(), Vec::new()));
}
