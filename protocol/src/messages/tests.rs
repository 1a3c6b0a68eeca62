//! The documented answers are read, and keep what is not known.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::document::Document;
use crate::testing::any_json;
use crate::{Event, RunStatus};

#[test]
fn a_list_row_of_the_live_protocol_is_read_and_keeps_what_it_does_not_know() {
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
fn a_row_in_a_state_of_a_later_protocol_does_not_spoil_its_list() {
    let list = r#"{ "runs": [{ "id": "a", "status": "paused" }, { "id": "b", "status": "queued" }] }"#;
    let list: RunList = serde_json::from_str(list).expect("reads");
    let states: Vec<_> = list.runs().map(RunRow::status).collect();
    assert_eq!(states, [None, Some(RunStatus::Pending)]);
}

#[test]
fn a_snapshot_of_a_truncated_run_tells_why_and_what_was_salvaged() {
    let snapshot: RunSnapshot = serde_json::from_value(json!({
        "runId": "run_abc", "status": "failed", "finalText": "{\"a\":", "tokens": null, "turns": null, "model": null,
        "failureReason": { "errorClass": "truncation", "finishReason": "max_tokens" },
        "agentSpec": { "prompt": "Hello", "tools": [{ "kind": "mantyx", "id": "t" }] },
        "metadata": { "customer": "acme", "odd": 1 }
    }))
    .expect("reads");
    assert_eq!((snapshot.id(), snapshot.status()), (Some("run_abc"), Some(RunStatus::Failed)));
    assert_eq!(snapshot.failure_reason().and_then(FailureReason::error_class), Some("truncation"));
    assert_eq!(snapshot.agent_spec().and_then(|spec| spec.prompt()), Some("Hello"));
    assert_eq!(snapshot.metadata(), Metadata::from([("customer".to_owned(), "acme".to_owned())]));
    assert_eq!((snapshot.tokens(), snapshot.turns(), snapshot.model()), (None, None, None));
}

#[test]
fn a_flattened_session_event_becomes_an_ordinary_one() {
    let events: SessionEvents = serde_json::from_value(json!({
        "sessionId": "s", "total": 4, "nextBeforeSeq": 3, "truncated": true,
        "events": [{ "seq": 3, "type": "user_message", "text": "three", "attachments": [{ "type": "input_file" }] }, {}]
    }))
    .expect("reads");
    let read: Vec<_> = events.events().map(SessionEvent::to_event).collect();
    let data = json!({ "text": "three", "attachments": [{ "type": "input_file" }] });
    assert_eq!(read, [Some(Event::new(3, "user_message", data)), None]);
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
fn an_identity_without_its_workspace_is_refused() {
    let user = |json| serde_json::from_value::<UserInfo>(json);
    let full = user(json!({ "sub": "u", "email": null, "workspace": { "id": "w", "slug": "demo" } })).expect("reads");
    assert_eq!(full.workspace().and_then(WorkspaceInfo::slug), Some("demo"));
    assert!(user(json!({ "sub": "u" })).is_err());
}

#[test]
fn posts_are_written_in_the_documented_words() {
    let file = ResultFile::draft().filename("a.txt").mime_type("text/plain").data("YQ==").done();
    let body = ToolResultBody::draft().tool_use_id("tu").result("ok").files([file]).done();
    assert_eq!(
        body.json(),
        &json!({ "toolUseId": "tu", "result": "ok",
            "files": [{ "filename": "a.txt", "mimeType": "text/plain", "data": "YQ==" }] })
    );
    let feedback = Feedback::draft().verdict("UP").explanation("Nailed it").done();
    assert_eq!(feedback.json(), &json!({ "verdict": "UP", "explanation": "Nailed it" }));
}

/// Parses and writes `json`, with what this document needs put in where it is not there.
fn there_and_back<D>(mut json: Value) -> Result<(), TestCaseError>
where
    D: Document + serde::Serialize + serde::de::DeserializeOwned + std::fmt::Debug,
{
    for key in D::NEEDS {
        match json.as_object_mut() {
            Some(fields) if fields.get(*key).is_some_and(|value| !value.is_null()) => {}
            Some(fields) => drop(fields.insert((*key).to_owned(), json!([{}]))),
            None => return Ok(()),
        }
    }
    let text = json.to_string();
    let document: D = serde_json::from_str(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let _ = format!("{document:?}");
    prop_assert_eq!(serde_json::to_string(&document).expect("writes"), text);
    Ok(())
}

proptest! {
    #[test]
    fn every_answer_is_written_again_as_it_was_parsed(json in any_json()) {
        there_and_back::<RunList>(json.clone())?;
        there_and_back::<RunSnapshot>(json.clone())?;
        there_and_back::<RunCreated>(json.clone())?;
        there_and_back::<SessionCreated>(json.clone())?;
        there_and_back::<SessionList>(json.clone())?;
        there_and_back::<SessionDetail>(json.clone())?;
        there_and_back::<SessionEvents>(json.clone())?;
        there_and_back::<ModelList>(json.clone())?;
        there_and_back::<AgentList>(json.clone())?;
        there_and_back::<PluginList>(json.clone())?;
        there_and_back::<WorkspaceToolList>(json.clone())?;
        there_and_back::<TokenAnswer>(json.clone())?;
        there_and_back::<UserInfo>(json.clone())?;
        there_and_back::<ErrorBody>(json.clone())?;
        there_and_back::<ToolResultBody>(json.clone())?;
        there_and_back::<Feedback>(json)?;
    }

    #[test]
    fn no_shape_upsets_a_reader(json in any_json()) {
        let row = RunRow::of(&json);
        let _ = (row.status(), row.tokens(), row.metadata(), RunSnapshot::of(&json).id());
        let error = ErrorBody::of(&json);
        let _ = (error.reason(), error.sentence(), error.candidates(), error.required_scopes());
        let _ = SessionEvents::of(&json).events().filter_map(SessionEvent::to_event).count();
        let _ = TokenAnswer::of(&json).scopes().count();
    }
}
