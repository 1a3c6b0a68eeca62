//! Runs: their list, their snapshots, and the answer to starting one.

use super::{Metadata, Tokens, read_metadata};
use crate::RunStatus;
use crate::document::document;
use crate::spec::RunSpec;

document! {
    /// The answer to `POST /agent-runs` and to a session message.
    RunCreated needs ["runId"] {
        run_id: text = "runId",
        stream_url: text = "streamUrl",
    }
}

document! {
    /// `GET /agent-runs`, newest first.
    RunList needs ["runs"] {
        runs: list[RunRow] = "runs",
        next_cursor: text = "nextCursor",
        limit: count = "limit",
        /// Only where it was asked for.
        total: count = "total",
    }
}

document! {
    /// One row of a run list: a projection with shortened texts.
    RunRow {
        id: text = "id",
        session_id: text = "sessionId",
        spec_name: text = "specName",
        agent_id: text = "agentId",
        model_id: text = "modelId",
        input_preview: text = "inputPreview",
        output_preview: text = "outputPreview",
        error: text = "error",
        turns: count = "turns",
        duration_ms: count = "durationMs",
        tool_call_count: count = "toolCallCount",
        created_at: text = "createdAt",
        completed_at: text = "completedAt",
    }
}

document! {
    /// `GET /agent-runs/{id}`.
    RunSnapshot needs ["status"] {
        session_id: text = "sessionId",
        /// The answer, or what was salvaged of it.
        final_text: text = "finalText",
        error: text = "error",
        failure_reason: object[FailureReason] = "failureReason",
        agent_spec: object[RunSpec] = "agentSpec",
        turns: count = "turns",
        /// The model that did the work, once the run has ended.
        model: object[ModelUsed] = "model",
        structured_output: object[StructuredOutput] = "structuredOutput",
        created_at: text = "createdAt",
        started_at: text = "startedAt",
        completed_at: text = "completedAt",
    }
}

impl RunSnapshot {
    /// Some servers call it `runId`.
    pub fn id(&self) -> Option<&str> {
        self.0.get("id").or(self.0.get("runId"))?.as_str()
    }
}

/// What rows and snapshots have in common.
macro_rules! run_figures {
    ($name:ident) => {
        impl $name {
            /// `None` for a state of a later protocol.
            pub fn status(&self) -> Option<RunStatus> {
                RunStatus::parse(self.0.get("status")?.as_str()?)
            }

            /// `None` until the run has ended, and from servers that do not count.
            pub fn tokens(&self) -> Option<Tokens> {
                self.0.get("tokens").and_then(Tokens::read)
            }

            pub fn metadata(&self) -> Metadata {
                read_metadata(&self.0)
            }
        }
    };
}

run_figures!(RunRow);
run_figures!(RunSnapshot);

document! {
    /// Why a run failed, in words to act on.
    FailureReason {
        error_class: text = "errorClass",
        finish_reason: text = "finishReason",
    }
}

document! {
    /// A model as a run's log names it.
    ModelUsed {
        id: text = "id",
        provider: text = "provider",
        vendor_model_id: text = "vendorModelId",
        reasoning_effort: text = "reasoningEffort",
    }
}

document! {
    /// What was really done about an output schema.
    StructuredOutput {
        schema_requested: flag = "schemaRequested",
        schema_enforced: flag = "schemaEnforced",
        /// `native_schema`, `synthetic_tool` or `none`.
        enforcement_mechanism: text = "enforcementMechanism",
        unconstrained_fallback_occurred: flag = "unconstrainedFallbackOccurred",
    }
}
