//! Tests of output schemas that cannot be enforced.

use serde_json::{Value, json};

use crate::support::*;

fn schema(enforcement: &str) -> Value {
    json!({ "schema": { "type": "object", "required": ["total"] }, "enforcement": enforcement })
}

#[tokio::test]
async fn a_model_without_schemas_fails_a_strict_run_and_is_reported_otherwise() {
    let harness = Harness::start().await;
    let spec = |enforcement| json!({ "modelId": "sandbox/script-plain", "outputSchema": schema(enforcement) });
    let strict = harness.run("/json {\"total\":7}", spec("strict")).await;
    assert_eq!(last(&strict).data["errorClass"], "structured_output_not_supported");
    assert!(of_kind(&strict, "assistant_message").is_empty(), "it never began");
    let loose = harness.run("/json {\"total\":7}", spec("best_effort")).await;
    assert_eq!(last(&loose).data["text"], "{\"total\":7}");
    let expected = json!({ "schemaRequested": true, "schemaEnforced": false, "enforcementMechanism": "none",
        "unconstrainedFallbackOccurred": true });
    assert_eq!(last(&loose).data["structuredOutput"], expected);
}

#[tokio::test]
async fn an_answer_that_breaks_a_pattern_is_not_reported_as_enforced() {
    let harness = Harness::start().await;
    let schema = json!({ "type": "object", "properties": { "id": { "type": "string", "pattern": "^INV-[0-9]+$" } } });
    let spec = |enforcement| json!({ "outputSchema": { "schema": schema, "enforcement": enforcement } });
    let good = harness.run("/json {\"id\":\"INV-7\"}", spec("strict")).await;
    assert_eq!(last(&good).data["structuredOutput"]["schemaEnforced"], true);
    let strict = harness.run("/json {\"id\":\"7\"}", spec("strict")).await;
    assert_eq!(last(&strict).data["errorClass"], "structured_output_not_enforced");
    let loose = harness.run("/json {\"id\":\"7\"}", spec("best_effort")).await;
    assert_eq!(last(&loose).data["structuredOutput"]["schemaEnforced"], false);
}

#[tokio::test]
async fn arguments_must_match_patterns_also_without_a_type() {
    let harness = Harness::start().await;
    let input = json!({ "properties": { "id": { "pattern": "^INV-[0-9]+$" } }, "required": ["id"] });
    let tools = json!([{ "kind": "mcp_local", "name": "books", "tools": [{ "name": "look", "inputSchema": input }] }]);
    let prompt = "/call look {}\n/say a\n/call look {\"id\":\"7\"}\n/say b\n/call look 7\n/say Done.";
    let events = harness.run(prompt, json!({ "tools": tools })).await;
    let told = of_kind(&events, "tool_result");
    assert_eq!(told.len(), 3);
    assert!(told.iter().all(|result| result.to_string().contains("tool_input_invalid")), "{told:?}");
}

#[tokio::test]
async fn a_rejected_schema_ends_a_strict_run_and_is_left_out_otherwise() {
    let harness = Harness::start().await;
    let prompt = "/fail structured_output_schema_rejected\n/say In plain words.";
    let strict = harness.run(prompt, json!({ "outputSchema": schema("strict") })).await;
    assert_eq!(last(&strict).data["errorClass"], "structured_output_schema_rejected");
    assert_eq!(last(&strict).data["structuredOutput"]["unconstrainedFallbackOccurred"], false);
    let loose = harness.run(prompt, json!({ "outputSchema": schema("best_effort") })).await;
    assert_eq!(last(&loose).data["text"], "In plain words.");
    assert_eq!(last(&loose).data["structuredOutput"]["unconstrainedFallbackOccurred"], true);
    assert_eq!(of_kind(&loose, "assistant_message").len(), 1);
}
