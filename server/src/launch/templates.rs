//! Templates: saved sealed, limited in size, private or shared with the workspace.

use app::AppError;
use app::launch::ControlKind;
use app::launch::draft::LaunchDraft;
use domain::AuditAction;
use protocol::redact::remove_header_values;

use super::{LaunchContent, Launcher, built_in_templates};
use crate::answers::without_secrets;
use crate::clock::now_ms;
use crate::error::Error;
use crate::store::StoredTemplate;
use crate::vault::purpose;

const MAX_TEMPLATE_BYTES: usize = 512 * 1024;
const MAX_TEMPLATES: i64 = 200;
const MAX_NAME_CHARS: usize = 120;
const MAX_NOTES_CHARS: usize = 4_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pub id: String,
    pub name: String,
    pub notes: String,
    /// The whole workspace sees it. Header values are left out then.
    pub shared: bool,
    pub owner: TemplateOwner,
    pub content: LaunchContent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateOwner {
    BuiltIn,
    Me,
    /// A colleague's email address.
    Colleague(String),
}

/// Returns the user's own templates and shared ones, then the built-in ones.
pub async fn list(launcher: &Launcher<'_>) -> Result<Vec<Template>, Error> {
    let state = launcher.state;
    let stored = state.store.templates(launcher.workspace(), &launcher.subject).await?;
    let readable = stored.into_iter().filter_map(|stored| {
        // Skips templates that were sealed with a lost key.
        let content = state.vault.open_json(purpose::TEMPLATE, &stored.sealed).ok()?;
        let is_mine = stored.subject == launcher.subject;
        let owner = if is_mine { TemplateOwner::Me } else { TemplateOwner::Colleague(stored.email) };
        let StoredTemplate { id, name, notes, shared, .. } = stored;
        Some(Template { id, name, notes, shared, owner, content })
    });
    let sandbox = state.sign_in.sandbox.then(|| format!("http://{}", state.mantyx.host()));
    Ok(readable.chain(built_in_templates::list(sandbox.as_deref())).collect())
}

/// Saves a draft as a new template, or replaces one. Returns its id.
pub async fn save(launcher: &Launcher<'_>, id: Option<String>, draft: &LaunchDraft) -> Result<String, Error> {
    let (state, workspace) = (launcher.state, launcher.workspace());
    let text = |name: &str| draft.unfinished.text(&ControlKind::Other.at(name)).trim();
    let (name, notes, shared) = (text("template.name"), text("template.notes"), text("template.shared") == "true");
    let content = LaunchContent::of(draft);
    let content = if shared { shareable(content) } else { content };
    let json = serde_json::to_vec(&content).unwrap_or_default();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
        return Err(invalid(format!("Give it a name of at most {MAX_NAME_CHARS} characters.")));
    } else if notes.chars().count() > MAX_NOTES_CHARS {
        return Err(invalid(format!("Its notes may have at most {MAX_NOTES_CHARS} characters.")));
    } else if !content.spec.is_object() {
        return Err(invalid("A run spec is a JSON object."));
    } else if json.len() > MAX_TEMPLATE_BYTES {
        return Err(invalid("A template may have at most 512 KB."));
    }
    // A new template gets its id here, so that each one is counted.
    let is_new = id.is_none();
    let template = StoredTemplate {
        id: id.unwrap_or_else(crate::random::reference),
        subject: launcher.subject.clone(),
        email: launcher.email.clone(),
        shared,
        name: name.to_owned(),
        notes: notes.to_owned(),
        sealed: state.vault.seal(purpose::TEMPLATE, &json),
        changed_at_ms: now_ms(),
    };
    let was_shared = !is_new && is_shared(launcher, &template.id).await?;
    let action = match (was_shared, shared) {
        (false, true) => Some(AuditAction::ShareTemplate),
        (true, _) => Some(AuditAction::ChangeSharedTemplate),
        (false, false) => None,
    };
    let entry = action.map(|action| launcher.entry(action).about(&template.id));
    if is_new && !state.store.insert_template(workspace, &template, MAX_TEMPLATES, entry.as_ref()).await? {
        return Err(invalid(format!("You already have {MAX_TEMPLATES} templates. Delete one first.")));
    }
    if !is_new && !state.store.update_template(workspace, &template, entry.as_ref()).await? {
        let message = "This template belongs to a colleague or was deleted. Save it under another name.".to_owned();
        return Err(AppError::Forbidden { message }.into());
    }
    Ok(template.id)
}

pub async fn delete(launcher: &Launcher<'_>, id: &str) -> Result<(), Error> {
    let is_shared = is_shared(launcher, id).await?;
    let entry = is_shared.then(|| launcher.entry(AuditAction::DeleteSharedTemplate).about(id));
    let (store, workspace) = (&launcher.state.store, launcher.workspace());
    match store.delete_template(workspace, &launcher.subject, id, entry.as_ref()).await? {
        true => Ok(()),
        false => Err(AppError::not_found("template").into()),
    }
}

/// Returns true if the user has a template with this id that the workspace sees.
async fn is_shared(launcher: &Launcher<'_>, id: &str) -> Result<bool, Error> {
    let stored = launcher.state.store.templates(launcher.workspace(), &launcher.subject).await?;
    Ok(stored.iter().any(|template| template.id == id && template.subject == launcher.subject && template.shared))
}

/// Removes header values, which others must not see.
pub fn shareable(mut content: LaunchContent) -> LaunchContent {
    content.answers = without_secrets(content.answers);
    remove_header_values(&mut content.spec);
    content
}

fn invalid(message: impl Into<String>) -> Error {
    AppError::invalid("template", message).into()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn only_header_values_are_removed() {
        let check = |spec: Value, expected: Value| {
            let shared = shareable(LaunchContent { spec, ..LaunchContent::default() });
            assert_eq!(shared.spec, expected);
        };
        check(json!({ "prompt": "p" }), json!({ "prompt": "p" }));
        check(json!({ "tools": ["odd", { "kind": "local" }] }), json!({ "tools": ["odd", { "kind": "local" }] }));
        check(json!({ "tools": [{ "headers": { "a": "secret" } }] }), json!({ "tools": [{ "headers": { "a": "" } }] }));
        check(json!("odd"), json!("odd"));
    }
}
