//! Where writing begins: at a run, a template, a session, the draft, or nothing.

use app::AppError;
use app::launch::{LaunchContent, LaunchEntry, LaunchMode, Template, TemplateOwner};
use protocol::ids;
use serde_json::{Value, json};

use super::super::{Launcher, content_of_run, library};
use super::place::set;
use super::work::{Like, TemplateFields, Work};
use super::{drafts, files, keyed, larger_model};
use crate::error::Error;
use crate::state::AppState;

/// Not a model's name but a wish.
const LARGER_MODEL: &str = "/modelId=?larger";

pub async fn begin(state: &AppState, launcher: &Launcher, entry: &LaunchEntry) -> Result<Work, Error> {
    let mut work = if let Some(run_id) = &entry.like {
        let content = content_of_run(state, &launcher.caller, run_id).await?;
        like(content, format!("the run {run_id}"), Some(format!("/runs/{run_id}")))
    } else if let Some(id) = &entry.template {
        let found = library::templates(state, launcher).await?.into_iter().find(|template| template.id == *id);
        let template = found.ok_or_else(|| AppError::not_found("template"))?;
        let Template { id, name, notes, shared, owner, content, .. } = template;
        let mut work = like(content, format!("the template “{name}”"), None);
        if owner == TemplateOwner::Me {
            work.template = TemplateFields { id: Some(id), name, notes, shared, to_delete: None };
        }
        work
    } else if entry.session.is_some() {
        Work { fresh: true, ..keyed(Work::of(json!({}))) }
    } else if entry.earlier {
        let earlier = drafts::read(state, launcher, library::Slot::Earlier).await?;
        Work { fresh: true, earlier: false, ..earlier.ok_or_else(|| AppError::not_found("earlier draft"))? }
    } else {
        drafts::read(state, launcher, library::Slot::Current).await?.unwrap_or_else(|| keyed(Work::new()))
    };
    if let Some(session_id) = entry.session.clone().filter(|id| ids::is_path_id(id)) {
        work.mode = LaunchMode::Message { session_id };
    }
    for change in &entry.set {
        if change == LARGER_MODEL {
            let catalogue = state.catalogues.read(state, launcher).await?;
            work.done = Some(larger_model::choose(&mut work.spec, &catalogue));
        } else {
            apply_change(&mut work.spec, change);
        }
    }
    Ok(work)
}

fn like(content: LaunchContent, label: String, href: Option<String>) -> Work {
    let like = Like { label, href, spec: files::shortened(&content.spec), answers: content.answers.clone() };
    Work { answers: content.answers, like: Some(like), fresh: true, ..keyed(Work::of(content.spec)) }
}

/// `/budgets/maxToolTurns=20`: a place and its value, as JSON where it is JSON and as text where it is not. Without a
/// value the place is emptied.
fn apply_change(spec: &mut Value, change: &str) {
    let Some((pointer, text)) = change.split_once('=').filter(|(pointer, _)| pointer.starts_with('/')) else { return };
    match serde_json::from_str::<Value>(text) {
        _ if text.is_empty() => {
            super::place::remove(spec, pointer);
        }
        Ok(value) => set(spec, pointer, value),
        Err(_) => set(spec, pointer, text.into()),
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
                &json!({ "prompt": "p", "systemPrompt": "s", "toolBudgets": spec["toolBudgets"] })
            )
            .is_empty()
        );
    }
}
