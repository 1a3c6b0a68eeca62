//! Loads the launch page and builds its model from the draft.

mod agents;
mod answerers;
mod changes;
mod code_samples;
mod controls;
mod fields;
mod items;
mod messages;
mod model;
mod render;
mod rows;
mod sample;
mod section_folds;
mod side;
#[cfg(test)]
mod tests;
mod tools;

use app::launch::LaunchEntry;
use app::launch::draft::{LaunchDraft, error_placement, files, json_error, validation};
use app::model::launch::{Findings, LaunchPageModel};
use protocol::fields::SPEC_FIELDS;

use crate::auth::Caller;
use crate::error::Error;
use crate::launch::templates::{self, Template};
use crate::launch::{self, Launcher, form};
use crate::state::AppState;
use controls::PageBuilder;
use items::LaunchPage;

pub use model::describe as describe_model;

pub async fn load(state: &AppState, caller: &Caller, entry: &LaunchEntry) -> Result<LaunchPageModel, Error> {
    let launcher = Launcher::of(state, caller).await?;
    let draft = form::start_draft(&launcher, entry).await?;
    load_draft(&launcher, &draft, String::new()).await
}

/// Loads the page that shows a draft. `draft_status` says whether it was saved.
pub async fn load_draft(
    launcher: &Launcher<'_>,
    draft: &LaunchDraft,
    draft_status: String,
) -> Result<LaunchPageModel, Error> {
    let state = launcher.state;
    let catalogue = state.catalogues.load(launcher).await?;
    let templates = templates::list(launcher).await?;
    let runs_url = state.mantyx.runs_url(&launcher.caller.slug);
    let errors = launch::validation::draft_errors(draft);
    let (runs_url, scopes) = (&runs_url, &launcher.scopes);
    let builder = PageBuilder { draft, fields: SPEC_FIELDS, catalogue: &catalogue, errors, runs_url, scopes };
    let page = build(builder, &templates);
    let html = page.render(&templates, &draft_status);
    Ok(LaunchPageModel { html, problems: page.findings.problems, draft_status, focus: None })
}

fn build(mut builder: PageBuilder<'_>, templates: &[Template]) -> LaunchPage {
    let PageBuilder { draft, fields, .. } = builder;
    builder.errors.retain(|error| validation::is_shown(draft, error));
    let mut page = LaunchPage {
        draft: serde_json::to_string(draft).unwrap_or_default(),
        notices: builder.notices(),
        sections: builder.sections(),
        json: draft.unfinished.invalid_json().map_or_else(|| files::display_json(&draft.spec), str::to_owned),
        findings: Findings {
            json_problem: draft.unfinished.invalid_json().and_then(json_error::json_problem),
            ..Findings::default()
        },
        changes: builder.changes(),
        mode: builder.mode(),
        more_actions: builder.more_actions(templates),
        may_launch: builder.missing_scope().is_none(),
        checks: draft.last_action.tool_checks.iter().map(tools::check_result).collect(),
        error: builder.general_error(),
        unconfirmed: draft.last_action.unconfirmed && draft.last_action.general_error.is_some(),
    };
    let controls: Vec<_> = page.controls().map(|(field, name)| (name, field.id.as_str())).collect();
    page.findings.problems = error_placement::problems(draft, fields, &builder.errors, &controls);
    page
}
