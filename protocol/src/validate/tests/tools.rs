//! Tools of all kinds, and their names among each other.

use super::*;

/// Checks a field of the tool of this kind.
fn check_tool(kind: &str, field: &str, accepted: Value, refused: Value) {
    let tools = all_kinds_of_tools();
    let tool = tools.as_array().into_iter().flatten().find(|tool| tool["kind"] == kind).expect("a kind");
    let spec = json!({ "systemPrompt": "s", "prompt": "p", "tools": [tool] });
    check_in(&spec, &format!("/tools/0/{field}"), accepted, refused);
}

#[test]
fn tools_are_a_list_of_known_kinds() {
    let soap = json!([[{}], [{ "kind": "soap", "name": "x" }]]);
    let refused = json!({ "type": [{}], "type /0": [[1]], "choice /0/kind": soap });
    check("/tools", json!([[], all_kinds_of_tools()]), refused);
}

#[test]
fn names_can_be_said_by_models() {
    for kind in ["local", "a2a", "a2a_local", "mcp", "mcp_local"] {
        let refused = json!({ "pattern": ["n".repeat(65), "a-b", "é"], "required": ["", null], "type": [1] });
        check_tool(kind, "name", json!(["n".repeat(64), "A_z9"]), refused);
    }
    check_tool("mantyx", "id", json!(["any id"]), json!({ "required": [null, ""], "type": [1] }));
    let plugins = json!(["web_search", "@search/web-search"]);
    check_tool("mantyx_plugin", "name", plugins, json!({ "required": [null], "pattern": ["@search"] }));
}

#[test]
fn local_tools_have_schemas_of_objects() {
    for field in ["parameters", "outputSchema"] {
        let refused = json!({
            "type": ["text", true],
            "schema /type": [{ "type": "string" }, { "type": ["object", "null"] }],
            "schema /required": [{ "required": "a" }],
        });
        check_tool("local", field, json!([null, {}, { "type": "object", "properties": {} }]), refused);
    }
    for flag in ["longRunning", "readOnly", "retain"] {
        check_tool("local", flag, json!([true, false, null]), json!({ "type": ["yes", 1, {}] }));
    }
    for kind in ["local", "a2a", "a2a_local"] {
        check_tool(kind, "description", json!(["d"]), json!({ "type": [1, []] }));
    }
}

#[test]
fn remote_tools_have_an_address() {
    for (kind, field) in [("a2a", "agentCardUrl"), ("mcp", "url")] {
        let refused = json!({ "required": [null], "type": [1], "url": ["example.com", "file:///etc/passwd"] });
        check_tool(kind, field, json!(["http://localhost:9000/x"]), refused);
    }
    check_tool("a2a", "contextId", json!(["c"]), json!({ "type": [1] }));
    let refused = json!({ "type": ["a"], "required /1": [["a", 1]], "required /0": [[""]] });
    check_tool("mcp", "toolFilter", json!([[], ["a/b", "c"]]), refused);
}

#[test]
fn headers_can_be_sent_as_they_are() {
    let long = |count: usize| json!({ "A": "x".repeat(count) });
    for kind in ["mcp", "a2a"] {
        check_tool(
            kind,
            "headers",
            json!([{}, { "Authorization": "Bearer abc", "X-Api-Key": "" }, { "X-Tabs": "a\tb" }, long(8192)]),
            json!({
                "type": [[]],
                "type /A": [{ "A": 1 }, { "A": null }],
                "too_long /A": [long(8193)],
                "header /A": [{ "A": "a\r\nB: c" }, { "A": "a\nb" }, { "A": "é" }],
                "pattern /": [{ "": "x" }],
                "pattern /A B": [{ "A B": "x" }],
                "pattern /A:": [{ "A:": "x" }],
            }),
        );
    }
}

#[test]
fn local_agents_have_a_card_and_local_servers_a_list() {
    check_tool("a2a_local", "agentCard", json!([{}]), json!({ "required": [null, "https://example.com"] }));
    check_tool("mcp_local", "serverInfo", json!([null, {}]), json!({ "type": ["fs"] }));
    let list = |count: usize| (0..count).map(|i| json!({ "name": format!("t{i}") })).collect::<Vec<_>>();
    check_tool(
        "mcp_local",
        "tools",
        json!([
            list(1),
            list(64),
            [{ "name": "n".repeat(64), "inputSchema": {}, "annotations": { "x": 1 }, "title": 5 }]
        ]),
        json!({
            "required": [null, {}],
            "too_few": [[]],
            "too_many": [list(65)],
            "type /0": [[1]],
            "required /0/name": [[{}]],
            "pattern /0/name": [[{ "name": "fs/read" }], [{ "name": "n".repeat(65) }]],
            "type /0/description": [[{ "name": "a", "description": 1 }]],
            "type /0/inputSchema": [[{ "name": "a", "inputSchema": [] }]],
            "schema /0/inputSchema/type": [[{ "name": "a", "inputSchema": { "type": "array" } }]],
        }),
    );
}

#[test]
fn no_two_tools_have_the_same_name() {
    let local = json!({ "kind": "local", "name": "x" });
    let a2a = json!({ "kind": "a2a", "name": "x", "agentCardUrl": "https://example.com" });
    let a2a_local = json!({ "kind": "a2a_local", "name": "x", "agentCard": {} });
    let plugin = |name: &str| json!({ "kind": "mantyx_plugin", "name": name });
    let mcp = json!({ "kind": "mcp", "name": "x", "url": "https://example.com" });
    let server = |name: &str, tools: &[&str]| {
        let tools: Vec<_> = tools.iter().map(|name| json!({ "name": name })).collect();
        json!({ "kind": "mcp_local", "name": name, "tools": tools })
    };
    check(
        "/tools",
        json!([
            // A server's label is not a name that the model sees, and those of mcp servers are prefixed.
            [local, mcp, server("x", &["y"])],
            [server("a", &["y"]), server("b", &["z"])],
            [plugin("@a/x"), plugin("@b/x")]
        ]),
        json!({
            "duplicate /1/name": [
                [local, local], [local, a2a], [a2a, a2a_local], [plugin("x"), local], [mcp, mcp],
                [server("s", &["x"]), local], [server("s", &["y"]), server("s", &["z"])]
            ],
            "duplicate /1/tools/1/name": [[local, server("s", &["y", "x"])]],
            "duplicate /0/tools/1/name": [[server("s", &["y", "y"])]],
            "duplicate /1/tools/0/name": [[server("s", &["y"]), server("t", &["y"])]],
        }),
    );
}
