//! Structured output: enforcement of the output schema, and its report in the result.

use protocol::schema::check;
use serde_json::{Value, json};

use super::run_loop::Ending;
use crate::models::Model;

/// The state of the output schema in a run.
pub struct SchemaUse {
    requested: bool,
    strict: bool,
    /// The model can enforce it.
    supported: bool,
    /// Some invocation did not use it.
    dropped: bool,
}

pub struct Report {
    pub wire: Value,
    /// The reason why a strict run fails.
    pub strict_fault: Option<String>,
}

impl SchemaUse {
    pub fn new(spec: &Value) -> Self {
        let asked = &spec["outputSchema"];
        Self { requested: !asked.is_null(), strict: asked["enforcement"] == "strict", supported: true, dropped: false }
    }

    /// Fails, before the first turn, if the run is strict and the model cannot enforce the schema.
    pub(super) fn check_support(&mut self, model: &Model) -> Result<(), Ending> {
        self.model_changed(model);
        if self.requested && self.strict && !self.supported {
            return Err(Ending::SchemaNotSupported { why: "This model has no way to enforce an output schema." });
        }
        Ok(())
    }

    pub(super) fn check_plan_only(&self) -> Result<(), Ending> {
        if self.requested && self.strict {
            let why = "A run that only plans cannot enforce an output schema.";
            return Err(Ending::SchemaNotSupported { why });
        }
        Ok(())
    }

    pub fn model_changed(&mut self, model: &Model) {
        self.supported = model.enforces_schemas;
        self.dropped |= self.requested && !self.supported;
    }

    /// Returns the schema for the next invocation.
    pub fn for_request<'a>(&self, spec: &'a Value) -> Option<&'a Value> {
        (self.requested && self.supported && !self.dropped).then(|| &spec["outputSchema"])
    }

    /// Returns true if the failure is about the schema and the run may continue without it.
    pub fn may_drop(&self, class: &str) -> bool {
        class == "structured_output_schema_rejected" && self.requested && !self.strict && !self.dropped
    }

    pub fn drop_schema(&mut self) {
        self.dropped = true;
    }

    /// Returns the report of a run that answered.
    pub fn report(&self, spec: &Value, text: &str) -> Report {
        if !self.requested {
            return Report { wire: wire(false, false, "none", false), strict_fault: None };
        }
        if self.dropped && !self.strict {
            return Report { wire: wire(true, false, "none", true), strict_fault: None };
        }
        let fault = match serde_json::from_str(text) {
            Err(_) => Some("The answer is not JSON.".to_owned()),
            Ok(value) => check(&spec["outputSchema"]["schema"], &value)
                .first()
                .map(|fault| format!("The answer does not fit its schema: {} {}.", fault.path, fault.message)),
        };
        let fault = fault.or(self.dropped.then(|| "The model that answered cannot enforce a schema.".to_owned()));
        match fault {
            None => Report { wire: wire(true, true, "native_schema", false), strict_fault: None },
            Some(fault) if self.strict => {
                Report { wire: wire(true, false, self.mechanism(), false), strict_fault: Some(fault) }
            }
            Some(_) => Report { wire: wire(true, false, "none", true), strict_fault: None },
        }
    }

    /// Returns the report of a run that ended before an answer.
    pub fn not_reached(&self) -> Value {
        wire(self.requested, false, self.mechanism(), self.dropped && !self.strict)
    }

    fn mechanism(&self) -> &'static str {
        if self.requested && !self.dropped { "native_schema" } else { "none" }
    }
}

fn wire(requested: bool, enforced: bool, mechanism: &str, fallback: bool) -> Value {
    json!({
        "schemaRequested": requested, "schemaEnforced": enforced, "enforcementMechanism": mechanism,
        "unconstrainedFallbackOccurred": fallback,
    })
}
