//! Loads the launch page and builds its model from the draft.

mod agents;
mod answerers;
mod changes;
mod code_samples;
mod controls;
mod fields;
mod messages;
mod model;
mod rows;
mod sample;
mod section_folds;
mod side;
#[cfg(test)]
mod tests;
mod tools;

use app::launch::LaunchEntry;
use app::launch::draft::{LaunchDraft, error_placement, files, json_error, validation};
use app::model::launch::LaunchPageModel;
use protocol::fields::{FieldTable, SPEC_FIELDS};
use protocol::validate::FieldError;

use crate::auth::Caller;
use crate::error::Error;
use crate::launch::templates::{self, Template};
use crate::launch::{self, Catalogue, Launcher, form};
use crate::state::AppState;
use controls::PageBuilder;

pub use model::describe as describe_model;

pub async fn load(state: &AppState, caller: &Caller, entry: &LaunchEntry) -> Result<LaunchPageModel, Error> {
    let launcher = Launcher::of(state, caller).await?;
    let draft = form::start_draft(state, &launcher, entry).await?;
    load_draft(state, &launcher, &draft).await
}

/// Loads the page that shows a draft.
pub async fn load_draft(state: &AppState, launcher: &Launcher, draft: &LaunchDraft) -> Result<LaunchPageModel, Error> {
    let catalogue = state.catalogues.load(state, launcher).await?;
    let templates = templates::list(state, launcher).await?;
    let runs_url = state.mantyx.runs_url(&launcher.caller.slug);
    Ok(build(draft, SPEC_FIELDS, &catalogue, &templates, launch::validation::draft_errors(draft), &runs_url))
}

fn build(
    draft: &LaunchDraft,
    fields: FieldTable,
    catalogue: &Catalogue,
    templates: &[Template],
    errors: Vec<FieldError>,
    runs_url: &str,
) -> LaunchPageModel {
    let shown = errors.into_iter().filter(|error| validation::is_shown(draft, error));
    let errors = shown.collect();
    let builder = PageBuilder { draft, fields, catalogue, errors, runs_url, anchors: Default::default() };
    let sections = builder.sections();
    let (mode, more_actions) = (builder.mode(), builder.more_actions(templates));
    LaunchPageModel {
        draft: serde_json::to_string(draft).unwrap_or_default(),
        notices: builder.notices(),
        templates: templates.iter().map(side::template_link).collect(),
        sections,
        json: draft.unfinished.json.clone().unwrap_or_else(|| files::display_json(&draft.spec)),
        json_problem: draft.unfinished.json.as_deref().and_then(json_error::json_problem),
        problems: error_placement::problems(fields, &draft.spec, &builder.errors, &builder.anchors.borrow()),
        changes: builder.changes(),
        mode,
        more_actions,
        may_launch: builder.missing_scope().is_none(),
        checks: draft.last_action.tool_checks.iter().map(tools::check_result).collect(),
        error: builder.general_error(),
        unconfirmed: draft.last_action.unconfirmed && draft.last_action.general_error.is_some(),
        draft_status: String::new(),
        focus: None,
    }
}
