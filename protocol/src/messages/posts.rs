//! What a client posts to a run: the result of a tool that it ran, and what a person thought of the answer.

use crate::document::document;

document! {
    /// The body of `POST /agent-runs/{id}/tool-results`: `result` or `error`, and files only with a result.
    ToolResultBody {
        tool_use_id: text = "toolUseId",
        result: text = "result",
        error: text = "error",
        files: list[ResultFile] = "files",
    }
}

document! {
    ResultFile {
        filename: text = "filename",
        mime_type: text = "mimeType",
        /// Base64 without a data-URL prefix.
        data: text = "data",
    }
}

document! {
    /// The body of `POST /agent-runs/{id}/feedback`. One for each run, and the last one counts.
    Feedback {
        /// `UP` or `DOWN`.
        verdict: text = "verdict",
        explanation: text = "explanation",
        /// The text that was judged; the run's final text where it is absent.
        content_snapshot: text = "contentSnapshot",
    }
}

document! {
    FeedbackAnswer {
        id: text = "id",
        verdict: text = "verdict",
        target_kind: text = "targetKind",
        agent_run_id: text = "agentRunId",
    }
}
