//! Prompt, messages and identity.

use super::*;

fn messages(messages: Value) -> Value {
    json!({ "prompt": null, "messages": messages })
}

fn user(content: &str) -> Value {
    json!({ "role": "user", "content": content })
}

#[test]
fn a_prompt_or_messages() {
    assert_accepted([
        json!({ "prompt": "x".repeat(200_000) }),
        json!({ "prompt": "é".repeat(200_000) }),
        json!({ "prompt": "😀".repeat(100_000) }),
        messages(json!([user("x")])),
        messages(json!(vec![user("x"); 200])),
        messages(json!([user(&"x".repeat(200_000))])),
        messages(json!([{ "role": "system", "content": "a" }, { "role": "assistant", "content": "b" }, user("c")])),
        messages(json!([user("a"), { "role": "system", "content": "b" }])),
        messages(json!([{ "role": "user", "content": "", "attachments": [] }])),
    ]);
    assert_refused([
        (json!({ "prompt": null }), "required /prompt"),
        (json!({ "prompt": "" }), "required /prompt"),
        (json!({ "prompt": 7 }), "type /prompt"),
        (json!({ "prompt": "x".repeat(200_001) }), "too_long /prompt"),
        (json!({ "prompt": "😀".repeat(100_001) }), "too_long /prompt"),
        (json!({ "messages": [user("x")] }), "conflict /messages"),
        (messages(json!({})), "type /messages"),
        (messages(json!([])), "too_few /messages"),
        (messages(json!(vec![user("x"); 201])), "too_many /messages"),
        (messages(json!([7, user("x")])), "type /messages/0"),
        (messages(json!([{ "role": "robot", "content": "x" }, user("x")])), "choice /messages/0/role"),
        (messages(json!([{ "content": "x" }, user("x")])), "choice /messages/0/role"),
        (messages(json!([{ "role": "user" }])), "type /messages/0/content"),
        (messages(json!([user("")])), "required /messages/0/content"),
        (messages(json!([user(&"x".repeat(200_001))])), "too_long /messages/0/content"),
        (messages(json!([user("x"), { "role": "assistant", "content": "y" }])), "last_role /messages/1/role"),
        (messages(json!([{ "role": "system", "content": "y" }])), "last_role /messages/0/role"),
        (
            messages(json!([{ "role": "assistant", "content": "y" }, { "role": "system", "content": "z" }])),
            "last_role /messages/0/role",
        ),
    ]);
}

#[test]
fn the_agent_has_an_identity() {
    assert_accepted([
        json!({ "systemPrompt": null, "agentId": "a" }),
        json!({ "systemPrompt": null, "prompt": null,
            "messages": [{ "role": "system", "content": "You help." }, user("x")] }),
    ]);
    assert_refused([
        (json!({ "systemPrompt": null }), "required /systemPrompt"),
        (json!({ "systemPrompt": " \n" }), "required /systemPrompt"),
        (json!({ "systemPrompt": "", "agentId": "" }), "required /systemPrompt"),
        (
            json!({ "systemPrompt": null, "prompt": null,
                "messages": [{ "role": "system", "content": " " }, user("x")] }),
            "required /systemPrompt",
        ),
    ]);
}

#[test]
fn a_session_starts_without_a_message() {
    assert_eq!(codes(validate(Body::Session, &json!({ "systemPrompt": "x" }))), [""; 0]);
    assert_eq!(codes(validate(Body::Session, &json!({}))), ["required /systemPrompt"]);
    assert_eq!(codes(validate(Body::Session, &json!({ "agentId": "a", "prompt": "x" }))), ["not_allowed /prompt"]);
    assert_eq!(codes(validate(Body::Session, &json!({ "agentId": "a", "messages": [] }))), ["not_allowed /messages"]);
    assert_eq!(codes(validate(Body::Session, &json!({ "agentId": "a", "plan": 1 }))), ["type /plan"]);
}

#[test]
fn a_message_needs_no_identity() {
    assert_eq!(codes(validate(Body::Message, &json!({ "prompt": "x" }))), [""; 0]);
    assert_eq!(codes(validate(Body::Message, &json!({ "messages": [user("x")] }))), [""; 0]);
    assert_eq!(codes(validate(Body::Message, &json!({}))), ["required /prompt"]);
    assert_eq!(codes(validate(Body::Message, &json!({ "prompt": "x", "tools": 7 }))), ["type /tools"]);
}
