//! The documented responses are read, and unknown or odd fields do no harm.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::RunStatus;
use crate::testing::any_json;

#[test]
fn a_list_row_of_the_live_protocol_is_read_and_keeps_unknown_fields() {
    let row = RunRow::from(json!({
        "id": "run_abc", "sessionId": null, "status": "succeeded", "specName": "support-bot", "modelId": "m",
        "tokens": { "inputTokens": 812, "cachedTokens": 0, "reasoningTokens": 0, "outputTokens": 96 },
        "turns": 2, "durationMs": 4213, "toolCallCount": 1, "metadata": null,
        "createdAt": "2029-01-05T13:00:00.000Z", "region": "eu"
    }));
    assert_eq!((row.id(), row.session_id(), row.status()), (Some("run_abc"), None, Some(RunStatus::Succeeded)));
    assert_eq!(row.tokens().map(Tokens::total), Some(908));
    assert!(row.metadata().is_empty());
    assert_eq!(row.json()["region"], "eu");
}

#[test]
fn a_row_with_a_status_of_a_later_protocol_does_not_spoil_its_list() {
    let list = r#"{ "runs": [{ "id": "a", "status": "paused" }, { "id": "b", "status": "queued" }] }"#;
    let list: RunListResponse = serde_json::from_str(list).expect("parses");
    let states: Vec<_> = list.runs().map(RunRow::status).collect();
    assert_eq!(states, [None, Some(RunStatus::Pending)]);
}

#[test]
fn a_response_without_its_required_field_is_not_read_as_an_empty_one() {
    let error = serde_json::from_str::<RunListResponse>("{}").expect_err("no runs");
    assert_eq!(error.to_string(), "`runs` is missing");
    assert!(serde_json::from_str::<RunListResponse>(r#"{ "runs": [] }"#).is_ok());
}

#[test]
fn a_snapshot_of_a_truncated_run_is_read() {
    let snapshot: RunSnapshot = serde_json::from_value(json!({
        "runId": "run_abc", "status": "failed", "finalText": "{\"a\":", "tokens": null, "turns": null, "model": null,
        "failureReason": { "errorClass": "truncation", "finishReason": "max_tokens" },
        "metadata": { "customer": "acme", "odd": 1 }
    }))
    .expect("parses");
    assert_eq!((snapshot.id(), snapshot.status()), (Some("run_abc"), Some(RunStatus::Failed)));
    assert_eq!(snapshot.metadata(), Metadata::from([("customer".to_owned(), "acme".to_owned())]));
    assert_eq!((snapshot.tokens(), snapshot.turns(), snapshot.model()), (None, None, None));
}

#[test]
fn a_missing_scope_comes_as_a_text_or_a_list() {
    let one = ErrorBody::from(json!({ "error": "insufficient_scope", "required": "runs:write" }));
    assert_eq!(one.required_scopes(), ["runs:write"]);
    let two = ErrorBody::from(json!({ "error": "insufficient_scope", "required": ["a", "b"] }));
    assert_eq!(two.required_scopes(), ["a", "b"]);
    let sentence = ErrorBody::from(json!({ "error": "Not on this plan.", "code": "api_keys_plan" }));
    assert_eq!((sentence.reason(), sentence.sentence()), ("api_keys_plan", None));
    assert_eq!(ErrorBody::default().reason(), "");
}

#[test]
fn a_user_without_a_workspace_is_refused() {
    let user = |json| serde_json::from_value::<UserInfo>(json);
    let full = user(json!({ "sub": "u", "email": null, "workspace": { "id": "w", "slug": "demo" } })).expect("parses");
    assert_eq!(full.workspace().and_then(WorkspaceInfo::slug), Some("demo"));
    assert!(user(json!({ "sub": "u" })).is_err());
}

#[test]
fn header_values_stay_out_of_debug_output() {
    let spec = json!({ "tools": [{ "kind": "mcp", "headers": { "Authorization": "hush" } }] });
    let snapshot = RunSnapshot::from(json!({ "agentSpec": spec }));
    assert_eq!(format!("{snapshot:?}"), "RunSnapshot { .. }");
}

proptest! {
    #[test]
    fn no_shape_makes_a_reader_panic(json in any_json()) {
        let row = RunRow::from(json.clone());
        let _ = (row.status(), row.tokens(), row.metadata(), RunSnapshot::from(json.clone()).id());
        let _ = RunListResponse::from(json.clone()).runs().filter_map(RunRow::id).count();
        let error = ErrorBody::from(json);
        let _ = (error.reason(), error.sentence(), error.required_scopes());
    }
}
