//! Files attached to a message.

use super::*;

fn with(attachments: Value) -> Value {
    json!({ "prompt": null, "messages": [{ "role": "user", "content": "x", "attachments": attachments }] })
}

fn inline(mime_type: &str, data: &str) -> Value {
    json!({ "type": "input_file", "mimeType": mime_type, "filename": "f", "data": data })
}

fn url(url: &str) -> Value {
    json!({ "type": "input_file_url", "url": url })
}

/// Base64 of so many zero bytes.
fn zeros(bytes: usize) -> String {
    let mut text = "A".repeat(bytes.div_ceil(3) * 4);
    let padding = (3 - bytes % 3) % 3;
    text.replace_range(text.len() - padding.., &"=".repeat(padding));
    text
}

const FIVE_MB: usize = 5 * 1024 * 1024;

#[test]
fn files_are_sent_along_or_fetched() {
    assert_accepted([
        with(json!([])),
        with(json!([inline("application/pdf", "YQ=="), url("https://example.com/a.png")])),
        with(json!(vec![url("https://example.com/a.png"); 20])),
        with(
            json!([{ "type": "input_file_url", "url": "https://example.com", "mimeType": "image/webp", "filename": "f" }]),
        ),
        with(json!([inline("text/x-anything", "YWI="), inline("audio/mp4", "YWJj")])),
        with(json!([inline("text/plain", &zeros(FIVE_MB))])),
        with(json!([inline("text/plain", &zeros(FIVE_MB - 4)), inline("text/plain", &zeros(4))])),
    ]);
    let at = |field: &str| format!("/messages/0/attachments/0{field}");
    for (attachments, error) in [
        (json!({}), "type /messages/0/attachments".to_owned()),
        (json!([7]), format!("type {}", at(""))),
        (json!(vec![url("https://example.com"); 21]), "too_many /messages/0/attachments".to_owned()),
        (json!([{ "type": "file" }]), format!("choice {}", at("/type"))),
        (json!([url("http://example.com/a.png")]), format!("url {}", at("/url"))),
        (json!([url("ftp://example.com")]), format!("url {}", at("/url"))),
        (json!([{ "type": "input_file_url" }]), format!("required {}", at("/url"))),
        (
            json!([{ "type": "input_file_url", "url": "https://example.com", "mimeType": "video/mp4" }]),
            format!("mime {}", at("/mimeType")),
        ),
        (json!([inline("application/zip", "YQ==")]), format!("mime {}", at("/mimeType"))),
        (json!([inline("text/", "YQ==")]), format!("mime {}", at("/mimeType"))),
        (json!([inline("text/plain", "YQ=")]), format!("base64 {}", at("/data"))),
        (json!([inline("text/plain", "Y_==")]), format!("base64 {}", at("/data"))),
        (json!([inline("text/plain", "=YQ=")]), format!("base64 {}", at("/data"))),
        (json!([inline("text/plain", "data:text/plain;base64,YQ==")]), format!("base64 {}", at("/data"))),
        (json!([inline("text/plain", "")]), format!("required {}", at("/data"))),
        (
            json!([{ "type": "input_file", "mimeType": "text/plain", "data": "YQ==" }]),
            format!("required {}", at("/filename")),
        ),
        (json!([{ "type": "input_file", "filename": "f", "data": "YQ==" }]), format!("required {}", at("/mimeType"))),
        (json!([inline("text/plain", &zeros(FIVE_MB + 1))]), format!("too_long {}", at("/data"))),
    ] {
        assert_eq!(check_with(&with(attachments)), [error]);
    }
}

#[test]
fn the_limit_of_five_megabytes_is_for_all_messages_together() {
    let half = inline("text/plain", &zeros(FIVE_MB / 2 + 1));
    let message = json!({ "role": "user", "content": "x", "attachments": [half] });
    let spec = json!({ "prompt": null, "messages": [message, message, message] });
    assert_eq!(check_with(&spec), ["too_long /messages/1/attachments/0/data"]);
}
