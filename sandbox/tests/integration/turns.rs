//! Tests of the log of successful runs.

use serde_json::json;

use crate::support::*;

#[tokio::test]
async fn text_is_streamed_then_logged_once_as_a_message() {
    let harness = Harness::start().await;
    let events = harness.run("/say The invoice total is 1,204.50 EUR.", json!({})).await;
    assert_eq!(kinds(&events), ["assistant_delta", "assistant_message", "result"]);
    let deltas: String = of_kind(&events, "assistant_delta").iter().filter_map(|data| data["text"].as_str()).collect();
    assert_eq!(deltas, "The invoice total is 1,204.50 EUR.");
    let message = of_kind(&events, "assistant_message")[0];
    assert_eq!(
        (&message["text"], &message["turn"], &message["finishReason"]),
        (&json!(deltas), &json!(0), &json!("end_turn"))
    );
    let result = &last(&events).data;
    assert_eq!((&result["subtype"], &result["text"], &result["turns"]), (&json!("success"), &json!(deltas), &json!(1)));
    assert_eq!(result["model"]["id"], "sandbox/script");
    assert!(result["tokens"]["inputTokens"].as_u64() > Some(0));
}

#[tokio::test]
async fn a_prompt_without_instructions_gets_a_plain_sentence() {
    let harness = Harness::start().await;
    let events = harness.run("What is the weather?", json!({})).await;
    assert!(last(&events).data["text"].as_str().is_some_and(|text| text.contains("What is the weather?")));
}

#[tokio::test]
async fn thinking_is_streamed_only_when_reasoning_is_on() {
    let harness = Harness::start().await;
    for (level, streamed) in [(json!("low"), true), (json!(80), true), (json!("off"), false), (json!(null), false)] {
        let events = harness.run("/think Hm, let me see.\n/say Yes.", json!({ "reasoningLevel": level })).await;
        assert_eq!(!of_kind(&events, "thinking_delta").is_empty(), streamed, "{level}");
        assert_eq!(last(&events).data["tokens"]["reasoningTokens"].as_u64() > Some(0), streamed);
    }
}

#[tokio::test]
async fn server_tools_are_answered_by_the_sandbox() {
    let harness = Harness::start().await;
    let prompt = "/say Computing.\n/call calculator {\"expression\":\"6*7\"}\n/call document_search {\"query\":\"refund\"}\n/say 42.";
    let tools =
        json!({ "tools": [builtin("calculator"), { "kind": "mantyx_plugin", "name": "@sandbox/document-search" }] });
    let events = harness.run(prompt, tools).await;
    assert_eq!(
        kinds(&events),
        ["assistant_delta", "assistant_message", "tool_result", "assistant_delta", "assistant_message", "result"]
    );
    let message = of_kind(&events, "assistant_message")[0];
    let results = of_kind(&events, "tool_result");
    assert_eq!(message["finishReason"], "tool_use");
    for (call, result) in message["toolCalls"].as_array().expect("calls").iter().zip(&results) {
        assert_eq!((&call["id"], &call["name"]), (&result["toolUseId"], &result["name"]));
    }
    assert_eq!(results[0]["result"], "42");
    assert!(results[1]["result"].as_str().is_some_and(|text| text.contains("Refund policy")));
    assert_eq!(last(&events).data["turns"], 2);
}

#[tokio::test]
async fn the_model_gets_the_error_of_a_failing_or_unknown_tool() {
    let harness = Harness::start().await;
    let prompt = "/call flaky_lookup {\"id\":\"7\"}\n/say Again.\n/call flaky_lookup {\"id\":\"7\"}\n/call nothing\n/call github_search\n/say Done.";
    let github = json!({ "kind": "mcp", "name": "github", "url": "http://127.0.0.1:9/mcp" });
    let events = harness.run(prompt, json!({ "tools": [builtin("flaky_lookup"), github] })).await;
    let ok: Vec<_> = of_kind(&events, "tool_result").iter().map(|data| data["ok"].as_bool().unwrap_or(true)).collect();
    assert_eq!(ok, [false, true, false, false]);
    assert!(of_kind(&events, "tool_result")[3]["result"].as_str().is_some_and(|text| text.contains("unavailable")));
    assert_eq!(last(&events).kind, "result");
}

#[tokio::test]
async fn arguments_that_do_not_fit_come_back_as_tool_input_invalid() {
    let harness = Harness::start().await;
    let events =
        harness.run("/call calculator {\"expression\":7}\n/say Hm.", json!({ "tools": [builtin("calculator")] })).await;
    let result = of_kind(&events, "tool_result")[0];
    assert!(result["result"].as_str().is_some_and(|text| text.contains("tool_input_invalid")), "{result}");
}

#[tokio::test]
async fn the_assistant_chooses_tools_by_the_words_of_the_prompt() {
    let harness = Harness::start().await;
    let extra = json!({ "modelId": "sandbox/assistant", "tools": [builtin("calculator"), builtin("clock")] });
    let events = harness.run("Please calculate 12 * 12", extra).await;
    assert_eq!(of_kind(&events, "tool_result")[0]["result"], "144");
    assert!(last(&events).data["text"].as_str().is_some_and(|text| text.contains("144")));
}

#[tokio::test]
async fn a_saved_agent_brings_its_own_tools() {
    let harness = Harness::start().await;
    let extra = json!({ "systemPrompt": null, "agentId": "agent_support" });
    let events = harness.run("/call document_search {\"query\":\"severity\"}\n/say Done.", extra).await;
    assert!(of_kind(&events, "tool_result")[0]["result"].as_str().is_some_and(|text| text.contains("Severity 1")));
}

#[tokio::test]
async fn messages_work_like_a_prompt() {
    let harness = Harness::start().await;
    let messages = json!([{ "role": "system", "content": "Be short." }, { "role": "user", "content": "/say one" },
        { "role": "assistant", "content": "one" }, { "role": "user", "content": "/say two" }]);
    let events = harness.run("", json!({ "prompt": null, "systemPrompt": null, "messages": messages })).await;
    assert_eq!(last(&events).data["text"], "two");
}

#[tokio::test]
async fn structured_answers_report_whether_the_schema_held() {
    let harness = Harness::start().await;
    let schema = json!({ "type": "object", "properties": { "total": { "type": "number" } }, "required": ["total"] });
    let run = |prompt: &'static str, enforcement: &'static str| {
        let extra = json!({ "outputSchema": { "name": "invoice", "schema": schema, "enforcement": enforcement } });
        let harness = &harness;
        async move { harness.run(prompt, extra).await }
    };
    let good = run("/json {\"total\":7}", "strict").await;
    assert_eq!(last(&good).data["structuredOutput"]["schemaEnforced"], true);
    let made_up = run("Extract it", "strict").await;
    assert_eq!(last(&made_up).kind, "result", "a model with a native schema keeps to it");
    let loose = run("/json {\"total\":\"seven\"}", "best_effort").await;
    assert_eq!(last(&loose).kind, "result");
    assert_eq!(last(&loose).data["structuredOutput"]["unconstrainedFallbackOccurred"], true);
    let strict = run("/say Sorry.", "strict").await;
    assert_eq!(last(&strict).data["errorClass"], "structured_output_not_enforced");
}
