//! Actions on a run: cancel, answer a local tool call, give feedback.

use reqwest::Method;
use serde_json::json;

use super::{Bearer, Mantyx, MantyxError};

impl Mantyx {
    /// Cancels a run. Cancelling again, or after the end, changes nothing.
    pub async fn cancel_run(&self, bearer: &Bearer, slug: &str, run_id: &str) -> Result<(), MantyxError> {
        let path = ["agent-runs", run_id, "cancel"];
        Self::send_unit(self.workspace_request(bearer, Method::POST, slug, &path)).await
    }

    /// Answers a local tool call. `Refused` with `unknown_tool_use` or `run_terminal` when the call is not waiting.
    pub async fn answer_call(
        &self,
        bearer: &Bearer,
        slug: &str,
        run_id: &str,
        tool_use_id: &str,
        answer: &Result<String, String>,
    ) -> Result<(), MantyxError> {
        let body = match answer {
            Ok(result) => json!({ "toolUseId": tool_use_id, "result": result }),
            Err(error) => json!({ "toolUseId": tool_use_id, "error": error }),
        };
        let path = ["agent-runs", run_id, "tool-results"];
        Self::send_unit(self.workspace_request(bearer, Method::POST, slug, &path).json(&body)).await
    }

    /// Sends feedback on a run, which replaces earlier feedback.
    pub async fn send_feedback(
        &self,
        bearer: &Bearer,
        slug: &str,
        run_id: &str,
        verdict: &str,
        explanation: Option<&str>,
    ) -> Result<(), MantyxError> {
        let mut body = json!({ "verdict": verdict });
        if let Some(explanation) = explanation {
            body["explanation"] = explanation.into();
        }
        let path = ["agent-runs", run_id, "feedback"];
        Self::send_unit(self.workspace_request(bearer, Method::POST, slug, &path).json(&body)).await
    }
}
