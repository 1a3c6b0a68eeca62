//! Tests of models behind an OpenAI-compatible API.

use std::sync::Arc;

use protocol::Event;
use sandbox::OpenAi;
use serde_json::{Value, json};

use crate::openai_server::{OpenAiServer, Reply, delta, finish};
use crate::support::*;

const SECRET: &str = "sk-test-never-shown";

async fn start(server: &OpenAiServer) -> Harness {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let api = OpenAi::new(&server.url, SECRET).expect("an API");
    Harness::start_with(folder, |config| config.openai = Some(api)).await
}

async fn run(server: &OpenAiServer, extra: Value) -> Vec<Event> {
    let harness = start(server).await;
    let mut spec = json!({ "modelId": "openai/gpt-test" });
    spec.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
    harness.run("What is the total?", spec).await
}

fn streamed(events: &[Event], kind: &str) -> String {
    of_kind(events, kind).iter().filter_map(|data| data["text"].as_str()).collect()
}

#[tokio::test]
async fn text_reasoning_and_usage_arrive_however_the_network_splits_them() {
    let chunks = [
        delta(json!({ "role": "assistant", "content": "" })),
        delta(json!({ "reasoning_content": "Hm, " })),
        delta(json!({ "reasoning": "let me see." })),
        delta(json!({ "content": "The total is 1.204,50 € — " })),
        delta(json!({ "content": "überraschend." })),
        finish("stop"),
        json!({ "choices": [], "usage": { "prompt_tokens": 120, "completion_tokens": 30,
            "prompt_tokens_details": { "cached_tokens": 64 }, "completion_tokens_details": { "reasoning_tokens": 12 } } }),
    ];
    for split in [1, 2, 3, 7, 64, 100_000] {
        let server = OpenAiServer::start([Reply::stream(&chunks).split(split)]).await;
        let events = run(&server, json!({ "reasoningLevel": "medium" })).await;
        assert_eq!(streamed(&events, "assistant_delta"), "The total is 1.204,50 € — überraschend.", "split {split}");
        assert_eq!(streamed(&events, "thinking_delta"), "Hm, let me see.");
        let result = &last(&events).data;
        assert_eq!(result["text"], "The total is 1.204,50 € — überraschend.");
        let tokens = json!({ "inputTokens": 120, "cachedTokens": 64, "reasoningTokens": 12, "outputTokens": 30 });
        assert_eq!(result["tokens"], tokens);
        assert_eq!(
            result["model"],
            json!({ "id": "openai/gpt-test", "provider": "openai", "vendorModelId": "gpt-test",
            "reasoningEffort": "medium" })
        );
        assert_eq!(server.authorization(0), format!("Bearer {SECRET}"));
        assert_eq!(server.requests()[0]["reasoning_effort"], "medium");
    }
}

#[tokio::test]
async fn calls_are_put_together_by_index_and_their_results_go_back() {
    let call = |index: u64, fields: Value| {
        let mut call = json!({ "index": index });
        call.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        call
    };
    let function = |fields: Value| json!({ "function": fields });
    let chunks = [
        delta(json!({ "content": "Computing." })),
        delta(
            json!({ "tool_calls": [call(0, json!({ "id": "x", "type": "function", "function": { "name": "calculator", "arguments": "" } }))] }),
        ),
        delta(json!({ "tool_calls": [call(1, function(json!({ "name": "clock", "arguments": "{" })))] })),
        delta(json!({ "tool_calls": [call(0, function(json!({ "arguments": "{\"expression\":" })))] })),
        delta(
            json!({ "tool_calls": [call(1, function(json!({ "arguments": "}" }))), call(0, function(json!({ "arguments": "\"6*7\"}" })))] }),
        ),
        finish("tool_calls"),
    ];
    let server = OpenAiServer::start([Reply::stream(&chunks).split(5), Reply::text("42.")]).await;
    let events = run(&server, json!({ "tools": [builtin("calculator"), builtin("clock")] })).await;
    let message = of_kind(&events, "assistant_message")[0];
    assert_eq!(message["finishReason"], "tool_use");
    let names: Vec<_> =
        message["toolCalls"].as_array().expect("calls").iter().map(|call| call["name"].clone()).collect();
    assert_eq!(names, ["calculator", "clock"]);
    assert_eq!(of_kind(&events, "tool_result")[0]["result"], "42");
    assert_eq!((&last(&events).data["text"], &last(&events).data["turns"]), (&json!("42."), &json!(2)));
    assert!(last(&events).data["tokens"]["inputTokens"].as_u64() > Some(0), "estimated where the API does not tell");

    let second = &server.requests()[1]["messages"];
    let roles: Vec<_> = second.as_array().expect("messages").iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool"]);
    assert_eq!(second[2]["tool_calls"][0]["id"], second[3]["tool_call_id"]);
    assert_eq!(second[2]["tool_calls"][0]["function"]["arguments"], "{\"expression\":\"6*7\"}");
    assert_eq!(server.requests()[0]["tools"][0]["function"]["parameters"]["required"], json!(["expression"]));
}

#[tokio::test]
async fn arguments_that_are_no_json_come_back_as_tool_input_invalid() {
    let broken =
        json!({ "tool_calls": [{ "index": 0, "function": { "name": "calculator", "arguments": "{\"expr" } }] });
    let server =
        OpenAiServer::start([Reply::stream(&[delta(broken), finish("tool_calls")]), Reply::text("Sorry.")]).await;
    let events = run(&server, json!({ "tools": [builtin("calculator")] })).await;
    assert!(
        of_kind(&events, "tool_result")[0]["result"].as_str().is_some_and(|text| text.contains("tool_input_invalid"))
    );
    assert_eq!(server.requests()[1]["messages"][2]["tool_calls"][0]["function"]["arguments"], "{\"expr");
    assert_eq!(last(&events).data["text"], "Sorry.");
}

#[tokio::test]
async fn each_finish_reason_has_its_own_ending() {
    let said = |reason: &str| Reply::stream(&[delta(json!({ "content": "{\"half" })), finish(reason)]);
    for (reason, class, normalised) in
        [("length", "truncation", "max_tokens"), ("content_filter", "refusal", "refusal")]
    {
        let server = OpenAiServer::start([said(reason)]).await;
        let error = last(&run(&server, json!({})).await).data.clone();
        assert_eq!((&error["errorClass"], &error["finishReason"]), (&json!(class), &json!(normalised)));
        assert_eq!(error["partialText"], "{\"half");
    }
    let refused = Reply::stream(&[delta(json!({ "refusal": "I will not." })), finish("stop")]);
    let server = OpenAiServer::start([refused]).await;
    assert_eq!(last(&run(&server, json!({})).await).data["finishReason"], "refusal");
    let server =
        OpenAiServer::start([Reply::raw(200, "data: {\"choices\":[{\"delta\":{\"content\":\"Hal\"}}]}\n\n")]).await;
    let error = last(&run(&server, json!({})).await).data.clone();
    assert_eq!((&error["errorClass"], &error["partialText"]), (&json!("server"), &json!("Hal")), "it ended early");
}

#[tokio::test]
async fn failures_have_a_class_and_the_providers_message_without_the_key() {
    let cases = [
        (401, json!({ "message": format!("Bad key {SECRET}"), "code": "invalid_api_key" }), "auth"),
        (400, json!({ "message": "too long", "code": "context_length_exceeded" }), "context_window"),
        (404, json!({ "message": "no such model", "code": "model_not_found" }), "invalid_request"),
        (429, json!({ "message": "no credit", "code": "insufficient_quota" }), "rate_limit"),
    ];
    for (status, error, class) in cases {
        let server = OpenAiServer::start([Reply::error(status, error.clone())]).await;
        let data = last(&run(&server, json!({})).await).data.clone();
        assert_eq!(
            (&data["errorClass"], &data["apiStatus"], &data["apiCode"]),
            (&json!(class), &json!(status), &error["code"])
        );
        assert!(!data.to_string().contains(SECRET));
        assert_eq!(server.requests().len(), 1, "{class} does not pass");
    }
    let in_stream = Reply::stream(&[json!({ "error": { "message": "too busy", "code": 503 } })]);
    let server = OpenAiServer::start([in_stream]).await;
    assert_eq!(last(&run(&server, json!({})).await).data["errorClass"], "overloaded");
}

#[tokio::test]
async fn transient_failures_are_retried_then_the_fallback_takes_over() {
    let busy = || Reply::raw(503, "");
    let server = OpenAiServer::start([busy(), Reply::text("There you are.")]).await;
    assert_eq!(last(&run(&server, json!({})).await).data["text"], "There you are.");
    let server = OpenAiServer::start([busy(), busy(), busy(), Reply::text("From the second model.")]).await;
    let events = run(&server, json!({ "fallbackModelId": "openai/o-test" })).await;
    assert_eq!(of_kind(&events, "model_fallback")[0]["errorClass"], "overloaded");
    assert_eq!(last(&events).data["text"], "From the second model.");
    let models: Vec<_> = server.requests().iter().map(|request| request["model"].clone()).collect();
    assert_eq!(models, ["gpt-test", "gpt-test", "gpt-test", "o-test"]);
}

#[tokio::test]
async fn an_option_that_the_api_rejects_is_left_out() {
    let unknown = json!({ "message": "Unsupported parameter: 'reasoning_effort'", "code": "unsupported_parameter" });
    let server = OpenAiServer::start([Reply::error(400, unknown), Reply::text("Without.")]).await;
    let events = run(&server, json!({ "reasoningLevel": "high" })).await;
    assert_eq!(last(&events).data["text"], "Without.");
    let requests = server.requests();
    assert_eq!((&requests[0]["reasoning_effort"], &requests[1]["reasoning_effort"]), (&json!("high"), &Value::Null));
}

#[tokio::test]
async fn an_unreachable_api_is_an_outage() {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let api = OpenAi::new("http://127.0.0.1:9/v1", SECRET).expect("an API");
    let harness = Harness::start_with(folder, |config| config.openai = Some(api)).await;
    let spec = json!({ "modelId": "openai/gpt-test", "fallbackModelId": "sandbox/script" });
    let events = harness.run("/say From the sandbox.", spec).await;
    assert_eq!(of_kind(&events, "model_fallback")[0]["errorClass"], "server");
    assert_eq!(last(&events).data["text"], "From the sandbox.");
}

#[tokio::test]
async fn an_output_schema_is_the_response_format_and_a_rejected_one_is_left_out() {
    let schema = json!({ "type": "object", "properties": { "total": { "type": "number" } }, "required": ["total"] });
    let spec = |enforcement: &str| json!({ "outputSchema": { "name": "invoice", "schema": schema, "enforcement": enforcement } });
    let server = OpenAiServer::start([Reply::text("{\"total\":7}")]).await;
    let events = run(&server, spec("strict")).await;
    let format = &server.requests()[0]["response_format"];
    assert_eq!((&format["type"], &format["json_schema"]["name"]), (&json!("json_schema"), &json!("invoice")));
    assert_eq!((&format["json_schema"]["schema"], &format["json_schema"]["strict"]), (&schema, &json!(true)));
    assert_eq!(last(&events).data["structuredOutput"]["schemaEnforced"], true);

    let rejected =
        || Reply::error(400, json!({ "message": "Invalid schema for response_format", "param": "response_format" }));
    let server = OpenAiServer::start([rejected()]).await;
    let error = last(&run(&server, spec("strict")).await).data.clone();
    assert_eq!((&error["errorClass"], &error["apiStatus"]), (&json!("structured_output_schema_rejected"), &json!(400)));
    let server = OpenAiServer::start([rejected(), Reply::text("Seven.")]).await;
    let result = last(&run(&server, spec("best_effort")).await).data.clone();
    assert_eq!(
        (&result["text"], &result["structuredOutput"]["unconstrainedFallbackOccurred"]),
        (&json!("Seven."), &json!(true))
    );
    assert!(server.requests()[1]["response_format"].is_null());
}

#[tokio::test]
async fn cancelling_closes_the_connection() {
    let endless = Reply::raw(200, format!("data: {}\n\n", delta(json!({ "content": "On and on" })))).without_end();
    let server = OpenAiServer::start([endless]).await;
    let harness = start(&server).await;
    let id = harness.launch("Go on", json!({ "modelId": "openai/gpt-test" })).await;
    let mut follower = harness.follow(&id, 0).await;
    follower.wait_for("assistant_delta").await;
    harness.post(&format!("/agent-runs/{id}/cancel"), json!({})).await;
    follower.wait_for("cancelled").await;
    server.hung_up().await;
}

#[tokio::test]
async fn the_catalogue_lists_what_the_api_lists() {
    let server = OpenAiServer::start([]).await;
    let harness = start(&server).await;
    let models = harness.get("/models").await.json();
    let ids: Vec<_> = models["models"].as_array().expect("models").iter().map(|model| model["id"].clone()).collect();
    assert!(ids.contains(&json!("openai/gpt-test")) && ids.contains(&json!("sandbox/script")), "{ids:?}");
    assert!(!models.to_string().contains(SECRET));
}

#[tokio::test]
async fn a_model_that_follows_instructions_judges_the_run() {
    let call = json!({ "tool_calls": [{ "index": 0, "function": { "name": "clock", "arguments": "{}" } }] });
    let replies = [
        Reply::stream(&[delta(call), finish("tool_calls")]),
        Reply::text("{\"action\":\"finalize\",\"reason\":\"It knows the time.\",\"redirect\":null}"),
        Reply::text("It is late."),
    ];
    let server = OpenAiServer::start(replies).await;
    let supervisor = json!({ "interval": 1, "modelId": "openai/o-test" });
    let events = run(&server, json!({ "supervisor": supervisor, "tools": [builtin("clock")] })).await;
    let review = of_kind(&events, "supervisor")[0];
    assert_eq!((&review["action"], &review["reason"]), (&json!("finalize"), &json!("It knows the time.")));
    assert_eq!(review["model"]["id"], "openai/o-test");
    let requests = server.requests();
    assert_eq!((&requests[1]["model"], &requests[2]["tool_choice"]), (&json!("o-test"), &json!("none")));
    assert_eq!(last(&events).data["turns"], 2, "the judge's invocation is not the run's");
}
