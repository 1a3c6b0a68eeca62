//! Loads the session that a message goes to.

use app::launch::draft::{LaunchDraft, SessionInfo, answerers};
use app::launch::{LaunchMode, local_tools};
use protocol::ids;
use protocol::redact::redact;
use serde_json::{Value, json};

use super::super::Launcher;
use crate::error::Error;
use crate::mantyx::MantyxError;

/// Loads the session that the draft names, if it isn't loaded yet.
pub async fn load(launcher: &Launcher<'_>, draft: &mut LaunchDraft) -> Result<(), Error> {
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
    let (state, caller, id) = (launcher.state, &launcher.caller, session_id.as_str());
    let read = |bearer| async move { state.mantyx.session(&bearer, &caller.slug, id).await };
    let (spec, problem) = match state.credentials.call(caller, read).await {
        Ok(mut found) => {
            redact(&mut found.agent_spec);
            (found.agent_spec, (found.status != "active").then_some("This session has ended. Launch a new one."))
        }
        Err(MantyxError::NotFound) => (Value::Null, Some("There is no such session in this workspace. Check its id.")),
        Err(error @ MantyxError::Unauthorized) => return Err(error.into()),
        Err(error) => {
            // The launch reports the error, if it persists.
            tracing::info!(%error, "the session of a message could not be read");
            return Ok(());
        }
    };
    draft.session = Some(SessionInfo { id: id.to_owned(), spec, problem: problem.map(str::to_owned) });
    Ok(())
}

/// Returns the session's local tools that are not in the draft.
pub fn local_tools_of_session(draft: &LaunchDraft) -> Vec<Value> {
    let names = answerers::session_only_tools(draft);
    let tools = draft.session_spec().and_then(|spec| spec["tools"].as_array()).into_iter().flatten();
    let has_name =
        |tool: &&Value| local_tools(&json!({ "tools": [tool] })).iter().any(|(name, _)| names.contains(name));
    tools.filter(has_name).cloned().collect()
}
