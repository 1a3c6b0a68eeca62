//! Results of tools, and feedback.

use super::*;

#[test]
fn a_tool_result_is_a_result_or_an_error() {
    let file = |data: &str| json!({ "filename": "f", "mimeType": "text/plain", "data": data });
    let post = |fields: Value| {
        let mut body = json!({ "toolUseId": "t" });
        for (key, value) in fields.as_object().expect("an object") {
            body[key] = value.clone();
        }
        told(validate_tool_result(&body))
    };
    for fields in [
        json!({ "result": "" }),
        json!({ "result": "x".repeat(2 * 1024 * 1024) }),
        json!({ "result": "x", "error": null }),
        json!({ "error": "x".repeat(8 * 1024) }),
        json!({ "result": "x", "files": vec![file("YQ=="); 20] }),
        json!({ "error": "x", "files": "ignored with an error" }),
    ] {
        assert_eq!(post(fields.clone()), [""; 0], "{}", shown(&fields));
    }
    for (fields, fault) in [
        (json!({}), "required /result"),
        (json!({ "toolUseId": null, "result": "x" }), "required /toolUseId"),
        (json!({ "toolUseId": 1, "result": "x" }), "type /toolUseId"),
        (json!({ "result": "x", "error": "y" }), "conflict /error"),
        (json!({ "result": {} }), "type /result"),
        (json!({ "error": 1 }), "type /error"),
        (json!({ "result": "x".repeat(2 * 1024 * 1024 + 1) }), "too_long /result"),
        (json!({ "error": "x".repeat(8 * 1024 + 1) }), "too_long /error"),
        (json!({ "result": "x", "files": {} }), "type /files"),
        (json!({ "result": "x", "files": vec![file("YQ=="); 21] }), "too_many /files"),
        (json!({ "result": "x", "files": [file("%")] }), "base64 /files/0/data"),
    ] {
        assert_eq!(post(fields.clone()), [fault], "{}", shown(&fields));
    }
}

#[test]
fn feedback_is_up_or_down() {
    let judge = |body: Value| told(validate_feedback(&body));
    assert_eq!(judge(json!({ "verdict": "UP" })), [""; 0]);
    assert_eq!(judge(json!({ "verdict": "DOWN", "explanation": "x".repeat(8000), "contentSnapshot": "y" })), [""; 0]);
    assert_eq!(judge(json!({})), ["choice /verdict"]);
    assert_eq!(judge(json!({ "verdict": "up" })), ["choice /verdict"]);
    assert_eq!(judge(json!({ "verdict": "UP", "explanation": 1 })), ["type /explanation"]);
    assert_eq!(judge(json!({ "verdict": "UP", "explanation": "x".repeat(8001) })), ["too_long /explanation"]);
    assert_eq!(judge(json!({ "verdict": "UP", "contentSnapshot": 1 })), ["type /contentSnapshot"]);
}
