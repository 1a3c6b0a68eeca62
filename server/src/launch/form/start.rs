//! Starts the run or the batch of a draft.

use app::AppError;
use app::launch::draft::LaunchDraft;
use app::launch::draft::validation::field_error;
use app::launch::{CheckKind, CheckState, ControlName, ToolCheck, local_tools};
use domain::url::encode;
use protocol::validate::FieldError;

use super::super::batch::{self, BatchRequest};
use super::super::{LaunchContent, LaunchRequest, Launcher, batch_inputs, launch, preflight, validation};
use super::actions::Outcome;
use super::{SubmittedForm, UploadedFile, session};
use crate::error::Error;
use crate::state::AppState;

/// The id of the element with an error that belongs to no field.
const GENERAL_ERROR: &str = "refusal";

pub async fn launch_run(state: &AppState, launcher: &Launcher, draft: &mut LaunchDraft) -> Result<Outcome, Error> {
    if draft.last_action.unconfirmed {
        return Ok(unconfirmed(draft));
    }
    if !is_ready(state, launcher, draft, validation::draft_errors).await? {
        return Ok(Outcome::Form { focus: Some("problems".to_owned()) });
    }
    // The default: the user who launches the run answers.
    for (tool, _) in local_tools(&draft.spec) {
        draft.answers.entry(tool).or_default();
    }
    let request = LaunchRequest {
        key: draft.key.clone(),
        mode: draft.mode.clone(),
        spec: draft.spec.clone(),
        answers: draft.answers.clone(),
        origin_run_id: draft.origin.as_ref().and_then(|origin| origin.run_id()).map(str::to_owned),
    };
    match launch(state, launcher, &request).await {
        Ok(launched) => {
            reset_after_launch(draft);
            let href = match launched.session_id {
                Some(session_id) => format!("/sessions/{session_id}"),
                None => format!("/runs/{}", launched.run_id),
            };
            Ok(Outcome::Done { href })
        }
        Err(Error::Unconfirmed) => Ok(unconfirmed(draft)),
        Err(error) => record_error(draft, error.into()),
    }
}

/// Launches under a new key, although an earlier launch may have started a run.
pub async fn launch_again(state: &AppState, launcher: &Launcher, draft: &mut LaunchDraft) -> Result<Outcome, Error> {
    if std::mem::take(&mut draft.last_action.unconfirmed) {
        draft.key = crate::random::token();
    }
    launch_run(state, launcher, draft).await
}

/// The run may have started: the key stays, and another button launches again.
fn unconfirmed(draft: &mut LaunchDraft) -> Outcome {
    draft.last_action.unconfirmed = true;
    draft.last_action.suggest_sign_in = false;
    draft.last_action.general_error = Some(AppError::from(Error::Unconfirmed).to_string());
    Outcome::Form { focus: Some(GENERAL_ERROR.to_owned()) }
}

/// Returns whether the draft can be launched, and records what prevents it. Peers are checked each time, since they may
/// have become unreachable.
async fn is_ready(
    state: &AppState,
    launcher: &Launcher,
    draft: &mut LaunchDraft,
    errors: fn(&LaunchDraft) -> Vec<FieldError>,
) -> Result<bool, Error> {
    draft.last_action.launch_attempted = true;
    draft.last_action.reported_errors.clear();
    draft.last_action.general_error = None;
    if !errors(draft).is_empty() {
        return Ok(false);
    }
    check_tools(state, launcher, draft).await?;
    draft.last_action.reported_errors = draft.last_action.tool_checks.iter().flat_map(failed_checks).collect();
    Ok(draft.last_action.reported_errors.is_empty())
}

fn failed_checks(check: &ToolCheck) -> impl Iterator<Item = FieldError> {
    let failed = check.checks.iter().filter(|check| check.state == CheckState::Failed);
    failed.map(|failed| {
        let own = matches!(check.kind.as_str(), "local" | "a2a_local") && failed.kind == CheckKind::Answered;
        let place = if own { format!("/answers/{}", check.name) } else { check.path.clone() };
        let fix = failed.fix.as_deref().unwrap_or_default();
        field_error(place, "preflight", format!("{} {fix}", failed.message).trim())
    })
}

/// The next launch of the same form starts another run.
fn reset_after_launch(draft: &mut LaunchDraft) {
    draft.key = crate::random::token();
    draft.last_action.launch_attempted = false;
    draft.ownership.has_previous_draft = false;
    draft.unfinished.removed_tool = None;
    draft.last_action.unconfirmed = false;
    draft.last_action.tool_checks.clear();
}

/// Records the error of a failed action, at its field if it has one.
pub fn record_error(draft: &mut LaunchDraft, error: AppError) -> Result<Outcome, Error> {
    draft.last_action.suggest_sign_in = matches!(error, AppError::Forbidden { .. } | AppError::MissingScope { .. });
    match error {
        AppError::SignedOut => return Err(error.into()),
        AppError::Fields { errors } => draft.last_action.reported_errors = errors,
        AppError::NotFound { ref what } if what == "session" => {
            draft.last_action.reported_errors = vec![field_error("/session".to_owned(), "session", error.advice())];
        }
        AppError::Conflict { .. } => {
            draft.key = crate::random::token();
            draft.last_action.general_error = Some(error.to_string());
        }
        other => draft.last_action.general_error = Some(other.to_string()),
    }
    let focus = if draft.last_action.general_error.is_some() { GENERAL_ERROR } else { "problems" };
    Ok(Outcome::Form { focus: Some(focus.to_owned()) })
}

pub async fn check_tools(state: &AppState, launcher: &Launcher, draft: &mut LaunchDraft) -> Result<(), Error> {
    let content = LaunchContent { spec: draft.spec.clone(), answers: draft.answers.clone() };
    draft.last_action.tool_checks = preflight::run(state, launcher, &content).await?;
    if let Some(content) = session::local_tools_of_session(draft) {
        let session_checks = preflight::run(state, launcher, &content).await?;
        let moved = |check: ToolCheck| ToolCheck { path: format!("/session{}", check.path), ..check };
        draft.last_action.tool_checks.extend(session_checks.into_iter().map(moved));
    }
    Ok(())
}

/// Says how many runs a chosen file would start, or what is wrong with it.
pub fn describe_batch_file(draft: &LaunchDraft, form: &SubmittedForm) -> Option<String> {
    let file = form.upload(&ControlName::Other("batch.file"))?;
    let Ok(text) = std::str::from_utf8(&file.bytes) else { return Some(not_text(file)) };
    let found = match batch_inputs::preview(&draft.spec, text) {
        Ok(preview) => preview,
        Err(AppError::Invalid { message, .. }) => message,
        Err(error) => error.to_string(),
    };
    Some(format!("{}: {found}", file.file_name))
}

fn not_text(file: &UploadedFile) -> String {
    format!("{} is not UTF-8 text. Save it as CSV in UTF-8, or as JSON.", file.file_name)
}

pub async fn launch_batch(
    state: &AppState,
    launcher: &Launcher,
    draft: &mut LaunchDraft,
    form: &SubmittedForm,
) -> Result<Outcome, Error> {
    if let Some(file) = form.upload(&ControlName::Other("batch.file")) {
        let Ok(text) = std::str::from_utf8(&file.bytes) else {
            let message = not_text(file);
            draft.last_action.reported_errors = vec![field_error("/batch/file".to_owned(), "batch", message)];
            return Ok(Outcome::Form { focus: Some(ControlName::Other("batch.file").dom_id()) });
        };
        text.clone_into(&mut draft.unfinished.batch.inputs);
    }
    if !is_ready(state, launcher, draft, validation::batch_errors).await? {
        return Ok(Outcome::Form { focus: Some("problems".to_owned()) });
    }
    let word =
        |text: &str, otherwise: &str| Some(text.trim()).filter(|text| !text.is_empty()).unwrap_or(otherwise).to_owned();
    let request = BatchRequest {
        key: draft.key.clone(),
        spec: draft.spec.clone(),
        answers: draft.answers.clone(),
        inputs: draft.unfinished.batch.inputs.clone(),
        tag_key: word(&draft.unfinished.batch.tag_key, "batch"),
        tag_value: word(&draft.unfinished.batch.tag_value, &draft.key.chars().take(8).collect::<String>()),
    };
    match batch::start(state, launcher, &request).await.map_err(AppError::from) {
        Ok(batch) => {
            reset_after_launch(draft);
            let query = encode(&batch.query);
            Ok(Outcome::Done { href: format!("/runs?q={query}&batch={}", batch.id) })
        }
        Err(AppError::Invalid { message, .. }) => {
            draft.last_action.reported_errors = vec![field_error("/batch/inputs".to_owned(), "batch", message)];
            Ok(Outcome::Form { focus: Some(ControlName::Other("batch.inputs").dom_id()) })
        }
        Err(error) => {
            draft.last_action.launch_attempted = true;
            record_error(draft, error)
        }
    }
}
