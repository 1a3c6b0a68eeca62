//! Every documented field is read, and whatever is given is written again.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::document::Document;
use crate::testing::{all_kinds_of_tools, any_json, good_spec, odd_spec};

#[test]
fn every_field_of_a_run_spec_is_read() {
    let spec = RunSpec::from(json!({
        "name": "n", "agentId": "a", "systemPrompt": "s", "modelId": "m", "fallbackModelId": "f", "activeModelId": "x",
        "reasoningLevel": 30, "budgets": { "maxToolTurns": 3, "localToolTimeoutMs": 9, "maxToolTurnsExceeded": "finalize" },
        "outputSchema": { "name": "o", "schema": { "type": "object" }, "enforcement": "strict" }, "loopDetection": false,
        "toolBudgets": { "recall": { "maxCalls": 1 } }, "supervisor": true, "plan": "auto", "metadata": { "k": "v" },
        "prompt": "p", "messages": [{ "role": "user", "content": "c", "attachments": [
            { "type": "input_file_url", "url": "https://example.com" },
            { "type": "input_file", "mimeType": "text/plain", "filename": "f", "data": "YQ==" }, { "type": "later" }] }]
    }));
    assert_eq!((spec.name(), spec.agent_id(), spec.system_prompt()), (Some("n"), Some("a"), Some("s")));
    assert_eq!((spec.model_id(), spec.fallback_model_id(), spec.active_model_id()), (Some("m"), Some("f"), Some("x")));
    assert_eq!((spec.reasoning(), spec.loop_detection()), (Some(&json!(30)), Some(&json!(false))));
    assert_eq!((spec.supervisor(), spec.plan()), (Some(&json!(true)), Some(&json!("auto"))));
    let budgets = spec.budgets().expect("budgets");
    assert_eq!((budgets.max_tool_turns(), budgets.local_tool_timeout_ms()), (Some(3), Some(9)));
    assert_eq!(budgets.max_tool_turns_exceeded(), Some("finalize"));
    let output = spec.output_schema().expect("an output schema");
    assert_eq!((output.name(), output.is_strict()), (Some("o"), true));
    assert_eq!(output.schema(), Some(&json!({ "type": "object" })));
    assert_eq!(spec.tool_budgets().map(|budgets| budgets.len()), Some(1));
    assert_eq!(spec.metadata().map(|metadata| metadata.len()), Some(1));
    assert_eq!(spec.prompt(), Some("p"));
    let message = spec.messages().next().expect("a message");
    assert_eq!((message.role(), message.content()), (Some("user"), Some("c")));
    let sources: Vec<_> = message.attachments().map(Attachment::source).collect();
    let expected = [
        AttachmentSource::Url("https://example.com"),
        AttachmentSource::Inline(Some("YQ==")),
        AttachmentSource::Unknown,
    ];
    assert_eq!(sources, expected);
}

#[test]
fn each_kind_of_tool_is_read_and_a_later_kind_is_kept() {
    let mut tools = all_kinds_of_tools();
    tools.as_array_mut().expect("a list").push(json!({ "kind": "telepathy", "name": "x" }));
    let spec = SessionSpec::from(json!({ "tools": tools }));
    let refs: Vec<_> = spec.tools().collect();
    let [
        ToolRef::Mantyx(mantyx),
        ToolRef::Plugin(plugin),
        ToolRef::Local(local),
        ToolRef::A2a(a2a),
        ToolRef::A2aLocal(a2a_local),
        ToolRef::Mcp(mcp),
        ToolRef::McpLocal(mcp_local),
        ToolRef::Unknown(later),
    ] = refs[..]
    else {
        panic!("{refs:?}")
    };
    assert_eq!((mantyx.id(), plugin.name()), (Some("tool_1"), Some("@search/web-search")));
    assert_eq!((local.name(), local.description()), (Some("read_file"), Some("Reads a file.")));
    assert_eq!((local.long_running(), local.read_only(), local.retain()), (Some(false), Some(true), Some(false)));
    assert!(local.parameters().is_some() && local.output_schema().is_some());
    assert_eq!((a2a.agent_card_url(), a2a.context_id()), (Some("https://example.com/card.json"), Some("c")));
    assert_eq!(a2a.headers().map(|headers| headers.len()), Some(1));
    let card = a2a_local.agent_card().expect("a card");
    assert_eq!((card.name(), card.skills().next().and_then(Skill::id)), (Some("HR"), Some("pto")));
    assert_eq!((mcp.url(), mcp.tool_filter().next()), (Some("https://example.com/mcp"), Some("search")));
    assert_eq!(mcp_local.server_info(), Some(&json!({ "name": "fs" })));
    assert!(mcp_local.tools().next().and_then(McpTool::input_schema).is_some());
    assert_eq!(later["kind"], "telepathy");

    let by_caller: Vec<_> = spec.tools().map(ToolRef::is_run_by_caller).collect();
    assert_eq!(by_caller, [false, false, true, false, true, false, true, false]);
    let names: Vec<_> = spec.tools().flat_map(ToolRef::model_names).collect();
    assert_eq!(names, ["@search/web-search", "read_file", "billing", "hr", "fs_read"]);
}

#[test]
fn a_spec_is_written_in_the_documented_words() {
    let tool = LocalTool::declare().name("read_file").parameters(json!({ "type": "object" })).done();
    let catalogue = McpLocalServer::declare().name("fs").tools([McpTool::draft().name("fs_read").done()]).done();
    let spec = RunSpec::draft()
        .prompt("Hello")
        .system_prompt("You help.")
        .budgets(Budgets::draft().max_tool_turns(3).done())
        .metadata([("customer".to_owned(), json!("acme"))])
        .tools([tool.into(), catalogue.into()])
        .done();
    let expected = json!({
        "prompt": "Hello", "systemPrompt": "You help.", "budgets": { "maxToolTurns": 3 }, "metadata": { "customer": "acme" },
        "tools": [{ "kind": "local", "name": "read_file", "parameters": { "type": "object" } },
            { "kind": "mcp_local", "name": "fs", "tools": [{ "name": "fs_read" }] }]
    });
    assert_eq!(spec.json(), &expected);
}

/// Reads every field there is, to see that no shape upsets a reader.
fn read_everything(spec: &RunSpec) {
    let _ = format!("{spec:?}");
    for tool in spec.tools() {
        let _ = (format!("{tool:?}"), tool.is_run_by_caller(), tool.model_names().count());
        if let ToolRef::A2aLocal(tool) = tool {
            let _ = tool.agent_card().map(|card| card.skills().map(|skill| skill.tags().count()).sum::<usize>());
        }
        if let ToolRef::McpLocal(server) = tool {
            let _ = server.tools().filter_map(McpTool::input_schema).count();
        }
    }
    for message in spec.messages() {
        let _ = message.attachments().map(Attachment::source).count();
    }
    let json = spec.json();
    let _ = (loop_thresholds(json), tool_budgets(json), max_tool_turns(json), local_tool_timeout_ms(json));
    let _ = (reasoning_level(json), prompt_text(json), supervision(json), planning(json));
}

proptest! {
    #[test]
    fn what_is_parsed_and_written_again_is_the_same_text(json in prop_oneof![good_spec(), odd_spec(), any_json()]) {
        let text = json.to_string();
        let spec: RunSpec = serde_json::from_str(&text).expect("any JSON is read");
        read_everything(&spec);
        prop_assert_eq!(serde_json::to_string(&spec).expect("writes"), text);
    }

    #[test]
    fn changing_one_field_leaves_all_others(json in odd_spec()) {
        let Value::Object(mut expected) = json.clone() else { return Ok(()) };
        let edited = MessageBody::from(json).edit().prompt("changed").done();
        expected.insert("prompt".to_owned(), json!("changed"));
        prop_assert_eq!(edited.json(), &Value::Object(expected));
    }
}
