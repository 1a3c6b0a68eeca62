//! The actions of the form's buttons.

use app::AppError;
use app::launch::control_name::dom_id;
use app::launch::draft::rows::Table;
use app::launch::draft::{LaunchDraft, files};
use app::launch::{ControlKind, ControlName};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use protocol::validate::{FieldError, MAX_INLINE_BYTES};
use serde_json::json;

use super::super::Launcher;
use super::super::templates;
use super::action::{Action, Verb};
use super::start::{self, record_error, refuse};
use super::{Outcome, SubmittedForm, form_ownership, peers, session, with_new_key};
use crate::auth::scopes;
use crate::error::Error;
use crate::launch;

pub async fn act(
    launcher: &Launcher<'_>,
    draft: &mut LaunchDraft,
    action: Action,
    form: &SubmittedForm,
) -> Result<Outcome, Error> {
    session::load(launcher, draft).await?;
    let mut focus = None;
    let may_launch = [scopes::RUNS_WRITE, launch::scope_of(&draft.mode)];
    if action.verb.needs_write() && !may_launch.iter().any(|scope| scopes::includes(&launcher.scopes, scope)) {
        return record_error(draft, AppError::MissingScope { scope: scopes::RUNS_WRITE.to_owned() });
    }
    match action.verb {
        Verb::Update => start::read_batch_file(draft, form),
        Verb::Launch | Verb::LaunchAgain if !attach_chosen_files(draft, form) => focus = Some("problems".to_owned()),
        Verb::Launch => return start::launch_run(launcher, draft).await,
        Verb::LaunchAgain => return start::launch_again(launcher, draft).await,
        Verb::LaunchBatch => return start::launch_batch(launcher, draft, form).await,
        Verb::CheckTools => {
            draft.last_action.launch_attempted = true;
            start::check_tools(launcher, draft).await?;
        }
        Verb::Reset => {
            *draft = with_new_key(LaunchDraft::new());
            draft.ownership.is_new = true;
            draft.ownership.page = crate::random::reference();
            form_ownership::assign(draft, launcher);
            focus = Some(ControlName::field("/prompt").dom_id());
        }
        Verb::AddTool => focus = add_tool(draft, &action.object),
        Verb::AddMessage => focus = add_message(draft),
        Verb::Remove => focus = remove(draft, &action),
        Verb::UndoRemove => focus = draft.restore_removed_tool().map(|place| dom_id(&place)),
        Verb::Attach => attach(draft, &action.object, form),
        Verb::DiscoverTools => peers::discover(&launcher.peers(), draft, &action.object).await,
        Verb::LoadCard => {
            let card = ControlKind::File.at(&format!("{}/agentCard", action.object));
            peers::load_card(&launcher.peers(), draft, &action.object, form.upload(&card)).await;
        }
        Verb::SaveTemplate => return save_template(launcher, draft, None).await,
        Verb::UpdateTemplate => return save_template(launcher, draft, Some(action.object)).await,
        Verb::DeleteTemplate => {
            draft.unfinished.template_to_delete = Some(action.object);
            focus = Some("fold-keep".to_owned());
        }
        Verb::KeepTemplate => draft.unfinished.template_to_delete = None,
        Verb::ConfirmDelete => {
            draft.unfinished.template_to_delete = None;
            templates::delete(launcher, &action.object).await?;
            draft.unfinished.template_id.take_if(|current| *current == action.object);
            draft.last_action.success = Some("The template is deleted.".to_owned());
        }
    }
    Ok(Outcome::Form { focus })
}

/// Returns the element to focus.
fn remove(draft: &mut LaunchDraft, action: &Action) -> Option<String> {
    if let Some((schema, index)) = action.list_and_index('#') {
        let before = draft.spec.clone();
        Table::Schema.remove(draft, schema, index);
        draft.after_spec_change(&before);
        return Some(ControlName::row(schema, index, "name").dom_id());
    }
    let (list, index) = action.list_and_index('/')?;
    match list.starts_with("/tools") {
        true => draft.remove_tool(list, index),
        false => draft.remove_item(list, index),
    }
    Some(if list.starts_with("/messages") { "what" } else { "tools" }.to_owned())
}

fn add_message(draft: &mut LaunchDraft) -> Option<String> {
    let at = draft.insert_item("/messages", usize::MAX, json!({ "role": "user", "content": "" }))?;
    Some(ControlName::field(&format!("/messages/{at}/content")).dom_id())
}

fn add_tool(draft: &mut LaunchDraft, kind: &str) -> Option<String> {
    draft.unfinished.removed_tool = None;
    let at = draft.insert_item("/tools", usize::MAX, json!({ "kind": kind }))?;
    let field = if kind == "mantyx" { "id" } else { "name" };
    Some(ControlName::field(&format!("/tools/{at}/{field}")).dom_id())
}

/// Attaches files that were chosen and not attached yet. Returns `false` if one could not be attached.
fn attach_chosen_files(draft: &mut LaunchDraft, form: &SubmittedForm) -> bool {
    let messages = draft.spec["messages"].as_array().map_or(0, Vec::len);
    for message in (0..messages).map(|i| format!("/messages/{i}")) {
        let list = format!("{message}/attachments");
        let has_url = !draft.unfinished.text(&ControlKind::FileUrl.at(&list)).trim().is_empty();
        if has_url || form.upload(&ControlKind::File.at(&list)).is_some() {
            attach(draft, &message, form);
            if draft.last_action.reported_errors.iter().any(|error| error.path.starts_with(&list)) {
                return false;
            }
        }
    }
    true
}

/// Adds an uploaded file, or the address of one, to a message.
fn attach(draft: &mut LaunchDraft, message: &str, form: &SubmittedForm) {
    let list = format!("{message}/attachments");
    draft.last_action.report(&list, None);
    let mut files = Vec::new();
    if let Some(file) = form.upload(&ControlKind::File.at(&list)) {
        if files::inline_bytes(&draft.spec) + file.bytes.len() > MAX_INLINE_BYTES {
            let message = format!("{} is not attached: all files together may have at most 5 MB.", file.file_name);
            return draft.last_action.report(&list, Some(FieldError::new(&list, "too_long", message)));
        }
        let data = STANDARD.encode(&file.bytes);
        files.push(json!({ "type": "input_file", "mimeType": file.mime, "filename": file.file_name, "data": data }));
    }
    let url = draft.unfinished.texts.remove(&ControlKind::FileUrl.at(&list).to_string()).unwrap_or_default();
    if !url.trim().is_empty() {
        files.push(json!({ "type": "input_file_url", "url": url.trim() }));
    }
    for file in files {
        draft.insert_item(&list, usize::MAX, file);
    }
}

/// Saves the draft as a new template, or replaces one.
async fn save_template(launcher: &Launcher<'_>, draft: &mut LaunchDraft, id: Option<String>) -> Result<Outcome, Error> {
    draft.last_action.general_error = None;
    match templates::save(launcher, id, draft).await.map_err(AppError::from) {
        Ok(id) => {
            let name = draft.unfinished.text(&ControlKind::Other.at("template.name")).trim().to_owned();
            draft.unfinished.template_id = Some(id);
            draft.last_action.success = Some(format!("Saved as the template “{name}”."));
            Ok(Outcome::Form { focus: None })
        }
        Err(AppError::Invalid { message, .. }) => Ok(refuse(draft, "template.name", message)),
        Err(error) => record_error(draft, error),
    }
}
