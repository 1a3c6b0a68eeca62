//! Creates the draft that the form opens with: from a run, a template, a session, the saved draft, or nothing.

use app::AppError;
use app::launch::draft::{LaunchDraft, Origin, files};
use app::launch::{ControlKind, LaunchEntry, LaunchMode};
use protocol::ids;
use protocol::json::preview;
use protocol::json_pointer;
use protocol::spec::prompt_text;
use serde_json::{Value, json};

use super::super::templates::{self, Template, TemplateOwner};
use super::super::{LaunchContent, Launcher, content_of_run};
use super::draft_store::{self, Slot};
use super::{form_ownership, larger_model, session, with_new_key};
use crate::error::Error;

/// Characters of the saved draft's prompt in its notice.
const PROMPT_CHARS: usize = 60;
/// Asks for the next larger model of the catalogue.
const LARGER_MODEL: &str = "/modelId=?larger";

/// Returns a draft that belongs to the launcher, with its session loaded.
pub async fn start_draft(launcher: &Launcher<'_>, entry: &LaunchEntry) -> Result<LaunchDraft, Error> {
    let mut draft = if let Some(run_id) = &entry.like {
        let content = content_of_run(launcher, run_id).await?;
        from_origin(content, format!("the run {run_id}"), Some(format!("/runs/{run_id}")))
    } else if let Some(id) = &entry.template {
        let found = templates::list(launcher).await?.into_iter().find(|template| template.id == *id);
        let template = found.ok_or_else(|| AppError::not_found("template"))?;
        let Template { id, name, notes, shared, owner, content, .. } = template;
        let mut draft = from_origin(content, format!("the template “{name}”"), None);
        if owner == TemplateOwner::Me {
            let shared = if shared { "true" } else { "" };
            for (control, text) in
                [("template.name", name.as_str()), ("template.notes", &notes), ("template.shared", shared)]
            {
                draft.unfinished.set_text(&ControlKind::Other.at(control), text);
            }
            draft.unfinished.template_id = Some(id);
        }
        draft
    } else if entry.session.is_some() {
        new_draft(LaunchDraft::from_spec(json!({})))
    } else {
        match entry.draft.as_deref() {
            Some("earlier") => {
                let previous = draft_store::load(launcher, Slot::Previous).await?;
                let mut previous = previous.ok_or_else(|| AppError::not_found("earlier draft"))?;
                previous.ownership.is_new = true;
                previous.ownership.has_previous_draft = false;
                previous.ownership.changed_elsewhere = false;
                previous
            }
            Some("new") => {
                let mut draft = new_draft(LaunchDraft::new());
                let saved = draft_store::load(launcher, Slot::Current).await?.filter(LaunchDraft::has_content);
                draft.ownership.saved_draft = saved.map(|saved| preview(prompt_text(&saved.spec), PROMPT_CHARS));
                draft
            }
            _ => {
                let saved = draft_store::load(launcher, Slot::Current).await?;
                let mut draft = saved.unwrap_or_else(|| with_new_key(LaunchDraft::new()));
                draft.ownership.based_on = draft_store::fingerprint(&draft);
                draft
            }
        }
    };
    if let Some(session_id) = entry.session.clone().filter(|id| ids::is_path_id(id)) {
        draft.mode = LaunchMode::Message { session_id };
    }
    for change in &entry.set {
        if change == LARGER_MODEL {
            let catalogue = launcher.state.catalogues.load(launcher).await?;
            let chosen = larger_model::choose(launcher, &mut draft.spec, &catalogue).await?;
            draft.last_action.success = Some(chosen);
        } else {
            apply_change(&mut draft.spec, change);
        }
    }
    draft.ownership.page = crate::random::reference();
    form_ownership::assign(&mut draft, launcher);
    session::load(launcher, &mut draft).await?;
    Ok(draft)
}

fn from_origin(content: LaunchContent, label: String, href: Option<String>) -> LaunchDraft {
    let origin = Origin { label, href, spec: files::shorten(&content.spec), answers: content.answers.clone() };
    let mut draft = new_draft(LaunchDraft::from_spec(content.spec));
    draft.answers = content.answers;
    draft.origin = Some(origin);
    draft
}

fn new_draft(draft: LaunchDraft) -> LaunchDraft {
    let mut draft = with_new_key(draft);
    draft.ownership.is_new = true;
    draft
}

/// Applies `/budgets/maxToolTurns=20`: a pointer, and a value that is JSON or text. An empty value removes the field.
fn apply_change(spec: &mut Value, change: &str) {
    let Some((pointer, text)) = change.split_once('=').filter(|(pointer, _)| pointer.starts_with('/')) else { return };
    match serde_json::from_str::<Value>(text) {
        _ if text.is_empty() => {
            json_pointer::remove(spec, pointer);
        }
        Ok(value) => json_pointer::set(spec, pointer, value),
        Err(_) => json_pointer::set(spec, pointer, text.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_in_the_address_are_json_or_text() {
        let mut spec = json!({ "name": "n" });
        for change in ["/budgets/maxToolTurns=20", "/modelId=sandbox/script", "/loopDetection=false", "/name=", "x=1"] {
            apply_change(&mut spec, change);
        }
        let expected =
            json!({ "budgets": { "maxToolTurns": 20 }, "modelId": "sandbox/script", "loopDetection": false });
        assert_eq!(spec, expected);
    }

    #[test]
    fn a_budget_in_the_address_leaves_the_other_tools_their_defaults() {
        let mut spec = json!({});
        apply_change(&mut spec, "/toolBudgets/recall/maxCalls=9");
        let budgets = protocol::spec::tool_budgets(&spec);
        assert_eq!((budgets["recall"], budgets["traverse"], budgets["hive_search_deals"]), (9, 3, 5));
        assert!(
            protocol::validate::validate(
                protocol::validate::Body::Run,
                &json!({ "prompt": "p", "systemPrompt": "s", "toolBudgets": spec["toolBudgets"] })
            )
            .is_empty()
        );
    }
}
