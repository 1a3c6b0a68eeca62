//! What the buttons of the page do.

use app::AppError;
use app::launch::{BatchRequest, LaunchContent, LaunchRequest, LightState, Question, TemplateDraft, ToolCheck};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::url::encode;
use protocol::validate::{FieldError, MAX_INLINE_BYTES};
use serde_json::{Value, json};

use super::super::{Launcher, batch, launch, library, preflight};
use super::faults::{self, fault};
use super::place::set;
use super::work::Work;
use super::{Posted, Upload, dom_id, files, keyed, pass, peers, rows, session};
use crate::error::Error;
use crate::state::AppState;

/// Where the page tells why a button came to nothing.
const REFUSAL: &str = "refusal";

pub enum After {
    /// The page again, and where to go on in it.
    Page {
        focus: Option<String>,
    },
    Done(String),
}

pub async fn act(
    state: &AppState,
    launcher: &Launcher,
    work: &mut Work,
    action: &str,
    posted: &Posted,
) -> Result<After, Error> {
    let (verb, object) = action.split_once(':').unwrap_or((action, ""));
    let mut focus = None;
    match verb {
        "launch" if work.unsure => return Ok(unsure(work)),
        "launch" => return press_launch(state, launcher, work).await,
        "launch-again" => {
            if std::mem::take(&mut work.unsure) {
                work.key = crate::random::token();
            }
            return press_launch(state, launcher, work).await;
        }
        "batch" => return launch_batch(state, launcher, work, posted).await,
        "check" => {
            work.tried = true;
            check_tools(state, launcher, work).await?;
        }
        "reset" => {
            *work = Work { fresh: true, ..keyed(Work::new()) };
            pass::give(&state.vault, work, launcher);
            focus = Some(dom_id("t/prompt"));
        }
        "add" => focus = add_tool(work, object),
        "add-message" => {
            let before = work.spec.clone();
            if let Some(messages) = work.spec["messages"].as_array_mut() {
                focus = Some(dom_id(&format!("t/messages/{}/content", messages.len())));
                messages.push(json!({ "role": "user", "content": "" }));
            }
            work.spec_changed(&before);
        }
        "drop" => {
            if let Some((list, Ok(at))) = object.rsplit_once('/').map(|(list, at)| (list, at.parse())) {
                match list.starts_with("/tools") {
                    true => work.remove_tool(list, at),
                    false => work.drop_item(list, at),
                }
                focus = Some(list.split('/').nth(1).unwrap_or("tools").to_owned());
            }
        }
        "undo-remove" => focus = work.bring_back().map(|place| dom_id(&place)),
        "drop-property" => {
            if let Some((schema, Ok(at))) = object.rsplit_once('#').map(|(schema, at)| (schema, at.parse())) {
                let before = work.spec.clone();
                rows::drop_property(work, schema, at);
                work.spec_changed(&before);
                focus = Some(dom_id(&format!("p{schema}#{at}.name")));
            }
        }
        "attach" => attach(work, object, posted),
        "discover" => peers::discover(state, work, object).await,
        "card" => peers::take_card(state, work, object, upload(posted, &format!("f{object}/agentCard"))).await,
        "save-template" => return save_template(state, launcher, work, None).await,
        "update-template" => return save_template(state, launcher, work, Some(object.to_owned())).await,
        "delete-template" => {
            work.template.to_delete = Some(object.to_owned());
            focus = Some("fold-keep".to_owned());
        }
        "keep-template" => work.template.to_delete = None,
        "delete-for-good" => {
            work.template.to_delete = None;
            library::delete_template(state, launcher, object).await?;
            work.template.id = work.template.id.take().filter(|id| id != object);
            work.done = Some("The template is deleted.".to_owned());
        }
        _ => {}
    }
    Ok(After::Page { focus })
}

async fn press_launch(state: &AppState, launcher: &Launcher, work: &mut Work) -> Result<After, Error> {
    if !is_ready(state, launcher, work, faults::of).await? {
        return Ok(After::Page { focus: Some("problems".to_owned()) });
    }
    let request = LaunchRequest {
        key: work.key.clone(),
        mode: work.mode.clone(),
        spec: work.spec.clone(),
        answers: work.answers.clone(),
    };
    match launch(state, launcher, &request).await {
        Ok(launched) => {
            begin_anew(work);
            Ok(After::Done(format!("/runs/{}", launched.run_id)))
        }
        Err(Error::Unconfirmed) => Ok(unsure(work)),
        Err(error) => refused(work, error.into()),
    }
}

/// A run may have come of it: the key stays, and launching once more has a button of its own.
fn unsure(work: &mut Work) -> After {
    work.unsure = true;
    work.sign_in = false;
    work.message = Some(AppError::from(Error::Unconfirmed).to_string());
    After::Page { focus: Some(REFUSAL.to_owned()) }
}

/// Whether nothing stands in the way of a launch. What does is told at its place. Peers are looked at again each time: they
/// may have gone since.
async fn is_ready(
    state: &AppState,
    launcher: &Launcher,
    work: &mut Work,
    faults: fn(&Work) -> Vec<FieldError>,
) -> Result<bool, Error> {
    work.tried = true;
    work.refused.clear();
    work.message = None;
    if !faults(work).is_empty() {
        return Ok(false);
    }
    check_tools(state, launcher, work).await?;
    work.refused = work.checks.iter().flat_map(red_lights).collect();
    Ok(work.refused.is_empty())
}

fn red_lights(check: &ToolCheck) -> impl Iterator<Item = FieldError> {
    let red = check.lights.iter().filter(|light| light.state == LightState::Bad);
    red.map(|light| {
        let own = matches!(check.kind.as_str(), "local" | "a2a_local") && light.what == Question::Answered;
        let place = if own { format!("/answers/{}", check.name) } else { check.path.clone() };
        let fix = light.fix.as_deref().unwrap_or_default();
        fault(place, "preflight", format!("{} {fix}", light.message).trim())
    })
}

/// The next launch is another one, though the form says the same.
fn begin_anew(work: &mut Work) {
    work.key = crate::random::token();
    work.tried = false;
    work.earlier = false;
    work.removed = None;
    work.unsure = false;
    work.checks.clear();
}

/// What kept a launch from happening, at its field where it has one.
fn refused(work: &mut Work, error: AppError) -> Result<After, Error> {
    work.sign_in = matches!(error, AppError::Forbidden { .. });
    match error {
        AppError::SignedOut => return Err(error.into()),
        AppError::Fields { errors } => work.refused = errors,
        AppError::NotFound { ref what } if what == "session" => {
            work.refused = vec![fault("/session".to_owned(), "session", error.advice())];
        }
        AppError::Conflict { .. } => {
            work.key = crate::random::token();
            work.message = Some(error.to_string());
        }
        other => work.message = Some(other.to_string()),
    }
    let focus = if work.message.is_some() { REFUSAL } else { "problems" };
    Ok(After::Page { focus: Some(focus.to_owned()) })
}

async fn check_tools(state: &AppState, launcher: &Launcher, work: &mut Work) -> Result<(), Error> {
    let content = LaunchContent { spec: work.spec.clone(), answers: work.answers.clone() };
    work.checks = preflight::run(state, launcher, &content).await?;
    if let Some(content) = session::tools_answered_here(work) {
        let of_session = preflight::run(state, launcher, &content).await?;
        let moved = |check: ToolCheck| ToolCheck { path: format!("/session{}", check.path), ..check };
        work.checks.extend(of_session.into_iter().map(moved));
    }
    Ok(())
}

async fn launch_batch(state: &AppState, launcher: &Launcher, work: &mut Work, posted: &Posted) -> Result<After, Error> {
    if let Some(file) = upload(posted, "f:inputs") {
        work.batch.inputs = String::from_utf8_lossy(&file.bytes).into_owned();
    }
    if !is_ready(state, launcher, work, faults::of_batch).await? {
        return Ok(After::Page { focus: Some("problems".to_owned()) });
    }
    let word =
        |text: &str, otherwise: &str| Some(text.trim()).filter(|text| !text.is_empty()).unwrap_or(otherwise).to_owned();
    let request = BatchRequest {
        key: work.key.clone(),
        spec: work.spec.clone(),
        answers: work.answers.clone(),
        inputs: work.batch.inputs.clone(),
        tag_key: word(&work.batch.tag_key, "batch"),
        tag_value: word(&work.batch.tag_value, &work.key.chars().take(8).collect::<String>()),
    };
    match batch::begin(state, launcher, &request).await.map_err(AppError::from) {
        Ok(batch) => {
            begin_anew(work);
            let query = encode(&batch.query);
            Ok(After::Done(format!("/runs?q={query}&batch={}", batch.id)))
        }
        Err(AppError::Invalid { message, .. }) => {
            work.refused = vec![fault("/batch/inputs".to_owned(), "batch", message)];
            Ok(After::Page { focus: Some(dom_id("q:inputs")) })
        }
        Err(error) => {
            work.tried = true;
            refused(work, error)
        }
    }
}

fn add_tool(work: &mut Work, kind: &str) -> Option<String> {
    let before = work.spec.clone();
    work.removed = None;
    if !work.spec["tools"].is_array() {
        set(&mut work.spec, "/tools", json!([]));
    }
    let tools = work.spec["tools"].as_array_mut()?;
    tools.push(json!({ "kind": kind }));
    let field = if kind == "mantyx" { "id" } else { "name" };
    let focus = dom_id(&format!("t/tools/{}/{field}", tools.len() - 1));
    work.spec_changed(&before);
    Some(focus)
}

/// Adds a file that was sent along, or the address of one, to a message.
fn attach(work: &mut Work, message: &str, posted: &Posted) {
    let list = format!("{message}/attachments");
    work.refused.retain(|fault| !fault.path.starts_with(&list));
    let mut files = Vec::new();
    if let Some(file) = upload(posted, &format!("f{list}")) {
        if files::inline_bytes(&work.spec) + file.bytes.len() > MAX_INLINE_BYTES {
            let message = format!("{} is not attached: all files together may have at most 5 MB.", file.file_name);
            work.refused.push(fault(list, "too_long", message));
            return;
        }
        let data = STANDARD.encode(&file.bytes);
        files.push(json!({ "type": "input_file", "mimeType": file.mime, "filename": file.file_name, "data": data }));
    }
    let url = work.file_urls.remove(&list).unwrap_or_default();
    if !url.trim().is_empty() {
        files.push(json!({ "type": "input_file_url", "url": url.trim() }));
    }
    let before = work.spec.clone();
    let mut all = work.spec.pointer(&list).and_then(Value::as_array).cloned().unwrap_or_default();
    all.extend(files);
    if !all.is_empty() {
        set(&mut work.spec, &list, all.into());
    }
    work.spec_changed(&before);
}

/// Keeps the work as a new template, or in the place of one.
async fn save_template(
    state: &AppState,
    launcher: &Launcher,
    work: &mut Work,
    id: Option<String>,
) -> Result<After, Error> {
    work.message = None;
    let name = work.template.name.trim().to_owned();
    let draft = TemplateDraft {
        id,
        name: name.clone(),
        notes: work.template.notes.trim().to_owned(),
        shared: work.template.shared,
        content: LaunchContent { spec: work.spec.clone(), answers: work.answers.clone() },
    };
    match library::save_template(state, launcher, draft).await.map_err(AppError::from) {
        Ok(id) => {
            work.template.id = Some(id);
            work.done = Some(format!("Kept as the template “{name}”."));
            Ok(After::Page { focus: None })
        }
        Err(AppError::Invalid { message, .. }) => {
            work.refused = vec![fault("/template/name".to_owned(), "template", message)];
            Ok(After::Page { focus: Some(dom_id("q:template-name")) })
        }
        Err(error) => refused(work, error),
    }
}

/// A file that was chosen: browsers send an empty one where none was.
fn upload<'a>(posted: &'a Posted, name: &str) -> Option<&'a Upload> {
    posted.uploads.iter().find(|upload| upload.name == name && !upload.bytes.is_empty())
}
