//! Tools of all kinds, and their names among each other.

use super::*;
use crate::testing::all_kinds_of_tools;

fn tools(tools: Value) -> Value {
    json!({ "tools": tools })
}

/// One tool with `fields` laid over a good one of its kind.
fn tool(kind: &str, fields: Value) -> Value {
    let all = all_kinds_of_tools();
    let mut tool = all.as_array().into_iter().flatten().find(|tool| tool["kind"] == kind).expect("a kind").clone();
    for (key, value) in fields.as_object().expect("an object") {
        tool[key] = value.clone();
    }
    tools(json!([tool]))
}

#[test]
fn tools_are_a_list_of_known_kinds() {
    assert_accepted([tools(json!([])), tools(all_kinds_of_tools())]);
    assert_refused([
        (tools(json!({})), "type /tools"),
        (tools(json!([1])), "type /tools/0"),
        (tools(json!([{}])), "choice /tools/0/kind"),
        (tools(json!([{ "kind": "soap", "name": "x" }])), "choice /tools/0/kind"),
    ]);
}

#[test]
fn names_can_be_said_by_models() {
    for kind in ["local", "a2a", "a2a_local", "mcp", "mcp_local"] {
        assert_accepted([tool(kind, json!({ "name": "n".repeat(64) })), tool(kind, json!({ "name": "A_z9" }))]);
        assert_refused([
            (tool(kind, json!({ "name": "n".repeat(65) })), "pattern /tools/0/name"),
            (tool(kind, json!({ "name": "a-b" })), "pattern /tools/0/name"),
            (tool(kind, json!({ "name": "é" })), "pattern /tools/0/name"),
            (tool(kind, json!({ "name": "" })), "required /tools/0/name"),
            (tool(kind, json!({ "name": null })), "required /tools/0/name"),
            (tool(kind, json!({ "name": 1 })), "type /tools/0/name"),
        ]);
    }
}

#[test]
fn workspace_and_plugin_tools_are_named() {
    assert_accepted([
        tool("mantyx_plugin", json!({ "name": "web_search" })),
        tool("mantyx_plugin", json!({ "name": "@search/web-search" })),
    ]);
    assert_refused([
        (tool("mantyx", json!({ "id": null })), "required /tools/0/id"),
        (tool("mantyx", json!({ "id": "" })), "required /tools/0/id"),
        (tool("mantyx", json!({ "id": 1 })), "type /tools/0/id"),
        (tool("mantyx_plugin", json!({ "name": null })), "required /tools/0/name"),
        (tool("mantyx_plugin", json!({ "name": "@search" })), "pattern /tools/0/name"),
    ]);
}

#[test]
fn local_tools_have_schemas_of_objects() {
    for field in ["parameters", "outputSchema"] {
        assert_accepted([
            tool("local", json!({ field: null })),
            tool("local", json!({ field: {} })),
            tool("local", json!({ field: { "type": "object", "properties": {} } })),
        ]);
        let at = |rest: &str| format!("/tools/0/{field}{rest}");
        assert_refused([
            (tool("local", json!({ field: "text" })), &format!("type {}", at(""))),
            (tool("local", json!({ field: true })), &format!("type {}", at(""))),
            (tool("local", json!({ field: { "type": "string" } })), &format!("schema {}", at("/type"))),
            (tool("local", json!({ field: { "type": ["object", "null"] } })), &format!("schema {}", at("/type"))),
            (tool("local", json!({ field: { "required": "a" } })), &format!("schema {}", at("/required"))),
        ]);
    }
    assert_accepted([tool("local", json!({ "longRunning": true, "readOnly": null, "retain": false }))]);
    assert_refused([
        (tool("local", json!({ "description": 1 })), "type /tools/0/description"),
        (tool("local", json!({ "longRunning": "yes" })), "type /tools/0/longRunning"),
        (tool("local", json!({ "readOnly": 1 })), "type /tools/0/readOnly"),
        (tool("local", json!({ "retain": {} })), "type /tools/0/retain"),
    ]);
}

#[test]
fn remote_tools_have_an_address() {
    for (kind, field) in [("a2a", "agentCardUrl"), ("mcp", "url")] {
        assert_accepted([tool(kind, json!({ field: "http://localhost:9000/x" }))]);
        assert_refused([
            (tool(kind, json!({ field: null })), &format!("required /tools/0/{field}")),
            (tool(kind, json!({ field: 1 })), &format!("type /tools/0/{field}")),
            (tool(kind, json!({ field: "example.com" })), &format!("url /tools/0/{field}")),
            (tool(kind, json!({ field: "file:///etc/passwd" })), &format!("url /tools/0/{field}")),
        ]);
    }
    assert_accepted([tool("mcp", json!({ "toolFilter": [] })), tool("mcp", json!({ "toolFilter": ["a/b", "c"] }))]);
    assert_refused([
        (tool("a2a", json!({ "contextId": 1 })), "type /tools/0/contextId"),
        (tool("a2a", json!({ "description": 1 })), "type /tools/0/description"),
        (tool("mcp", json!({ "toolFilter": "a" })), "type /tools/0/toolFilter"),
        (tool("mcp", json!({ "toolFilter": ["a", 1] })), "required /tools/0/toolFilter/1"),
        (tool("mcp", json!({ "toolFilter": [""] })), "required /tools/0/toolFilter/0"),
    ]);
}

#[test]
fn a_peer_of_the_caller_has_its_card() {
    assert_accepted([tool("a2a_local", json!({ "agentCard": {} }))]);
    assert_refused([
        (tool("a2a_local", json!({ "agentCard": null })), "required /tools/0/agentCard"),
        (tool("a2a_local", json!({ "agentCard": "https://example.com" })), "required /tools/0/agentCard"),
        (tool("a2a_local", json!({ "description": [] })), "type /tools/0/description"),
    ]);
}

#[test]
fn a_server_of_the_caller_has_its_catalogue() {
    let catalogue = |count: usize| (0..count).map(|i| json!({ "name": format!("t{i}") })).collect::<Vec<_>>();
    let with = |tools: Value| tool("mcp_local", json!({ "tools": tools }));
    assert_accepted([
        with(json!(catalogue(1))),
        with(json!(catalogue(64))),
        with(json!([{ "name": "n".repeat(64), "inputSchema": {}, "annotations": { "x": 1 }, "title": 5 }])),
        tool("mcp_local", json!({ "serverInfo": null })),
    ]);
    assert_refused([
        (with(json!(null)), "required /tools/0/tools"),
        (with(json!({})), "required /tools/0/tools"),
        (with(json!([])), "too_few /tools/0/tools"),
        (with(json!(catalogue(65))), "too_many /tools/0/tools"),
        (with(json!([1])), "type /tools/0/tools/0"),
        (with(json!([{}])), "required /tools/0/tools/0/name"),
        (with(json!([{ "name": "fs/read" }])), "pattern /tools/0/tools/0/name"),
        (with(json!([{ "name": "n".repeat(65) }])), "pattern /tools/0/tools/0/name"),
        (with(json!([{ "name": "a", "description": 1 }])), "type /tools/0/tools/0/description"),
        (with(json!([{ "name": "a", "inputSchema": [] }])), "type /tools/0/tools/0/inputSchema"),
        (
            with(json!([{ "name": "a", "inputSchema": { "type": "array" } }])),
            "schema /tools/0/tools/0/inputSchema/type",
        ),
        (tool("mcp_local", json!({ "serverInfo": "fs" })), "type /tools/0/serverInfo"),
    ]);
}

#[test]
fn no_two_tools_have_the_same_name() {
    let local = json!({ "kind": "local", "name": "x" });
    let a2a = json!({ "kind": "a2a", "name": "x", "agentCardUrl": "https://example.com" });
    let a2a_local = json!({ "kind": "a2a_local", "name": "x", "agentCard": {} });
    let plugin = json!({ "kind": "mantyx_plugin", "name": "x" });
    let mcp = json!({ "kind": "mcp", "name": "x", "url": "https://example.com" });
    let server = |name: &str, tools: &[&str]| {
        let tools: Vec<_> = tools.iter().map(|name| json!({ "name": name })).collect();
        json!({ "kind": "mcp_local", "name": name, "tools": tools })
    };
    assert_accepted([
        // A server's label is not a name that the model sees, and those of mcp servers are prefixed.
        tools(json!([local, mcp, server("x", &["y"])])),
        tools(json!([server("a", &["y"]), server("b", &["z"])])),
        tools(json!([{ "kind": "mantyx_plugin", "name": "@a/x" }, { "kind": "mantyx_plugin", "name": "@b/x" }])),
    ]);
    assert_refused([
        (tools(json!([local, local])), "duplicate /tools/1/name"),
        (tools(json!([local, a2a])), "duplicate /tools/1/name"),
        (tools(json!([a2a, a2a_local])), "duplicate /tools/1/name"),
        (tools(json!([plugin, local])), "duplicate /tools/1/name"),
        (tools(json!([mcp, mcp])), "duplicate /tools/1/name"),
        (tools(json!([local, server("s", &["y", "x"])])), "duplicate /tools/1/tools/1/name"),
        (tools(json!([server("s", &["x"]), local])), "duplicate /tools/1/name"),
        (tools(json!([server("s", &["y", "y"])])), "duplicate /tools/0/tools/1/name"),
        (tools(json!([server("s", &["y"]), server("t", &["y"])])), "duplicate /tools/1/tools/0/name"),
        (tools(json!([server("s", &["y"]), server("s", &["z"])])), "duplicate /tools/1/name"),
    ]);
}
