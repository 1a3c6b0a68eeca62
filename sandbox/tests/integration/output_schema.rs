//! Output schemas that cannot be enforced.

use serde_json::{Value, json};

use crate::support::*;

fn schema(enforcement: &str) -> Value {
    json!({ "schema": { "type": "object", "required": ["total"] }, "enforcement": enforcement })
}

#[tokio::test]
async fn a_model_without_schemas_is_refused_when_strict_and_told_otherwise() {
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
