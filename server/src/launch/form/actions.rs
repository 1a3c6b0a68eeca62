//! The actions of the form's buttons.

use app::AppError;
use app::launch::draft::error_placement::dom_id;
use app::launch::draft::validation::field_error;
use app::launch::draft::{LaunchDraft, files, rows};
use app::launch::{CheckKind, CheckState, ToolCheck};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::url::encode;
use protocol::json_pointer::set;
use protocol::validate::{FieldError, MAX_INLINE_BYTES};
use serde_json::{Value, json};

use super::super::batch::{self, BatchRequest};
use super::super::templates::{self, TemplateChange};
use super::super::{LaunchContent, LaunchRequest, Launcher, launch, preflight};
use super::{SubmittedForm, UploadedFile, form_ownership, peers, session, validation, with_new_key};
use crate::error::Error;
use crate::state::AppState;

/// The id of the element with an error that belongs to no field.
const GENERAL_ERROR: &str = "refusal";

pub enum Outcome {
    /// Shows the form again.
    Form { focus: Option<String> },
    /// Leads to another page.
    Done { href: String },
}

pub async fn act(
    state: &AppState,
    launcher: &Launcher,
    draft: &mut LaunchDraft,
    action: &str,
    form: &SubmittedForm,
) -> Result<Outcome, Error> {
    let (verb, object) = action.split_once(':').unwrap_or((action, ""));
    let mut focus = None;
    match verb {
        "launch" if draft.unconfirmed => return Ok(unconfirmed(draft)),
        "launch" => return launch_run(state, launcher, draft).await,
        "launch-again" => {
            if std::mem::take(&mut draft.unconfirmed) {
                draft.key = crate::random::token();
            }
            return launch_run(state, launcher, draft).await;
        }
        "batch" => return launch_batch(state, launcher, draft, form).await,
        "check" => {
            draft.launch_attempted = true;
            check_tools(state, launcher, draft).await?;
        }
        "reset" => {
            *draft = LaunchDraft { is_new: true, ..with_new_key(LaunchDraft::new()) };
            form_ownership::assign(&state.vault, draft, launcher);
            focus = Some(dom_id("t/prompt"));
        }
        "add" => focus = add_tool(draft, object),
        "add-message" => {
            let before = draft.spec.clone();
            if let Some(messages) = draft.spec["messages"].as_array_mut() {
                focus = Some(dom_id(&format!("t/messages/{}/content", messages.len())));
                messages.push(json!({ "role": "user", "content": "" }));
            }
            draft.after_spec_change(&before);
        }
        "drop" => {
            if let Some((list, Ok(at))) = object.rsplit_once('/').map(|(list, at)| (list, at.parse())) {
                match list.starts_with("/tools") {
                    true => draft.remove_tool(list, at),
                    false => draft.remove_item(list, at),
                }
                focus = Some(list.split('/').nth(1).unwrap_or("tools").to_owned());
            }
        }
        "undo-remove" => focus = draft.restore_removed_tool().map(|place| dom_id(&place)),
        "drop-property" => {
            if let Some((schema, Ok(at))) = object.rsplit_once('#').map(|(schema, at)| (schema, at.parse())) {
                let before = draft.spec.clone();
                rows::remove_property(draft, schema, at);
                draft.after_spec_change(&before);
                focus = Some(dom_id(&format!("p{schema}#{at}.name")));
            }
        }
        "attach" => attach(draft, object, form),
        "discover" => peers::discover(state, draft, object).await,
        "card" => peers::load_card(state, draft, object, upload(form, &format!("f{object}/agentCard"))).await,
        "save-template" => return save_template(state, launcher, draft, None).await,
        "update-template" => return save_template(state, launcher, draft, Some(object.to_owned())).await,
        "delete-template" => {
            draft.template.to_delete = Some(object.to_owned());
            focus = Some("fold-keep".to_owned());
        }
        "keep-template" => draft.template.to_delete = None,
        "delete-for-good" => {
            draft.template.to_delete = None;
            templates::delete(state, launcher, object).await?;
            draft.template.id = draft.template.id.take().filter(|id| id != object);
            draft.success = Some("The template is deleted.".to_owned());
        }
        _ => {}
    }
    Ok(Outcome::Form { focus })
}

async fn launch_run(state: &AppState, launcher: &Launcher, draft: &mut LaunchDraft) -> Result<Outcome, Error> {
    if !is_ready(state, launcher, draft, validation::errors).await? {
        return Ok(Outcome::Form { focus: Some("problems".to_owned()) });
    }
    let request = LaunchRequest {
        key: draft.key.clone(),
        mode: draft.mode.clone(),
        spec: draft.spec.clone(),
        answers: draft.answers.clone(),
    };
    match launch(state, launcher, &request).await {
        Ok(launched) => {
            reset_after_launch(draft);
            Ok(Outcome::Done { href: format!("/runs/{}", launched.run_id) })
        }
        Err(Error::Unconfirmed) => Ok(unconfirmed(draft)),
        Err(error) => record_error(draft, error.into()),
    }
}

/// The run may have started: the key stays, and another button launches again.
fn unconfirmed(draft: &mut LaunchDraft) -> Outcome {
    draft.unconfirmed = true;
    draft.suggest_sign_in = false;
    draft.general_error = Some(AppError::from(Error::Unconfirmed).to_string());
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
    draft.launch_attempted = true;
    draft.reported_errors.clear();
    draft.general_error = None;
    if !errors(draft).is_empty() {
        return Ok(false);
    }
    check_tools(state, launcher, draft).await?;
    draft.reported_errors = draft.tool_checks.iter().flat_map(failed_checks).collect();
    Ok(draft.reported_errors.is_empty())
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
    draft.launch_attempted = false;
    draft.has_previous_draft = false;
    draft.removed_tool = None;
    draft.unconfirmed = false;
    draft.tool_checks.clear();
}

/// Records the error of a failed action, at its field if it has one.
fn record_error(draft: &mut LaunchDraft, error: AppError) -> Result<Outcome, Error> {
    draft.suggest_sign_in = matches!(error, AppError::Forbidden { .. });
    match error {
        AppError::SignedOut => return Err(error.into()),
        AppError::Fields { errors } => draft.reported_errors = errors,
        AppError::NotFound { ref what } if what == "session" => {
            draft.reported_errors = vec![field_error("/session".to_owned(), "session", error.advice())];
        }
        AppError::Conflict { .. } => {
            draft.key = crate::random::token();
            draft.general_error = Some(error.to_string());
        }
        other => draft.general_error = Some(other.to_string()),
    }
    let focus = if draft.general_error.is_some() { GENERAL_ERROR } else { "problems" };
    Ok(Outcome::Form { focus: Some(focus.to_owned()) })
}

async fn check_tools(state: &AppState, launcher: &Launcher, draft: &mut LaunchDraft) -> Result<(), Error> {
    let content = LaunchContent { spec: draft.spec.clone(), answers: draft.answers.clone() };
    draft.tool_checks = preflight::run(state, launcher, &content).await?;
    if let Some(content) = session::local_tools_of_session(draft) {
        let session_checks = preflight::run(state, launcher, &content).await?;
        let moved = |check: ToolCheck| ToolCheck { path: format!("/session{}", check.path), ..check };
        draft.tool_checks.extend(session_checks.into_iter().map(moved));
    }
    Ok(())
}

async fn launch_batch(
    state: &AppState,
    launcher: &Launcher,
    draft: &mut LaunchDraft,
    form: &SubmittedForm,
) -> Result<Outcome, Error> {
    if let Some(file) = upload(form, "f:inputs") {
        draft.batch.inputs = String::from_utf8_lossy(&file.bytes).into_owned();
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
        inputs: draft.batch.inputs.clone(),
        tag_key: word(&draft.batch.tag_key, "batch"),
        tag_value: word(&draft.batch.tag_value, &draft.key.chars().take(8).collect::<String>()),
    };
    match batch::start(state, launcher, &request).await.map_err(AppError::from) {
        Ok(batch) => {
            reset_after_launch(draft);
            let query = encode(&batch.query);
            Ok(Outcome::Done { href: format!("/runs?q={query}&batch={}", batch.id) })
        }
        Err(AppError::Invalid { message, .. }) => {
            draft.reported_errors = vec![field_error("/batch/inputs".to_owned(), "batch", message)];
            Ok(Outcome::Form { focus: Some(dom_id("q:inputs")) })
        }
        Err(error) => {
            draft.launch_attempted = true;
            record_error(draft, error)
        }
    }
}

fn add_tool(draft: &mut LaunchDraft, kind: &str) -> Option<String> {
    let before = draft.spec.clone();
    draft.removed_tool = None;
    if !draft.spec["tools"].is_array() {
        set(&mut draft.spec, "/tools", json!([]));
    }
    let tools = draft.spec["tools"].as_array_mut()?;
    tools.push(json!({ "kind": kind }));
    let field = if kind == "mantyx" { "id" } else { "name" };
    let focus = dom_id(&format!("t/tools/{}/{field}", tools.len() - 1));
    draft.after_spec_change(&before);
    Some(focus)
}

/// Adds an uploaded file, or the address of one, to a message.
fn attach(draft: &mut LaunchDraft, message: &str, form: &SubmittedForm) {
    let list = format!("{message}/attachments");
    draft.reported_errors.retain(|error| !error.path.starts_with(&list));
    let mut files = Vec::new();
    if let Some(file) = upload(form, &format!("f{list}")) {
        if files::inline_bytes(&draft.spec) + file.bytes.len() > MAX_INLINE_BYTES {
            let message = format!("{} is not attached: all files together may have at most 5 MB.", file.file_name);
            draft.reported_errors.push(field_error(list, "too_long", message));
            return;
        }
        let data = STANDARD.encode(&file.bytes);
        files.push(json!({ "type": "input_file", "mimeType": file.mime, "filename": file.file_name, "data": data }));
    }
    let url = draft.file_urls.remove(&list).unwrap_or_default();
    if !url.trim().is_empty() {
        files.push(json!({ "type": "input_file_url", "url": url.trim() }));
    }
    let before = draft.spec.clone();
    let mut all = draft.spec.pointer(&list).and_then(Value::as_array).cloned().unwrap_or_default();
    all.extend(files);
    if !all.is_empty() {
        set(&mut draft.spec, &list, all.into());
    }
    draft.after_spec_change(&before);
}

/// Saves the draft as a new template, or replaces one.
async fn save_template(
    state: &AppState,
    launcher: &Launcher,
    draft: &mut LaunchDraft,
    id: Option<String>,
) -> Result<Outcome, Error> {
    draft.general_error = None;
    let name = draft.template.name.trim().to_owned();
    let change = TemplateChange {
        id,
        name: name.clone(),
        notes: draft.template.notes.trim().to_owned(),
        shared: draft.template.shared,
        content: LaunchContent { spec: draft.spec.clone(), answers: draft.answers.clone() },
    };
    match templates::save(state, launcher, change).await.map_err(AppError::from) {
        Ok(id) => {
            draft.template.id = Some(id);
            draft.success = Some(format!("Kept as the template “{name}”."));
            Ok(Outcome::Form { focus: None })
        }
        Err(AppError::Invalid { message, .. }) => {
            draft.reported_errors = vec![field_error("/template/name".to_owned(), "template", message)];
            Ok(Outcome::Form { focus: Some(dom_id("q:template-name")) })
        }
        Err(error) => record_error(draft, error),
    }
}

/// Returns a chosen file. Browsers send an empty one if none was chosen.
fn upload<'a>(form: &'a SubmittedForm, name: &str) -> Option<&'a UploadedFile> {
    form.uploads.iter().find(|upload| upload.name == name && !upload.bytes.is_empty())
}
