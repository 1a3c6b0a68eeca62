//! Runs: their list and their snapshots.

use serde_json::Value;

use super::document::document;
use super::{Metadata, Tokens};
use crate::RunStatus;

document! {
    /// `GET /agent-runs`, newest first.
    RunListResponse needs ["runs"] {
        runs: list[RunRow] = "runs",
        next_cursor: text = "nextCursor",
        /// Only if the request asked for it.
        total: count = "total",
    }
}

document! {
    /// A run in a list, with shortened texts.
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
        /// The answer, or the partial output of a run that failed.
        final_text: text = "finalText",
        error: text = "error",
        turns: count = "turns",
        /// The model that answered, once the run has ended.
        model: object[ModelUsed] = "model",
        created_at: text = "createdAt",
        completed_at: text = "completedAt",
    }
}

impl RunSnapshot {
    /// Some servers call it `runId`.
    pub fn id(&self) -> Option<&str> {
        self.0.get("id").or(self.0.get("runId"))?.as_str()
    }
}

/// The readers that rows and snapshots share.
macro_rules! shared_readers {
    ($name:ident) => {
        impl $name {
            /// Returns `None` for a status of a later protocol.
            pub fn status(&self) -> Option<RunStatus> {
                RunStatus::parse(self.0.get("status")?.as_str()?)
            }

            /// Returns `None` until the run has ended, and for servers that do not count tokens.
            pub fn tokens(&self) -> Option<Tokens> {
                self.0.get("tokens").and_then(Tokens::parse)
            }

            /// Returns the entries that are texts, as all should be.
            pub fn metadata(&self) -> Metadata {
                let entries = self.0.get("metadata").and_then(Value::as_object).into_iter().flatten();
                entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
            }
        }
    };
}

shared_readers!(RunRow);
shared_readers!(RunSnapshot);

document! {
    ModelUsed {
        id: text = "id",
    }
}
