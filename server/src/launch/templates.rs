//! Templates: saved sealed, limited in size, private or shared with the workspace.

use app::AppError;
use app::launch::draft::TemplateFields;
use protocol::redact::remove_header_values;

use super::{LaunchContent, Launcher, built_in_templates};
use crate::answers::without_secrets;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;
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
pub async fn list(state: &AppState, launcher: &Launcher) -> Result<Vec<Template>, Error> {
    let stored = state.store.templates(launcher.caller.workspace_id, &launcher.subject).await?;
    let readable = stored.into_iter().filter_map(|stored| {
        // Skips templates that were sealed with a lost key.
        let json = state.vault.open_sealed(purpose::TEMPLATE, &stored.sealed).ok()?;
        let content: LaunchContent = serde_json::from_slice(&json).ok()?;
        let is_mine = stored.subject == launcher.subject;
        let owner = if is_mine { TemplateOwner::Me } else { TemplateOwner::Colleague(stored.email) };
        let StoredTemplate { id, name, notes, shared, .. } = stored;
        Some(Template { id, name, notes, shared, owner, content })
    });
    let sandbox = state.sign_in.sandbox.then(|| format!("http://{}", state.mantyx.host()));
    Ok(readable.chain(built_in_templates::list(sandbox.as_deref())).collect())
}

/// Saves a new template, or replaces one. Returns its id.
pub async fn save(
    state: &AppState,
    launcher: &Launcher,
    id: Option<String>,
    fields: &TemplateFields,
    content: LaunchContent,
) -> Result<String, Error> {
    let workspace = launcher.caller.workspace_id;
    let (name, notes) = (fields.name.trim(), fields.notes.trim());
    let content = if fields.shared { shareable(content) } else { content };
    let json = serde_json::to_vec(&content).unwrap_or_default();
    let problem = if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
        format!("Give it a name of at most {MAX_NAME_CHARS} characters.")
    } else if notes.chars().count() > MAX_NOTES_CHARS {
        format!("Its notes may have at most {MAX_NOTES_CHARS} characters.")
    } else if !content.spec.is_object() {
        "A run spec is a JSON object.".to_owned()
    } else if json.len() > MAX_TEMPLATE_BYTES {
        "A template may have at most 512 KB.".to_owned()
    } else {
        String::new()
    };
    if !problem.is_empty() {
        return Err(invalid(problem));
    }
    // A new template gets its id here, so that each one is counted.
    let is_new = id.is_none();
    let template = StoredTemplate {
        id: id.unwrap_or_else(crate::random::reference),
        subject: launcher.subject.clone(),
        email: launcher.email.clone(),
        shared: fields.shared,
        name: name.to_owned(),
        notes: notes.to_owned(),
        sealed: state.vault.seal(purpose::TEMPLATE, &json),
        changed_at_ms: now_ms(),
    };
    let saved = match is_new {
        true => state.store.insert_template(workspace, &template, MAX_TEMPLATES).await?,
        false => state.store.update_template(workspace, &template).await?,
    };
    match saved {
        true => Ok(template.id),
        false if is_new => {
            let message = format!("You already have {MAX_TEMPLATES} templates. Delete one first.");
            Err(invalid(message))
        }
        false => Err(not_yours().into()),
    }
}

fn not_yours() -> AppError {
    let message = "This template belongs to a colleague or was deleted. Save it under another name.";
    AppError::Forbidden { message: message.to_owned() }
}

pub async fn delete(state: &AppState, launcher: &Launcher, id: &str) -> Result<(), Error> {
    match state.store.delete_template(launcher.caller.workspace_id, &launcher.subject, id).await? {
        true => Ok(()),
        false => Err(AppError::not_found("template of yours").into()),
    }
}

/// Removes header values, which others must not see.
pub fn shareable(mut content: LaunchContent) -> LaunchContent {
    content.answers = without_secrets(content.answers);
    remove_header_values(&mut content.spec);
    content
}

fn invalid(message: String) -> Error {
    AppError::Invalid { field: "template".to_owned(), message }.into()
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
