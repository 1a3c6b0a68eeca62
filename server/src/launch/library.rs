//! Templates and drafts: sealed, size-capped, bound to a person and a workspace.

use app::AppError;
use app::launch::{LaunchContent, Template, TemplateDraft, TemplateOwner};
use serde_json::Value;

use super::{Launcher, built_in};
use crate::answers::without_secrets;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;
use crate::store::StoredTemplate;

const MAX_TEMPLATE_BYTES: usize = 512 * 1024;
const MAX_TEMPLATES: i64 = 200;
const MAX_NAME_CHARS: usize = 120;
const MAX_NOTES_CHARS: usize = 4_000;
/// A spec with 5 MB of files in it, as base64, and what the page knows beside.
pub const MAX_DRAFT_BYTES: usize = 10 * 1024 * 1024;
const TEMPLATE: &str = "template";
const DRAFT: &str = "draft";

/// A person's own templates and shared ones, then those that teach.
pub async fn templates(state: &AppState, launcher: &Launcher) -> Result<Vec<Template>, Error> {
    let stored = state.store.templates(launcher.caller.workspace_id, &launcher.subject).await?;
    let readable = stored.into_iter().filter_map(|stored| {
        // Sealed with a key that is gone: nothing to show.
        let json = state.vault.open_sealed(TEMPLATE, &stored.sealed).ok()?;
        let content: LaunchContent = serde_json::from_slice(&json).ok()?;
        let mine = stored.subject == launcher.subject;
        let owner = if mine { TemplateOwner::Me } else { TemplateOwner::Colleague(stored.email) };
        let StoredTemplate { id, name, notes, shared, changed_at_ms, .. } = stored;
        Some(Template { id, name, notes, shared, owner, changed_at_ms, content })
    });
    let sandbox = state.sign_in.sandbox.then(|| format!("http://{}", state.mantyx.host()));
    Ok(readable.chain(built_in::templates(sandbox.as_deref())).collect())
}

pub async fn save_template(state: &AppState, launcher: &Launcher, draft: TemplateDraft) -> Result<String, Error> {
    let workspace = launcher.caller.workspace_id;
    let name = draft.name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
        return Err(invalid("name", format!("Give it a name of at most {MAX_NAME_CHARS} characters.")));
    }
    if draft.notes.chars().count() > MAX_NOTES_CHARS {
        return Err(invalid("notes", format!("Use at most {MAX_NOTES_CHARS} characters.")));
    }
    if !draft.content.spec.is_object() {
        return Err(invalid("spec", "A run spec is a JSON object.".to_owned()));
    }
    if draft.id.is_none() && state.store.count_templates(workspace, &launcher.subject).await? >= MAX_TEMPLATES {
        return Err(invalid(
            "name",
            format!("You have {MAX_TEMPLATES} templates, the most there can be. Delete one first."),
        ));
    }
    let content = if draft.shared { shareable(draft.content) } else { draft.content };
    let json = serde_json::to_vec(&content).unwrap_or_default();
    if json.len() > MAX_TEMPLATE_BYTES {
        return Err(invalid("spec", "A template may have at most 512 KB.".to_owned()));
    }
    let template = StoredTemplate {
        id: draft.id.unwrap_or_else(crate::random::reference),
        subject: launcher.subject.clone(),
        email: launcher.email.clone(),
        shared: draft.shared,
        name: name.to_owned(),
        notes: draft.notes,
        sealed: state.vault.seal(TEMPLATE, &json),
        changed_at_ms: now_ms(),
    };
    if !state.store.save_template(workspace, &template).await? {
        let message = "This template is a colleague's. Save it under a name of your own.".to_owned();
        return Err(AppError::Forbidden { message }.into());
    }
    Ok(template.id)
}

pub async fn delete_template(state: &AppState, launcher: &Launcher, id: &str) -> Result<(), Error> {
    match state.store.delete_template(launcher.caller.workspace_id, &launcher.subject, id).await? {
        true => Ok(()),
        false => Err(AppError::not_found("template of yours").into()),
    }
}

/// Where a draft is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Current,
    /// What was written before something else was begun.
    Earlier,
}

impl Slot {
    /// Drafts are a row for each person; the earlier one stands beside it, under a name that nobody has.
    fn key(self, launcher: &Launcher) -> String {
        match self {
            Self::Current => launcher.subject.clone(),
            Self::Earlier => format!("{}\n(earlier)", launcher.subject),
        }
    }
}

pub async fn draft(state: &AppState, launcher: &Launcher, slot: Slot) -> Result<Option<String>, Error> {
    let stored = state.store.draft(launcher.caller.workspace_id, &slot.key(launcher)).await?;
    Ok(stored.and_then(|(sealed, _)| String::from_utf8(state.vault.open_sealed(DRAFT, &sealed).ok()?).ok()))
}

pub async fn save_draft(state: &AppState, launcher: &Launcher, slot: Slot, text: &str) -> Result<(), Error> {
    let (workspace, key) = (launcher.caller.workspace_id, slot.key(launcher));
    if text.len() > MAX_DRAFT_BYTES {
        return Err(invalid("text", "A draft may have at most 10 MB; this one is not kept.".to_owned()));
    }
    let sealed = state.vault.seal(DRAFT, text.as_bytes());
    Ok(state.store.save_draft(workspace, &key, &sealed, now_ms()).await?)
}

/// Credentials are a person's own: what others see goes without header values.
pub fn shareable(mut content: LaunchContent) -> LaunchContent {
    content.answers = without_secrets(content.answers);
    let tools = content.spec.get_mut("tools").and_then(Value::as_array_mut);
    for tool in tools.into_iter().flatten() {
        let headers = tool.get_mut("headers").and_then(Value::as_object_mut);
        for value in headers.into_iter().flat_map(|headers| headers.values_mut()) {
            *value = Value::String(String::new());
        }
    }
    content
}

fn invalid(field: &str, message: String) -> Error {
    AppError::Invalid { field: field.to_owned(), message }.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_shared_differs_in_header_values_alone() {
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
