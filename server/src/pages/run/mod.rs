//! The run page: loads the run, its log and what surrounds it once, and builds the page's state.

pub mod describe;
mod events;
mod loops;
mod output_schema;
mod render;
mod retries;
mod rows;
mod state;
mod truncation;
mod waiting;
mod waterfall;

use std::sync::Arc;

use app::model::run::{RunPageModel, RunState, RunView, SpecTab, Tab, TabContent};
use domain::{AnswerRecord, Origin, RunSummary, ToolAnswerers};
use protocol::snippet::{Language, snippet};
use serde_json::Value;

use crate::clock::now_ms;
use crate::error::Error;
use crate::masking::{mask_document, mask_runs, masked};
use crate::runs::{find_run, masked_spec};
use crate::timelines::FoldedLog;
use crate::workspace::SignedInWorkspace;
use state::{Source, build_state};
use waiting::{CallAge, Responder};

pub use waiting::load_banners;
pub use waterfall::waterfall_report;

/// The most relaunches of a run that its page links to.
const MAX_RELAUNCHES: i64 = 5;

/// Loads the whole page, after syncing the run with MANTYX.
pub async fn load(workspace: &SignedInWorkspace, id: &str, view: &RunView) -> Result<RunPageModel, Error> {
    load_with_prompt(workspace, id, view).await.map(|(page, _)| page)
}

/// Loads the page and the whole prompt, which the page shows as a row.
pub async fn load_with_prompt(
    workspace: &SignedInWorkspace,
    id: &str,
    view: &RunView,
) -> Result<(RunPageModel, Option<String>), Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let (run, freshness) = find_run(state, caller, id).await?;
    let loaded = LoadedRun::load(workspace, run).await?;
    let shown = loaded.state(workspace, view);
    let import_report = match loaded.run.origin {
        Origin::Imported => state.store.import_report(caller.workspace_id, id).await?,
        _ => None,
    };
    let origin = state.store.origin_of_run(caller.workspace_id, id).await?;
    let relaunches = state.store.relaunches_of(caller.workspace_id, id, MAX_RELAUNCHES).await?;
    let group = match &loaded.run.group {
        Some(group) => state.store.failure_name(caller.workspace_id, group).await?,
        None => None,
    };
    let prompt = loaded.prompt().map(str::to_owned);
    let LoadedRun { mut run, replay, spec, can_write, .. } = loaded;
    mask_runs([&mut run]);
    let mut feedback = state.store.feedback(caller.workspace_id, id).await?;
    if let Some(feedback) = &mut feedback {
        feedback.explanation = masked(&feedback.explanation).into_owned();
    }
    let page = RunPageModel {
        system_prompt: spec.as_ref().and_then(|spec| spec["systemPrompt"].as_str()).map(str::to_owned),
        notice: match import_report {
            Some(report) => render::import_report(report, now_ms()),
            None if run.status.is_terminal() => String::new(),
            None => render::refresh_link(&view.href(id)),
        } + &render::related_runs(origin.as_deref(), &relaunches, group),
        state: shown,
        end_seq: replay.latest().last_seq(),
        can_write,
        has_spec: spec.is_some(),
        feedback,
        run,
        stale: freshness.stale().or_else(|| workspace.cannot_save_notice()),
        now_ms: now_ms(),
    };
    Ok((page, prompt))
}

/// Loads another view of a run that is open already. MANTYX is asked only if the run isn't stored.
pub async fn load_state(workspace: &SignedInWorkspace, id: &str, view: &RunView) -> Result<RunState, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let run = match state.store.run(caller.workspace_id, id).await? {
        Some(run) => run,
        None => find_run(state, caller, id).await?.0,
    };
    Ok(LoadedRun::load(workspace, run).await?.state(workspace, view))
}

/// Everything that a state is built from.
struct LoadedRun {
    run: RunSummary,
    replay: Arc<FoldedLog>,
    /// Masked, but for names of tools and properties.
    spec: Option<Value>,
    answers: Vec<AnswerRecord>,
    ages: Vec<CallAge>,
    answerers: Option<ToolAnswerers>,
    responder: Responder,
    can_write: bool,
}

impl LoadedRun {
    async fn load(workspace: &SignedInWorkspace, run: RunSummary) -> Result<Self, Error> {
        let (state, caller) = (&workspace.state, &workspace.caller);
        let replay = state.timelines.replay(state, caller, &run.id).await?;
        let (ages, answerers) = match replay.latest().status().is_terminal() {
            true => (Vec::new(), None),
            false => (
                waiting::load_ages(state, caller, &run.id, &replay).await?,
                waiting::load_answerers(state, caller, &run.id, &replay).await?,
            ),
        };
        let responder = match &answerers {
            Some(_) => waiting::load_responder(state, caller, &run.id).await?,
            None => Responder::default(),
        };
        Ok(Self {
            spec: masked_spec(state, caller, &run.id).await?,
            answers: state.store.answer_records(caller.workspace_id, &run.id).await?,
            can_write: workspace.has_scope("runs:write"),
            run,
            replay,
            ages,
            answerers,
            responder,
        })
    }

    fn prompt(&self) -> Option<&str> {
        let prompt = self.spec.as_ref().map(protocol::spec::prompt_text).filter(|prompt| !prompt.is_empty());
        prompt.or(self.run.input_preview.as_deref())
    }

    fn state(&self, workspace: &SignedInWorkspace, view: &RunView) -> RunState {
        let latest = self.replay.latest();
        // A position beyond the end is the end.
        let at = view.at.filter(|at| *at < latest.last_seq());
        let events = self.replay.events();
        let events = &events[..at.map_or(events.len(), |at| events.partition_point(|event| event.seq <= at))];
        let source = Source {
            run_id: &self.run.id,
            events,
            session_id: self.run.session_id.as_deref(),
            spec: self.spec.as_ref(),
            prompt: self.prompt(),
            answers: &self.answers,
            answerers: self.answerers.as_ref(),
            responder: &self.responder,
            ages: &self.ages,
            can_write: self.can_write,
            asked_at_ms: self.run.asked_at_ms(),
            now_ms: now_ms(),
        };
        let mut shown = match at {
            None => build_state(latest, latest, &source, &RunView { at: None, ..view.clone() }),
            Some(_) => build_state(&self.replay.at(events.len()), latest, &source, view),
        };
        if view.tab == Tab::Spec {
            shown.tab = TabContent::Spec(spec_tab(workspace, self.spec.as_ref()));
        }
        shown
    }
}

fn spec_tab(workspace: &SignedInWorkspace, spec: Option<&Value>) -> SpecTab {
    let url = workspace.state.mantyx.runs_url(&workspace.caller.slug);
    let mut shown = spec.cloned();
    shown.iter_mut().for_each(mask_document);
    let samples = |spec: &Value| {
        Language::ALL.map(|language| (language.name().to_owned(), snippet(language, &url, spec))).to_vec()
    };
    SpecTab { samples: shown.as_ref().map(samples).unwrap_or_default(), spec: shown }
}
