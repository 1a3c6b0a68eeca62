//! Loads the session that a message goes to.

use app::launch::LaunchMode;
use app::launch::draft::{LaunchDraft, SessionInfo, answerers};
use protocol::ids;
use protocol::redact::redact;
use serde_json::Value;

use super::super::{LaunchContent, Launcher};
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;

/// Loads the session that the draft names, if it isn't loaded yet.
pub async fn load(state: &AppState, launcher: &Launcher, draft: &mut LaunchDraft) -> Result<(), Error> {
    let LaunchMode::Message { session_id } = &draft.mode else {
        draft.session = None;
        return Ok(());
    };
    if draft.session.as_ref().is_some_and(|known| known.id == *session_id) {
        return Ok(());
    }
    draft.session = None;
    draft.last_action.tool_checks.clear();
    if !ids::is_path_id(session_id) {
        return Ok(());
    }
    let (caller, id) = (&launcher.caller, session_id.as_str());
    let read = |bearer| async move { state.mantyx.session(&bearer, &caller.slug, id).await };
    let facts = match state.credentials.call(caller, read).await {
        Ok(mut found) => {
            redact(&mut found.agent_spec);
            let ended = (found.status != "active").then(|| "This session has ended. Launch a new one.".to_owned());
            SessionInfo { id: id.to_owned(), spec: found.agent_spec, problem: ended }
        }
        Err(MantyxError::NotFound) => {
            let problem = Some("There is no such session in this workspace. Check its id.".to_owned());
            SessionInfo { id: id.to_owned(), spec: Value::Null, problem }
        }
        Err(error @ MantyxError::Unauthorized) => return Err(error.into()),
        Err(error) => {
            // The launch reports the error, if it persists.
            tracing::info!(%error, "the session of a message could not be read");
            return Ok(());
        }
    };
    draft.session = Some(facts);
    Ok(())
}

/// Returns the session's local tools that are not in the draft, for the preflight.
pub fn local_tools_of_session(draft: &LaunchDraft) -> Option<LaunchContent> {
    let names = answerers::session_only_tools(draft);
    let mut spec = draft.session_spec().filter(|_| !names.is_empty())?.clone();
    let is_known = |name: &Value| name.as_str().is_some_and(|name| names.iter().any(|known| known == name));
    if let Some(tools) = spec["tools"].as_array_mut() {
        tools.retain(|tool| match tool["kind"].as_str() {
            Some("local" | "a2a_local") => is_known(&tool["name"]),
            Some("mcp_local") => tool["tools"].as_array().into_iter().flatten().any(|listed| is_known(&listed["name"])),
            _ => false,
        });
    }
    Some(LaunchContent { spec, answers: draft.answers.clone() })
}
