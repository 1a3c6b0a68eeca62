//! Starts the run or the batch of a draft.

use app::AppError;
use app::launch::draft::LaunchDraft;
use app::launch::{CheckKind, ControlKind, ToolCheck, local_tools};
use app::model::launch::Tone;
use domain::url::encode;
use protocol::json_pointer::set;
use protocol::validate::FieldError;

use super::super::batch::{self, BatchRequest};
use super::super::{LaunchContent, LaunchRequest, Launcher, batch_inputs, launch, preflight, validation};
use super::{Outcome, SubmittedForm, UploadedFile, session};
use crate::error::Error;

/// The id of the element with an error that belongs to no field.
const GENERAL_ERROR: &str = "refusal";

pub async fn launch_run(launcher: &Launcher<'_>, draft: &mut LaunchDraft) -> Result<Outcome, Error> {
    if draft.last_action.unconfirmed {
        return Ok(unconfirmed(draft));
    }
    if !is_ready(launcher, draft, validation::draft_errors).await? {
        return Ok(Outcome::focus("problems"));
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
    match launch(launcher, &request).await {
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
pub async fn launch_again(launcher: &Launcher<'_>, draft: &mut LaunchDraft) -> Result<Outcome, Error> {
    if std::mem::take(&mut draft.last_action.unconfirmed) {
        draft.key = crate::random::token();
    }
    launch_run(launcher, draft).await
}

/// The run may have started: the key stays, and another button launches again.
fn unconfirmed(draft: &mut LaunchDraft) -> Outcome {
    draft.last_action.unconfirmed = true;
    draft.last_action.suggest_sign_in = false;
    draft.last_action.general_error = Some(AppError::from(Error::Unconfirmed).to_string());
    Outcome::focus(GENERAL_ERROR)
}

/// Returns whether the draft can be launched, and records what prevents it. Peers are checked each time, since they may
/// have become unreachable.
async fn is_ready(
    launcher: &Launcher<'_>,
    draft: &mut LaunchDraft,
    errors: fn(&LaunchDraft) -> Vec<FieldError>,
) -> Result<bool, Error> {
    draft.last_action.launch_attempted = true;
    draft.last_action.reported_errors.clear();
    draft.last_action.general_error = None;
    if !errors(draft).is_empty() {
        return Ok(false);
    }
    check_tools(launcher, draft).await?;
    draft.last_action.reported_errors = draft.last_action.tool_checks.iter().flat_map(failed_checks).collect();
    Ok(draft.last_action.reported_errors.is_empty())
}

fn failed_checks(check: &ToolCheck) -> impl Iterator<Item = FieldError> {
    let failed = check.checks.iter().filter(|check| check.state == Tone::Error);
    failed.map(|failed| {
        let own = matches!(check.kind.as_str(), "local" | "a2a_local") && failed.kind == CheckKind::Answered;
        let place = if own { format!("/answers/{}", check.name) } else { check.path.clone() };
        let fix = failed.fix.as_deref().unwrap_or_default();
        FieldError::new(place, "preflight", format!("{} {fix}", failed.message).trim())
    })
}

/// The next launch of the same form starts another run.
fn reset_after_launch(draft: &mut LaunchDraft) {
    draft.key = crate::random::token();
    draft.last_action.launch_attempted = false;
    draft.ownership.has_previous_draft = false;
    draft.ownership.changed_elsewhere = false;
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
            draft.last_action.reported_errors = vec![FieldError::new("/session", "session", error.advice())];
        }
        AppError::Conflict { .. } => {
            draft.key = crate::random::token();
            draft.last_action.general_error = Some(error.to_string());
        }
        other => draft.last_action.general_error = Some(other.to_string()),
    }
    Ok(Outcome::focus(if draft.last_action.general_error.is_some() { GENERAL_ERROR } else { "problems" }))
}

/// Shows an error at a control that belongs to no field of the spec.
pub fn refuse(draft: &mut LaunchDraft, control: &str, message: String) -> Outcome {
    let (code, _) = control.split_once('.').unwrap_or((control, ""));
    let path = format!("/{}", control.replace('.', "/"));
    draft.last_action.reported_errors = vec![FieldError::new(path, code, message)];
    Outcome::focus(ControlKind::Other.at(control).dom_id())
}

/// Checks the tools of the draft, and the local ones of its session.
pub async fn check_tools(launcher: &Launcher<'_>, draft: &mut LaunchDraft) -> Result<(), Error> {
    let mut content = LaunchContent::of(draft);
    let mut tools = content.spec["tools"].as_array().cloned().unwrap_or_default();
    let own = tools.len();
    tools.extend(session::local_tools_of_session(draft));
    set(&mut content.spec, "/tools", tools.into());
    if let Some(session) = draft.session_spec().filter(|_| content.spec.get("budgets").is_none()) {
        set(&mut content.spec, "/budgets", session["budgets"].clone());
    }
    let mut checks = preflight::run(launcher, &content).await?;
    for (i, check) in checks.iter_mut().skip(own).enumerate() {
        check.path = format!("/session/tools/{i}");
    }
    draft.last_action.tool_checks = checks;
    Ok(())
}

/// Notes how many runs a chosen file would start, or what is wrong with it. It replaces the inputs that were typed.
pub fn read_batch_file(draft: &mut LaunchDraft, form: &SubmittedForm) {
    draft.last_action.batch_file = None;
    let Some(file) = form.upload(&ControlKind::Other.at("batch.file")) else { return };
    draft.unfinished.set_text(&ControlKind::Other.at("batch.inputs"), "");
    let found = match std::str::from_utf8(&file.bytes) {
        Ok(text) => batch_inputs::preview(&draft.spec, text).map_err(|error| error.advice()),
        Err(_) => Err(not_text(file)),
    };
    let error = found.as_ref().err().map(|message| FieldError::new("/batch/file", "batch", message));
    draft.last_action.report("/batch", error);
    draft.last_action.batch_file = found.ok().map(|found| format!("{}: {found}", file.file_name));
}

fn not_text(file: &UploadedFile) -> String {
    format!("{} is not UTF-8 text. Save it as CSV in UTF-8, or as JSON.", file.file_name)
}

pub async fn launch_batch(
    launcher: &Launcher<'_>,
    draft: &mut LaunchDraft,
    form: &SubmittedForm,
) -> Result<Outcome, Error> {
    if let Some(file) = form.upload(&ControlKind::Other.at("batch.file")) {
        let Ok(text) = std::str::from_utf8(&file.bytes) else {
            return Ok(refuse(draft, "batch.file", not_text(file)));
        };
        draft.unfinished.set_text(&ControlKind::Other.at("batch.inputs"), text);
    }
    if !is_ready(launcher, draft, validation::batch_errors).await? {
        return Ok(Outcome::focus("problems"));
    }
    let text = |name: &str| draft.unfinished.text(&ControlKind::Other.at(name)).to_owned();
    let word = |name: &str| Some(text(name).trim().to_owned()).filter(|text| !text.is_empty());
    let request = BatchRequest {
        key: draft.key.clone(),
        spec: draft.spec.clone(),
        answers: draft.answers.clone(),
        inputs: text("batch.inputs"),
        tag_key: word("batch.key").unwrap_or_else(|| "batch".to_owned()),
        tag_value: word("batch.value").unwrap_or_else(|| draft.key.chars().take(8).collect()),
    };
    match batch::start(launcher, &request).await.map_err(AppError::from) {
        Ok(batch) => {
            reset_after_launch(draft);
            let query = encode(&batch.query);
            Ok(Outcome::Done { href: format!("/runs?q={query}&batch={}", batch.id) })
        }
        Err(AppError::Invalid { message, .. }) => Ok(refuse(draft, "batch.inputs", message)),
        Err(error) => record_error(draft, error),
    }
}
