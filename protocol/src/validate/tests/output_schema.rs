//! The shape of the answer.

use super::*;

#[test]
fn an_output_schema_describes_an_object() {
    // `{"schema":{"type":"object","description":"…"}}`, with exactly so many bytes.
    let sized = |bytes: usize| {
        let frame = json!({ "schema": { "type": "object", "description": "" } }).to_string().len();
        json!({ "outputSchema": { "schema": { "type": "object", "description": "x".repeat(bytes - frame) } } })
    };
    assert_eq!(sized(32_768)["outputSchema"].to_string().len(), 32_768);
    let schema = json!({ "type": "object" });
    assert_accepted([
        json!({ "outputSchema": { "schema": {} } }),
        json!({ "outputSchema": { "schema": schema, "name": "a-b_C9", "enforcement": "strict" } }),
        json!({ "outputSchema": { "schema": schema, "name": "n".repeat(64), "enforcement": "best_effort" } }),
        json!({ "outputSchema": { "schema": schema, "name": null, "enforcement": null } }),
        json!({ "outputSchema": { "schema": { "$ref": "#/$defs/a", "$defs": { "a": schema } } } }),
        sized(32_768),
    ]);
    assert_refused([
        (json!({ "outputSchema": "x" }), "type /outputSchema"),
        (json!({ "outputSchema": {} }), "required /outputSchema/schema"),
        (json!({ "outputSchema": { "schema": [] } }), "type /outputSchema/schema"),
        (json!({ "outputSchema": { "schema": true } }), "type /outputSchema/schema"),
        (json!({ "outputSchema": { "schema": { "type": "array" } } }), "schema /outputSchema/schema/type"),
        (
            json!({ "outputSchema": { "schema": { "properties": { "a": { "type": "text" } } } } }),
            "schema /outputSchema/schema/properties/a/type",
        ),
        (json!({ "outputSchema": { "schema": { "$ref": "#/$defs/a" } } }), "schema /outputSchema/schema/$ref"),
        (
            json!({ "outputSchema": { "schema": { "$ref": "#/$defs/a", "$defs": { "a": { "type": "array" } } } } }),
            "schema /outputSchema/schema/type",
        ),
        (json!({ "outputSchema": { "schema": schema, "name": "a b" } }), "pattern /outputSchema/name"),
        (json!({ "outputSchema": { "schema": schema, "name": "" } }), "pattern /outputSchema/name"),
        (json!({ "outputSchema": { "schema": schema, "name": "n".repeat(65) } }), "pattern /outputSchema/name"),
        (json!({ "outputSchema": { "schema": schema, "name": 1 } }), "type /outputSchema/name"),
        (json!({ "outputSchema": { "schema": schema, "enforcement": "hard" } }), "choice /outputSchema/enforcement"),
        (sized(32_769), "too_long /outputSchema"),
    ]);
}
