//! Actions on a run: cancel it, answer a local tool call, give feedback, delete it.

use app::AppError;
use domain::{AnswerState, AuditAction, Feedback, Origin, Thumb};
use protocol::ids;

use crate::audit;
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::CallKey;

/// MANTYX's limits.
const MAX_RESULT_BYTES: usize = 2 * 1024 * 1024;
const MAX_ERROR_BYTES: usize = 8 * 1024;
const MAX_EXPLANATION_CHARS: usize = 4_000;

pub async fn cancel_run(state: &AppState, caller: &Caller, id: &str) -> Result<(), Error> {
    check_id(id)?;
    let cancel = |bearer| async move { state.mantyx.cancel_run(&bearer, &caller.slug, id).await };
    state.credentials.call(caller, cancel).await?;
    audit::record_done(state, caller, caller.actor.entry(AuditAction::Cancel).about(id)).await;
    Ok(())
}

pub async fn answer_call(
    state: &AppState,
    caller: &Caller,
    answered_by: &str,
    id: &str,
    tool_use_id: &str,
    answer: Result<String, String>,
) -> Result<(), Error> {
    check_id(id)?;
    check_size(&answer)?;
    let answer = &answer;
    let post = |bearer| async move { state.mantyx.answer_call(&bearer, &caller.slug, id, tool_use_id, answer).await };
    // Of two people, the second waits until the first answer is recorded, and then sees who gave it.
    let _one_at_a_time = state.waiting.lock_call(caller.workspace_id, id, tool_use_id).await;
    match state.credentials.call(caller, post).await {
        Err(MantyxError::Refused { code, .. }) if code == "unknown_tool_use" => {
            Err(conflict(&match answered_before(state, caller, id, tool_use_id).await? {
                Some(by) => format!("Already answered by {by}. Your answer was not sent."),
                None => "This call has already been answered. Your answer was not sent.".to_owned(),
            }))
        }
        Err(MantyxError::Refused { code, .. }) if code == "run_terminal" => {
            let ended = "The run has ended, so this answer is no longer needed.";
            Err(conflict(&match answered_before(state, caller, id, tool_use_id).await? {
                Some(by) => format!("Already answered by {by}. {ended}"),
                None => ended.to_owned(),
            }))
        }
        Err(error) => Err(error.into()),
        Ok(()) => {
            let call = CallKey { workspace: caller.workspace_id, run_id: id, tool_use_id, owner: "" };
            let entry = caller.actor.entry(AuditAction::Answer).about(id);
            // MANTYX has the answer, whether it can be recorded here or not.
            if let Err(error) = state.store.record_hand_answer(call, answered_by, &entry).await {
                tracing::error!(%error, run_id = id, workspace = %caller.workspace_id, "cannot record who answered a call");
                audit::record_done(state, caller, entry).await;
            }
            state.waiting.changed(caller.workspace_id);
            Ok(())
        }
    }
}

/// Returns who answered a call from here: a person's address, or where the answer came from.
pub async fn answered_before(
    state: &AppState,
    caller: &Caller,
    id: &str,
    tool_use_id: &str,
) -> Result<Option<String>, Error> {
    let records = state.store.answer_records(caller.workspace_id, id).await?;
    let sent =
        records.into_iter().find(|record| record.tool_use_id == tool_use_id && record.state == AnswerState::Sent);
    Ok(sent.map(|record| record.by))
}

pub async fn give_feedback(
    state: &AppState,
    caller: &Caller,
    given_by: &str,
    id: &str,
    thumb: Thumb,
    explanation: &str,
) -> Result<String, Error> {
    check_id(id)?;
    if explanation.chars().count() > MAX_EXPLANATION_CHARS {
        return Err(invalid("explanation", format!("Use at most {MAX_EXPLANATION_CHARS} characters.")));
    }
    // Feedback is only accepted for runs of this workspace.
    let Some(run) = state.store.run(caller.workspace_id, id).await? else {
        return Err(AppError::not_found("run").into());
    };
    let note = Some(explanation).filter(|note| !note.is_empty());
    let send =
        |bearer| async move { state.mantyx.send_feedback(&bearer, &caller.slug, id, thumb.as_str(), note).await };
    // Feedback that can't be sent to MANTYX is stored here only, and the message says so.
    let (sent, message) = if run.origin != Origin::Mirrored {
        (false, "Saved in Runlens. MANTYX doesn't have this run.")
    } else {
        match state.credentials.call(caller, send).await {
            Ok(()) => (true, "Sent to MANTYX. Thank you."),
            Err(MantyxError::MissingScope { .. }) => {
                (false, "Saved in Runlens. Your sign-in can't send feedback to MANTYX (feedback:write).")
            }
            Err(MantyxError::NotFound | MantyxError::Refused { status: 405, .. }) => {
                (false, "Saved in Runlens. This MANTYX doesn't accept feedback.")
            }
            Err(error) => return Err(error.into()),
        }
    };
    let feedback = Feedback {
        thumb,
        explanation: explanation.to_owned(),
        given_by: given_by.to_owned(),
        given_at_ms: now_ms(),
        sent,
    };
    state.store.save_feedback(caller.workspace_id, id, &feedback).await?;
    Ok(message.to_owned())
}

fn check_id(id: &str) -> Result<(), Error> {
    if ids::is_path_id(id) { Ok(()) } else { Err(AppError::not_found("run").into()) }
}

fn check_size(answer: &Result<String, String>) -> Result<(), Error> {
    match answer {
        Ok(text) if text.len() > MAX_RESULT_BYTES => {
            Err(invalid("text", "An answer can have up to 2 MB. Shorten it.".to_owned()))
        }
        Err(text) if text.len() > MAX_ERROR_BYTES => {
            Err(invalid("text", "An error can have up to 8 KB. Shorten it.".to_owned()))
        }
        Err(text) if text.trim().is_empty() => Err(invalid("text", "Describe what went wrong.".to_owned())),
        _ => Ok(()),
    }
}

fn invalid(field: &str, message: String) -> Error {
    AppError::Invalid { field: field.to_owned(), message }.into()
}

fn conflict(message: &str) -> Error {
    AppError::Conflict { message: message.to_owned() }.into()
}
