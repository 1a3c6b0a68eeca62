//! Tests of the launch form. A form that is sent back unchanged changes nothing, and each control changes only its
//! own field.

mod client_check;
mod fields;
mod new_field;
mod round_trip;

use app::launch::LaunchMode;
use app::launch::draft::apply::{SubmittedFields, apply};
use app::launch::draft::{DiscoveredTool, LaunchDraft};
use app::model::launch::Problem;
use domain::{Answerer, CannedReply};
use protocol::fields::{FieldTable, SPEC_FIELDS};
use protocol::json_pointer;
use protocol::validate::FieldError;
use serde_json::{Value, json};

use super::PageBuilder;
use super::items::{Control, LaunchPage};
use crate::launch::{Catalogue, validation};

fn page_of(draft: &LaunchDraft) -> LaunchPage {
    page_with(draft, SPEC_FIELDS, validation::draft_errors(draft))
}

fn page_with(draft: &LaunchDraft, fields: FieldTable, errors: Vec<FieldError>) -> LaunchPage {
    let runs_url = "https://mantyx.test/api/v1/workspaces/demo/agent-runs";
    let catalogue = &Catalogue::default();
    super::build(PageBuilder { draft, fields, catalogue, errors, runs_url, scopes: "" }, &[])
}

/// A draft with these tools.
fn with_tools(tools: Value) -> LaunchDraft {
    LaunchDraft::from_spec(json!({ "tools": tools }))
}

/// A draft with a local tool, and its answerer.
fn with_answerer(tool: &str, answerer: Answerer) -> LaunchDraft {
    let answers = [(tool.to_owned(), answerer)].into();
    LaunchDraft { answers, ..with_tools(json!([{ "kind": "local", "name": tool }])) }
}

fn canned(text: &str) -> CannedReply {
    CannedReply { text: text.to_owned(), ..Default::default() }
}

/// A draft with a remote MCP server, which has tools of these names.
fn with_discovered(names: &[&str]) -> LaunchDraft {
    let mut draft = with_tools(json!([{ "kind": "mcp", "name": "m", "url": "https://x.test" }]));
    let found = names.iter().map(|name| DiscoveredTool { name: (*name).to_owned(), description: (*name).to_owned() });
    draft.last_action.discovered_tools.insert("/tools/0".to_owned(), found.collect());
    draft
}

fn has_error(draft: &LaunchDraft, is_it: impl Fn(&FieldError) -> bool) -> bool {
    validation::draft_errors(draft).iter().any(is_it)
}

/// Returns the fields that a browser sends for an unchanged page.
fn sent_fields(page: &LaunchPage) -> Vec<(String, String)> {
    let mut fields = vec![("json".to_owned(), crlf(&page.json))];
    for field in page.fields() {
        let mut send = |text: String| fields.push((field.name.clone(), text));
        match &field.control {
            // Browsers remove line ends from text lines.
            Control::TextLine { value, .. } => send(value.replace(['\r', '\n'], "")),
            Control::TextArea { value, .. } | Control::Select { value, .. } => send(crlf(value)),
            Control::Checkbox { value, checked } => {
                send(String::new());
                if *checked {
                    send(value.clone());
                }
            }
            Control::File { .. } => {}
        }
    }
    fields
}

/// Returns the errors of a page by control name.
fn shown_errors(page: &LaunchPage) -> Vec<(String, String)> {
    page.fields().into_iter().filter_map(|field| Some((field.name.clone(), field.error.clone()?))).collect()
}

fn crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n")
}

/// Applies the form of a draft with some fields changed.
fn after(draft: &LaunchDraft, changes: &[(&str, &str)]) -> LaunchDraft {
    let fields = fields_with(&page_of(draft), changes);
    let mut draft = draft.clone();
    apply(&mut draft, &SubmittedFields::new(&fields), SPEC_FIELDS);
    draft
}

/// Returns the fields that a browser sends for a page with some fields changed.
fn fields_with(page: &LaunchPage, changes: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut fields = sent_fields(page);
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
fn an_unchanged_form_changes_nothing() {
    let odd = json!({ "prompt": null, "tools": "none", "metadata": [], "plan": "sometimes", "loopDetection": true,
        "messages": {}, "outputSchema": 3, "supervisor": { "reasoningTrigger": true }, "toolBudgets": null,
        "reasoningLevel": "extreme", "budgets": {}, "systemPrompt": " ", "name": "" });
    for spec in
        [full_spec(), odd, json!({}), json!({ "prompt": "a\r\nb\n" }), json!({ "toolBudgets": {}, "metadata": {} })]
    {
        let mut draft = LaunchDraft::from_spec(spec.clone());
        draft.answers.insert("l".to_owned(), Answerer::Canned(canned("r\ns")));
        let tool = DiscoveredTool { name: "x".to_owned(), description: String::new() };
        draft.last_action.discovered_tools.insert("/tools/5".to_owned(), vec![tool]);
        let sent = after(&draft, &[]);
        assert_eq!(sent.spec, spec);
        assert_eq!((sent.unfinished.texts.len(), sent.unfinished.rows.len()), (0, 0));
    }
}

#[test]
fn each_control_changes_only_its_own_field() {
    let check = |name: &str, text: &str, place: &str, expected: Value| {
        let draft = LaunchDraft::from_spec(full_spec());
        let sent = after(&draft, &[(name, text)]);
        let mut spec = full_spec();
        match expected {
            Value::Null => drop(json_pointer::remove(&mut spec, place)),
            expected => json_pointer::set(&mut spec, place, expected),
        }
        assert_eq!(sent.spec, spec, "{name}");
    };
    check("field:/systemPrompt", "new\r\nlines", "/systemPrompt", "new\nlines".into());
    check("field:/name", "", "/name", Value::Null);
    check("field:/budgets/maxToolTurns", "12", "/budgets/maxToolTurns", 12.into());
    check("field:/budgets/maxToolTurns", "many", "/budgets/maxToolTurns", "many".into());
    check("field:/tools/2/readOnly", "true", "/tools/2/readOnly", true.into());
    check("field:/tools/2/retain", "", "/tools/2/retain", Value::Null);
    check("field:/tools/5/toolFilter", "x\r\nz", "/tools/5/toolFilter", json!(["x", "z"]));
    check("field:/tools/4/agentCard", "{\"name\":\"C\"}", "/tools/4/agentCard", json!({ "name": "C" }));
    check("row:/metadata#0.value", "w", "/metadata/k", "w".into());
    check("row:/toolBudgets#0.value", "9", "/toolBudgets/recall/maxCalls", 9.into());
    check("choice:/loopDetection", "off", "/loopDetection", false.into());
    check("choice:/plan", "", "/plan", Value::Null);
    check("field:/tools/6/tools/0/name", "renamed", "/tools/6/tools/0/name", "renamed".into());
}

#[test]
fn an_edited_json_replaces_the_controls_unless_it_is_invalid() {
    let draft = LaunchDraft::from_spec(json!({ "prompt": "p", "later": 1 }));
    let edited = after(&draft, &[("json", "{\"prompt\":\"q\",\"tools\":[]}"), ("field:/prompt", "stale")]);
    assert_eq!(edited.spec, json!({ "prompt": "q", "tools": [] }));
    let broken = after(&draft, &[("json", "{\"prompt\": }"), ("field:/name", "n")]);
    assert_eq!(broken.spec, json!({ "prompt": "p", "later": 1, "name": "n" }));
    let page = page_of(&broken);
    assert_eq!(
        (page.json.as_str(), page.findings.json_problem.map(|problem| problem.column)),
        ("{\"prompt\": }", Some(12))
    );
    assert!(
        page.findings.problems.iter().any(|problem| problem.message.contains("JSON")),
        "{:?}",
        page.findings.problems
    );
    let same = after(&draft, &[("json", "{ \"later\": 1, \"prompt\": \"p\" }"), ("field:/prompt", "kept")]);
    assert_eq!(same.spec["prompt"], "kept");
}

#[test]
fn invalid_json_stays_in_its_control_with_an_error() {
    let draft = with_tools(json!([{ "kind": "a2a_local", "name": "b", "agentCard": { "name": "B" } }]));
    let broken = after(&draft, &[("field:/tools/0/agentCard", "{")]);
    assert_eq!(broken.spec, draft.spec);
    let again = after(&broken, &[]);
    assert_eq!(again.unfinished.texts["field:/tools/0/agentCard"], "{");
    assert!(has_error(&again, |error| error.path == "/tools/0/agentCard" && error.code == "json"));
    let fixed = after(&again, &[("field:/tools/0/agentCard", "{}")]);
    assert_eq!((&fixed.spec["tools"][0]["agentCard"], fixed.unfinished.texts.len()), (&json!({}), 0));
}

#[test]
fn a_renamed_tool_keeps_its_answerer() {
    let draft = with_answerer("old", Answerer::Canned(canned("")));
    let changes = [("field:/tools/0/name", "new"), ("answerer:old#text", "reply"), ("answerer:old#failed", "true")];
    let renamed = after(&draft, &changes);
    assert_eq!(renamed.answers["new"], Answerer::Canned(CannedReply { failed: true, ..canned("reply") }));
    assert_eq!(renamed.answers.len(), 1);
}

#[test]
fn a_tool_keeps_its_answerer_while_its_name_is_cleared_and_retyped() {
    let mut draft = with_tools(json!([{ "kind": "local", "name": "old" }, { "kind": "local", "name": "new" }]));
    let reply = Answerer::Canned(canned("mine"));
    draft.answers.insert("old".to_owned(), reply.clone());
    let cleared = after(&draft, &[("field:/tools/0/name", "")]);
    assert_eq!(cleared.answers.get("old"), None);
    // While it is typed, the name may be that of another tool.
    let halfway = after(&cleared, &[("field:/tools/0/name", "new")]);
    let named = after(&halfway, &[("field:/tools/0/name", "newer")]);
    assert_eq!(named.answers.get("newer"), Some(&reply));
}

#[test]
fn an_answerer_is_restored_with_its_choice_also_under_another_name() {
    let reply = |text: &str| Answerer::Canned(CannedReply { failed: true, delay_ms: 7, ..canned(text) });
    let draft = with_answerer("old", reply("mine"));
    let by_hand = after(&draft, &[("answerer:old#text", "mine at last"), ("answerer:old#by", "hand")]);
    assert_eq!(by_hand.answers["old"], Answerer::Hand);
    let renamed = after(&by_hand, &[("field:/tools/0/name", "new")]);
    assert_eq!(after(&renamed, &[("answerer:new#by", "canned")]).answers["new"], reply("mine at last"));
}

#[test]
fn a_removed_tool_is_restored_with_its_answerer() {
    let last = json!({ "kind": "local", "name": "b", "readOnly": true });
    let mut draft = with_tools(json!([{ "kind": "local", "name": "a" }, last, { "kind": "a2a" }]));
    draft.answers.insert("b".to_owned(), Answerer::Canned(canned("")));
    draft.unfinished.texts.insert("field:/tools/2/agentCard".to_owned(), "{".to_owned());
    let before = draft.clone();
    draft.remove_tool("/tools", 1);
    assert!(page_of(&draft).render(&[], "").contains("undo-remove"));
    assert_eq!((draft.answers.len(), draft.unfinished.texts.contains_key("field:/tools/1/agentCard")), (0, true));
    assert_eq!(draft.restore_removed_tool().as_deref(), Some("/tools/1"));
    assert_eq!(draft, before);
}

#[test]
fn a_tool_that_moves_up_does_not_get_the_fold_of_the_removed_one() {
    let mut draft = with_tools(
        json!([{ "kind": "local", "name": "a" }, { "kind": "local", "name": "b" }, { "kind": "local", "name": "c" }]),
    );
    let replaced = |draft: &LaunchDraft| {
        let html = page_of(draft).render(&[], "");
        html.split("<details")
            .filter_map(|tag| Some(tag.split_once("data-replaced=\"")?.1.split('"').next()?.to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(replaced(&draft), Vec::<String>::new());
    draft.remove_tool("/tools", 1);
    assert_eq!(replaced(&draft), ["2"]);
    draft.remove_tool("/tools", 0);
    assert_eq!(replaced(&draft), ["1"]);
}

#[test]
fn an_invalid_delay_stays_with_an_error() {
    let draft = with_answerer("ask", Answerer::Canned(CannedReply { delay_ms: 9, ..canned("") }));
    let again = after(&after(&draft, &[("answerer:ask#delay", "-5")]), &[]);
    assert!(has_error(&again, |error| error.path == "/answers/ask#delay"));
    assert!(page_of(&again).render(&[], "").contains("\"-5\""));
    assert!(!has_error(&after(&again, &[("answerer:ask#delay", "5")]), |error| error.code == "number"));
}

#[test]
fn a_pasted_tools_list_response_stands_for_its_list() {
    let draft = with_tools(json!([{ "kind": "mcp_local", "name": "m" }]));
    let pasted = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","inputSchema":{}}]}}"#;
    let taken = after(&draft, &[("field:/tools/0/tools", pasted)]);
    assert_eq!(taken.spec["tools"][0]["tools"], json!([{ "name": "read", "inputSchema": {} }]));
}

#[test]
fn checkboxes_write_the_filter_and_all_checked_leave_it_out() {
    let one = after(&with_discovered(&["a", "b"]), &[("checkbox:/tools/0/toolFilter#b", "")]);
    assert_eq!(one.spec["tools"][0]["toolFilter"], json!(["a"]));
    let all = after(&one, &[("checkbox:/tools/0/toolFilter#b", "true")]);
    assert_eq!(all.spec["tools"][0].get("toolFilter"), None);
}

#[test]
fn missing_fields_are_reported_after_an_attempt_and_link_to_controls() {
    let mut draft = with_tools(json!([{ "kind": "local", "name": "a b" }]));
    let places = |problems: &[Problem]| problems.iter().map(|problem| problem.place.clone()).collect::<Vec<_>>();
    assert_eq!(places(&page_of(&draft).findings.problems), ["Tool 1, name"]);
    draft.last_action.launch_attempted = true;
    let problems = page_of(&draft).findings.problems;
    assert_eq!(places(&problems), ["Prompt", "System prompt", "Tool 1, name"]);
    assert!(problems.iter().all(|problem| problem.href.starts_with("#field-")), "{problems:?}");
}

#[test]
fn a_message_to_a_session_needs_its_id() {
    let draft = LaunchDraft {
        mode: LaunchMode::Message { session_id: String::new() },
        ..LaunchDraft::from_spec(json!({ "prompt": "p" }))
    };
    assert_eq!(validation::draft_errors(&draft).into_iter().map(|error| error.path).collect::<Vec<_>>(), ["/session"]);
}
