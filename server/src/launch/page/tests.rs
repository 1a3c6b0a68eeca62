//! A form that is sent back as it was drawn changes nothing, whatever is in the spec; and each control changes its place.

use app::launch::sheet::{Control, Item, LaunchPage};
use app::launch::{Catalogue, LaunchMode};
use domain::{Answerer, CannedReply};
use serde_json::{Value, json};

use super::apply::{Sent, apply};
use super::work::{FoundTool, Work};
use super::{Posted, draw, faults};

pub fn drawn(work: &Work) -> LaunchPage {
    let runs_url = "https://mantyx.test/api/v1/workspaces/demo/agent-runs";
    draw::page(work, &Catalogue::default(), &[], faults::of(work), runs_url)
}

/// What a browser sends of a page that nobody has touched.
fn posted(page: &LaunchPage) -> Posted {
    let mut fields = vec![("json".to_owned(), crlf(&page.json))];
    for section in &page.sections {
        collect(&section.items, &mut fields);
    }
    collect(&page.mode, &mut fields);
    collect(&page.finish, &mut fields);
    Posted { fields, uploads: Vec::new() }
}

fn collect(items: &[Item], fields: &mut Vec<(String, String)>) {
    for item in items {
        match item {
            Item::Group { items, .. } | Item::Row { items } | Item::Fold { items, .. } => collect(items, fields),
            Item::Field(field) => match &field.control {
                // A control of one line has no line ends.
                Control::Line { value, .. } => fields.push((field.name.clone(), value.replace(['\r', '\n'], ""))),
                Control::Area { value, .. } | Control::Select { value, .. } => {
                    fields.push((field.name.clone(), crlf(value)));
                }
                Control::Tick { value, ticked } => {
                    fields.push((field.name.clone(), String::new()));
                    fields.extend(ticked.then(|| (field.name.clone(), value.clone())));
                }
                Control::Hidden { value } => fields.push((field.name.clone(), value.clone())),
                Control::File { .. } => {}
            },
            Item::Note { .. }
            | Item::Facts { .. }
            | Item::Buttons { .. }
            | Item::Code { .. }
            | Item::Choices { .. } => {}
        }
    }
}

fn crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n")
}

/// The work after a form was sent with some fields changed.
pub fn after(work: &Work, changes: &[(&str, &str)]) -> Work {
    let fields = fields_with(&drawn(work), changes);
    let mut work = work.clone();
    apply(&mut work, &Sent::new(&fields));
    work
}

/// What a browser sends of a page on which some fields were changed.
pub fn fields_with(page: &LaunchPage, changes: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut fields = posted(page).fields;
    for (name, text) in changes {
        assert!(fields.iter().any(|(field, _)| field == name), "there is no control {name}");
        fields.push(((*name).to_owned(), (*text).to_owned()));
    }
    fields
}

fn full_spec() -> Value {
    json!({
        "later": { "x": [1, 2.5, null] }, "name": "n\nm", "agentId": "a", "systemPrompt": "s\n\nwith lines ", "modelId": "m",
        "fallbackModelId": "f", "reasoningLevel": 30, "metadata": { "k": "v", "odd key": "", "n": 3, " s ": " x ", "l": "a\nb\r" },
        "messages": [{ "role": "user", "content": "\nc", "attachments": [{ "type": "input_file_url", "url": "https://x.test" }] }],
        "budgets": { "maxToolTurns": 3, "maxToolTurnsExceeded": "later", "localToolTimeoutMs": 1000, "other": 1 },
        "toolBudgets": { "recall": { "maxCalls": 0, "later": 1 }, "odd": 7 },
        "loopDetection": { "consecutiveThreshold": 2, "hardCutoffThreshold": 9, "later": true },
        "outputSchema": { "name": "o", "schema": { "type": "object", "properties": { "": {}, "a": { "type": ["string", "null"], "description": " d\ne" } },
            "required": ["a", "b"] }, "enforcement": "strict" },
        "supervisor": { "interval": 4, "modelId": "m", "reasoningTrigger": { "chars": 10, "ms": 20 } },
        "plan": { "mode": "auto", "brief": "b", "steps": ["one", " two "], "planOnly": false },
        "tools": [
            { "kind": "mantyx", "id": "t", "later": 1 },
            { "kind": "mantyx_plugin", "name": "@a/b" },
            { "kind": "local", "name": "l", "description": "d", "parameters": { "$ref": "#/x" }, "outputSchema": {},
              "longRunning": true, "readOnly": false, "retain": true },
            { "kind": "a2a", "name": "a", "agentCardUrl": "https://x.test", "headers": { "h": "v" }, "contextId": "c" },
            { "kind": "a2a_local", "name": "b", "agentCard": { "name": "B", "skills": [{ "name": "s" }] } },
            { "kind": "mcp", "name": "m", "url": "https://x.test", "headers": {}, "toolFilter": ["x", "y "] },
            { "kind": "mcp_local", "name": "ml", "serverInfo": { "name": "S" }, "tools": [{ "name": "x", "inputSchema": {} }, {}] },
            { "kind": "quantum", "spin": 2 }, { "name": 5 },
        ],
    })
}

#[test]
fn a_form_that_nobody_touched_changes_nothing() {
    let odd = json!({ "prompt": null, "tools": "none", "metadata": [], "plan": "sometimes", "loopDetection": true,
        "messages": {}, "outputSchema": 3, "supervisor": { "reasoningTrigger": true }, "toolBudgets": null,
        "reasoningLevel": "extreme", "budgets": {}, "systemPrompt": " ", "name": "" });
    for spec in
        [full_spec(), odd, json!({}), json!({ "prompt": "a\r\nb\n" }), json!({ "toolBudgets": {}, "metadata": {} })]
    {
        let mut work = Work::of(spec.clone());
        work.answers
            .insert("l".to_owned(), Answerer::Canned(CannedReply { text: "r\ns".to_owned(), ..Default::default() }));
        let tool = FoundTool { name: "x".to_owned(), description: String::new() };
        work.found.insert("/tools/5".to_owned(), vec![tool]);
        let sent = after(&work, &[]);
        assert_eq!(sent.spec, spec);
        assert_eq!((sent.json, sent.texts.len(), sent.rows.len()), (None, 0, 0));
    }
}

#[test]
fn each_control_changes_its_place_and_no_other() {
    let check = |name: &str, text: &str, place: &str, expected: Value| {
        let work = Work::of(full_spec());
        let sent = after(&work, &[(name, text)]);
        let mut spec = full_spec();
        match expected {
            Value::Null => drop(super::place::remove(&mut spec, place)),
            expected => super::place::set(&mut spec, place, expected),
        }
        assert_eq!(sent.spec, spec, "{name}");
    };
    check("t/systemPrompt", "new\r\nlines", "/systemPrompt", "new\nlines".into());
    check("t/name", "", "/name", Value::Null);
    check("n/budgets/maxToolTurns", "12", "/budgets/maxToolTurns", 12.into());
    check("n/budgets/maxToolTurns", "many", "/budgets/maxToolTurns", "many".into());
    check("b/tools/2/readOnly", "true", "/tools/2/readOnly", true.into());
    check("b/tools/2/retain", "", "/tools/2/retain", Value::Null);
    check("l/tools/5/toolFilter", "x\r\nz", "/tools/5/toolFilter", json!(["x", "z"]));
    check("j/tools/4/agentCard", "{\"name\":\"C\"}", "/tools/4/agentCard", json!({ "name": "C" }));
    check("v/metadata#0", "w", "/metadata/k", "w".into());
    check("v/toolBudgets#0", "9", "/toolBudgets/recall/maxCalls", 9.into());
    check("x:loops", "off", "/loopDetection", false.into());
    check("x:plan", "", "/plan", Value::Null);
    check("t/tools/6/tools/0/name", "renamed", "/tools/6/tools/0/name", "renamed".into());
}

#[test]
fn the_json_side_counts_where_it_was_edited_and_the_form_stays_where_it_cannot_be_read() {
    let work = Work::of(json!({ "prompt": "p", "later": 1 }));
    let edited = after(&work, &[("json", "{\"prompt\":\"q\",\"tools\":[]}"), ("t/prompt", "stale")]);
    assert_eq!(edited.spec, json!({ "prompt": "q", "tools": [] }));
    let broken = after(&work, &[("json", "{\"prompt\": }"), ("t/name", "n")]);
    assert_eq!(broken.spec, json!({ "prompt": "p", "later": 1, "name": "n" }));
    let page = drawn(&broken);
    assert_eq!((page.json.as_str(), page.json_problem.map(|problem| problem.column)), ("{\"prompt\": }", Some(12)));
    assert!(page.problems.iter().any(|problem| problem.message.contains("JSON")), "{:?}", page.problems);
    let same = after(&work, &[("json", "{ \"later\": 1, \"prompt\": \"p\" }"), ("t/prompt", "kept")]);
    assert_eq!(same.spec["prompt"], "kept");
}

#[test]
fn json_that_cannot_be_read_stays_in_its_control_with_its_error() {
    let work = Work::of(json!({ "tools": [{ "kind": "a2a_local", "name": "b", "agentCard": { "name": "B" } }] }));
    let broken = after(&work, &[("j/tools/0/agentCard", "{")]);
    assert_eq!(broken.spec, work.spec);
    let again = after(&broken, &[]);
    assert_eq!(again.texts["j/tools/0/agentCard"], "{");
    assert!(faults::of(&again).iter().any(|fault| fault.path == "/tools/0/agentCard" && fault.code == "json"));
    let mended = after(&again, &[("j/tools/0/agentCard", "{}")]);
    assert_eq!((&mended.spec["tools"][0]["agentCard"], mended.texts.len()), (&json!({}), 0));
}

#[test]
fn a_tool_that_is_renamed_is_answered_as_before() {
    let mut work = Work::of(json!({ "tools": [{ "kind": "local", "name": "old" }] }));
    work.answers.insert("old".to_owned(), Answerer::Canned(CannedReply::default()));
    let renamed = after(&work, &[("t/tools/0/name", "new"), ("a:old:text", "reply"), ("a:old:failed", "true")]);
    let expected = CannedReply { text: "reply".to_owned(), failed: true, delay_ms: 0 };
    assert_eq!(renamed.answers["new"], Answerer::Canned(expected));
    assert_eq!(renamed.answers.len(), 1);
}

#[test]
fn a_tool_whose_name_is_cleared_and_written_again_is_answered_as_before() {
    let mut work =
        Work::of(json!({ "tools": [{ "kind": "local", "name": "old" }, { "kind": "local", "name": "new" }] }));
    let reply = Answerer::Canned(CannedReply { text: "mine".to_owned(), ..Default::default() });
    work.answers.insert("old".to_owned(), reply.clone());
    let cleared = after(&work, &[("t/tools/0/name", "")]);
    assert_eq!(cleared.answers.get("old"), None);
    // On the way to its name it may be another tool's for a moment.
    let halfway = after(&cleared, &[("t/tools/0/name", "new")]);
    let named = after(&halfway, &[("t/tools/0/name", "newer")]);
    assert_eq!(named.answers.get("newer"), Some(&reply));
}

#[test]
fn who_answered_before_comes_back_with_the_choice_also_under_another_name() {
    let mut work = Work::of(json!({ "tools": [{ "kind": "local", "name": "old" }] }));
    let reply = Answerer::Canned(CannedReply { text: "mine".to_owned(), failed: true, delay_ms: 7 });
    work.answers.insert("old".to_owned(), reply);
    let by_hand = after(&work, &[("a:old:text", "mine at last"), ("a:old:by", "hand")]);
    let reply = Answerer::Canned(CannedReply { text: "mine at last".to_owned(), failed: true, delay_ms: 7 });
    assert_eq!(by_hand.answers["old"], Answerer::Hand);
    let renamed = after(&by_hand, &[("t/tools/0/name", "new")]);
    assert_eq!(after(&renamed, &[("a:new:by", "canned")]).answers["new"], reply);
}

#[test]
fn a_tool_that_was_removed_comes_back_to_its_place_with_who_answers_it() {
    let spec = json!({ "tools": [{ "kind": "local", "name": "a" }, { "kind": "local", "name": "b", "readOnly": true }, { "kind": "a2a" }] });
    let mut work = Work::of(spec.clone());
    work.answers.insert("b".to_owned(), Answerer::Canned(CannedReply::default()));
    work.texts.insert("j/tools/2/agentCard".to_owned(), "{".to_owned());
    let before = work.clone();
    work.remove_tool("/tools", 1);
    assert!(serde_json::to_string(&drawn(&work)).is_ok_and(|page| page.contains("undo-remove")));
    assert_eq!((work.answers.len(), work.texts.contains_key("j/tools/1/agentCard")), (0, true));
    assert_eq!(work.bring_back().as_deref(), Some("/tools/1"));
    assert_eq!(work, before);
}

#[test]
fn a_delay_that_is_no_number_stays_and_is_told() {
    let mut work = Work::of(json!({ "tools": [{ "kind": "local", "name": "ask" }] }));
    work.answers.insert("ask".to_owned(), Answerer::Canned(CannedReply { delay_ms: 9, ..Default::default() }));
    let odd = after(&work, &[("a:ask:delay", "-5")]);
    let again = after(&odd, &[]);
    assert!(faults::of(&again).iter().any(|fault| fault.path == "/answers/ask#delay"), "{:?}", faults::of(&again));
    assert!(serde_json::to_string(&drawn(&again)).is_ok_and(|page| page.contains("\"-5\"")));
    assert!(faults::of(&after(&again, &[("a:ask:delay", "5")])).iter().all(|fault| fault.code != "number"));
}

#[test]
fn a_whole_answer_to_tools_list_is_taken_for_its_list() {
    let work = Work::of(json!({ "tools": [{ "kind": "mcp_local", "name": "m" }] }));
    let pasted = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","inputSchema":{}}]}}"#;
    let taken = after(&work, &[("j/tools/0/tools", pasted)]);
    assert_eq!(taken.spec["tools"][0]["tools"], json!([{ "name": "read", "inputSchema": {} }]));
}

#[test]
fn ticks_are_the_filter_and_all_of_them_are_none() {
    let mut work = Work::of(json!({ "tools": [{ "kind": "mcp", "name": "m", "url": "https://x.test" }] }));
    let found = ["a", "b"].map(|name| FoundTool { name: name.to_owned(), description: String::new() });
    work.found.insert("/tools/0".to_owned(), found.to_vec());
    let one = after(&work, &[("c/tools/0/toolFilter#b", "")]);
    assert_eq!(one.spec["tools"][0]["toolFilter"], json!(["a"]));
    let all = after(&one, &[("c/tools/0/toolFilter#b", "true")]);
    assert_eq!(all.spec["tools"][0].get("toolFilter"), None);
}

#[test]
fn what_is_missing_is_told_once_it_was_tried_and_every_problem_leads_to_a_control() {
    let mut work = Work::of(json!({ "tools": [{ "kind": "local", "name": "a b" }] }));
    let places = |work: &Work| drawn(work).problems.into_iter().map(|problem| problem.place).collect::<Vec<_>>();
    assert_eq!(places(&work), ["Tool 1, name"]);
    work.tried = true;
    assert_eq!(places(&work), ["prompt", "system prompt", "Tool 1, name"]);
    assert!(drawn(&work).problems.iter().all(|problem| problem.href.starts_with("#f-")), "{:?}", drawn(&work).problems);
}

#[test]
fn a_message_to_a_session_needs_its_id() {
    let work = Work { mode: LaunchMode::Message { session_id: String::new() }, ..Work::of(json!({ "prompt": "p" })) };
    assert_eq!(faults::of(&work).into_iter().map(|fault| fault.path).collect::<Vec<_>>(), ["/session"]);
}
