//! Headers of remote tools.

use super::*;

fn with(headers: Value) -> Value {
    json!({ "tools": [{ "kind": "mcp", "name": "s", "url": "https://example.com", "headers": headers }] })
}

#[test]
fn headers_can_be_sent_as_they_are() {
    assert_accepted([
        with(json!({})),
        with(json!({ "Authorization": "Bearer abc", "X-Api-Key": "" })),
        with(json!({ "X-Tabs": "a\tb" })),
        with(json!({ "X-Long": "x".repeat(8192) })),
    ]);
    assert_refused([
        (with(json!([])), "type /tools/0/headers"),
        (with(json!({ "A": 1 })), "type /tools/0/headers/A"),
        (with(json!({ "A": null })), "type /tools/0/headers/A"),
        (with(json!({ "A": "x".repeat(8193) })), "too_long /tools/0/headers/A"),
        (with(json!({ "A": "a\r\nB: c" })), "header /tools/0/headers/A"),
        (with(json!({ "A": "a\nb" })), "header /tools/0/headers/A"),
        (with(json!({ "A": "é" })), "header /tools/0/headers/A"),
        (with(json!({ "": "x" })), "pattern /tools/0/headers/"),
        (with(json!({ "A B": "x" })), "pattern /tools/0/headers/A B"),
        (with(json!({ "A:": "x" })), "pattern /tools/0/headers/A:"),
    ]);
    let peer = json!({ "kind": "a2a", "name": "p", "agentCardUrl": "https://example.com", "headers": { "A": "a\nb" } });
    assert_refused([(json!({ "tools": [peer] }), "header /tools/0/headers/A")]);
}
