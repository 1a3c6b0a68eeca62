//! Prompt, messages, files and identity.

use super::*;

fn with_messages() -> Value {
    json!({ "systemPrompt": "s", "messages": [user("x")] })
}

fn user(content: &str) -> Value {
    json!({ "role": "user", "content": content })
}

fn system(content: &str) -> Value {
    json!({ "role": "system", "content": content })
}

#[test]
fn a_prompt_or_messages() {
    check(
        "/prompt",
        json!(["x".repeat(200_000), "é".repeat(200_000), "😀".repeat(100_000)]),
        json!({ "required": [null, ""], "type": [7], "too_long": ["x".repeat(200_001), "😀".repeat(100_001)] }),
    );
    check("/messages", json!([]), json!({ "conflict": [[user("x")]] }));
    let assistant = json!({ "role": "assistant", "content": "b" });
    check_in(
        &with_messages(),
        "/messages",
        json!([
            [user("x")],
            vec![user("x"); 200],
            [user(&"x".repeat(200_000))],
            [system("a"), assistant, user("c")],
            [user("a"), system("b")],
            [{ "role": "user", "content": "", "attachments": [] }]
        ]),
        json!({
            "type": [{}],
            "too_few": [[]],
            "too_many": [vec![user("x"); 201]],
            "type /0": [[7, user("x")]],
            "choice /0/role": [[{ "role": "robot", "content": "x" }, user("x")], [{ "content": "x" }, user("x")]],
            "type /0/content": [[{ "role": "user" }]],
            "required /0/content": [[user("")]],
            "too_long /0/content": [[user(&"x".repeat(200_001))]],
            "last_role /1/role": [[user("x"), assistant]],
            "last_role /0/role": [[system("y")], [assistant, system("z")]],
        }),
    );
}

#[test]
fn the_agent_has_an_identity() {
    check("/systemPrompt", json!(["s"]), json!({ "required": [null, " \n"] }));
    let saved = json!({ "prompt": "p", "agentId": "a" });
    check_in(&saved, "/systemPrompt", json!([null, "", "s"]), json!({ "type": [[]] }));
    let nothing = json!({ "prompt": "p", "agentId": "" });
    check_in(&nothing, "/systemPrompt", json!([]), json!({ "required": ["", null] }));
    let described = json!({ "messages": [system("You help."), user("x")] });
    check_in(&described, "/systemPrompt", json!([null]), json!({}));
    let blank = json!({ "messages": [system(" "), user("x")] });
    check_in(&blank, "/systemPrompt", json!([]), json!({ "required": [null] }));
}

#[test]
fn sessions_and_messages_have_parts_of_a_spec() {
    for (body, spec, errors) in [
        (Body::Session, json!({ "systemPrompt": "x" }), vec![]),
        (Body::Session, json!({}), vec!["required /systemPrompt"]),
        (Body::Session, json!({ "agentId": "a", "prompt": "x" }), vec!["not_allowed /prompt"]),
        (Body::Session, json!({ "agentId": "a", "messages": [] }), vec!["not_allowed /messages"]),
        (Body::Session, json!({ "agentId": "a", "plan": 1 }), vec!["type /plan"]),
        (Body::Message, json!({ "prompt": "x" }), vec![]),
        (Body::Message, json!({ "messages": [user("x")] }), vec![]),
        (Body::Message, json!({}), vec!["required /prompt"]),
        (Body::Message, json!({ "prompt": "x", "tools": 7 }), vec!["type /tools"]),
    ] {
        assert_eq!(codes(validate(body, &spec)), errors, "{spec}");
    }
}

const FIVE_MB: usize = 5 * 1024 * 1024;

fn inline(mime_type: &str, data: &str) -> Value {
    json!({ "type": "input_file", "mimeType": mime_type, "filename": "f", "data": data })
}

/// Base64 of so many zero bytes.
fn zeros(bytes: usize) -> String {
    let mut text = "A".repeat(bytes.div_ceil(3) * 4);
    let padding = (3 - bytes % 3) % 3;
    text.replace_range(text.len() - padding.., &"=".repeat(padding));
    text
}

#[test]
fn files_are_sent_along_or_fetched() {
    let url = |url: &str| json!({ "type": "input_file_url", "url": url });
    let web = |mime_type: &str| json!({ "type": "input_file_url", "url": "https://x.test", "mimeType": mime_type, "filename": "f" });
    check_in(
        &with_messages(),
        "/messages/0/attachments",
        json!([
            [],
            [inline("application/pdf", "YQ=="), url("https://example.com/a.png")],
            vec![url("https://example.com/a.png"); 20],
            [web("image/webp")],
            [inline("text/x-anything", "YWI="), inline("audio/mp4", "YWJj")],
            [inline("text/plain", &zeros(FIVE_MB))],
            [inline("text/plain", &zeros(FIVE_MB - 4)), inline("text/plain", &zeros(4))]
        ]),
        json!({
            "type": [{}],
            "type /0": [[7]],
            "too_many": [vec![url("https://example.com"); 21]],
            "choice /0/type": [[{ "type": "file" }]],
            "url /0/url": [[url("http://example.com/a.png")], [url("ftp://example.com")]],
            "required /0/url": [[{ "type": "input_file_url" }]],
            "mime /0/mimeType": [[web("video/mp4")], [inline("application/zip", "YQ==")], [inline("text/", "YQ==")]],
            "base64 /0/data": [
                [inline("text/plain", "YQ=")], [inline("text/plain", "Y_==")], [inline("text/plain", "=YQ=")],
                [inline("text/plain", "data:text/plain;base64,YQ==")]
            ],
            "required /0/data": [[inline("text/plain", "")]],
            "required /0/filename": [[{ "type": "input_file", "mimeType": "text/plain", "data": "YQ==" }]],
            "required /0/mimeType": [[{ "type": "input_file", "filename": "f", "data": "YQ==" }]],
            "too_long /0/data": [[inline("text/plain", &zeros(FIVE_MB + 1))]],
        }),
    );
}

#[test]
fn the_limit_of_five_megabytes_is_for_all_messages_together() {
    let half = inline("text/plain", &zeros(FIVE_MB / 2 + 1));
    let message = json!({ "role": "user", "content": "x", "attachments": [half] });
    let too_long = json!({ "too_long /1/attachments/0/data": [[message, message, message]] });
    check_in(&with_messages(), "/messages", json!([]), too_long);
}
