//! Whether an answer has the shape that the spec asked for, and how that is reported.

use serde_json::{Value, json};

use crate::json_schema;

pub struct Report {
    pub wire: Value,
    /// Why a strict run may not succeed.
    pub strict_fault: Option<String>,
}

/// For a run that answered.
pub fn report(spec: &Value, text: &str) -> Report {
    let asked = &spec["outputSchema"];
    if asked.is_null() {
        return Report { wire: wire(false, false, "none", false), strict_fault: None };
    }
    let fault = match serde_json::from_str(text) {
        Err(_) => Some("The answer is not JSON.".to_owned()),
        Ok(value) => json_schema::first_fault(&asked["schema"], &value)
            .map(|(path, reason)| format!("The answer does not fit its schema: {path} {reason}.")),
    };
    match fault {
        None => Report { wire: wire(true, true, "native_schema", false), strict_fault: None },
        Some(fault) if asked["enforcement"] == "strict" => {
            Report { wire: wire(true, false, "native_schema", false), strict_fault: Some(fault) }
        }
        Some(_) => Report { wire: wire(true, false, "none", true), strict_fault: None },
    }
}

/// For a run that ended before an answer.
pub fn not_reached(spec: &Value) -> Value {
    match spec["outputSchema"].is_null() {
        true => wire(false, false, "none", false),
        false => wire(true, false, "native_schema", false),
    }
}

fn wire(requested: bool, enforced: bool, mechanism: &str, fallback: bool) -> Value {
    json!({
        "schemaRequested": requested, "schemaEnforced": enforced, "enforcementMechanism": mechanism,
        "unconstrainedFallbackOccurred": fallback,
    })
}
