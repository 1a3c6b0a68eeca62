//! Builds the model of each page: one module per page loads the data and composes the model.
//!
//! The implementation of [`Backend`] below only dispatches. To add a page, add its model to `app::model`, its server
//! function to `app::api`, a method to [`Backend`], and a module here.

mod batch;
mod code_words;
mod compare;
mod deletion;
mod failures;
mod import;
mod insights;
pub mod launch;
mod list;
mod new_session;
mod palette;
mod reply;
pub(crate) mod run;
mod runs;
mod session;
mod sessions;
pub mod settings;
mod waiting;

use std::pin::Pin;

use app::AppError;
use app::backend::Backend;
use app::launch::LaunchEntry;
use app::model::Viewer;
use app::model::batch::BatchModel;
use app::model::compare::ComparisonModel;
use app::model::deletion::DeletionModel;
use app::model::failures::{FailureModel, FailuresAddress, FailuresModel};
use app::model::import::ImportedFile;
use app::model::insights::{InsightsAddress, InsightsModel};
use app::model::launch::LaunchPageModel;
use app::model::list::{ListAddress, Suggestion};
use app::model::run::{RunPageModel, RunState, RunView};
use app::model::runs::{RunListModel, RunListUpdate, RunPreview};
use app::model::session::{Conversation, NewSessionModel, SessionModel};
use app::model::sessions::SessionListModel;
use app::model::settings::SettingsModel;
use app::model::waiting::{WaitingAddress, WaitingModel};
use app::preferences::ListPreferences;
use app::zone::TimeZone;
use async_trait::async_trait;
use domain::{BatchProgress, Thumb, ViewChange, ViewList};

use crate::launch::batch as launch_batch;
use crate::masking::with_patterns;
use crate::waiting::note_writer;
use crate::workspace::SignedInWorkspace;
use crate::{run_actions, views};

pub use run::describe::describe;
pub use run::waterfall_report;

#[async_trait]
impl Backend for SignedInWorkspace {
    async fn with_masking<'a>(&'a self, work: Pin<Box<dyn Future<Output = ()> + Send + 'a>>) {
        with_patterns(self.patterns.clone(), work).await;
    }

    fn viewer(&self) -> Viewer {
        self.viewer.clone()
    }

    async fn runs(&self, address: ListAddress, preferences: ListPreferences) -> Result<RunListModel, AppError> {
        Ok(runs::load(self, &address, preferences).await?)
    }

    async fn run_list_update(
        &self,
        q: &str,
        first: Option<&str>,
        rows: Vec<String>,
    ) -> Result<RunListUpdate, AppError> {
        Ok(runs::updates::load(self, q, first, rows).await?)
    }

    async fn preview_run(&self, id: &str, filter: &str) -> Result<RunPreview, AppError> {
        Ok(runs::preview::load(self, id, filter).await?)
    }

    async fn complete_filter(&self, list: ViewList, text: &str, caret: u32) -> Result<Vec<Suggestion>, AppError> {
        Ok(list::completion::load(self, list, text, caret).await?)
    }

    async fn search_palette(&self, text: &str) -> Result<Vec<Suggestion>, AppError> {
        Ok(palette::load(self, text).await?)
    }

    async fn insights(&self, address: InsightsAddress, zone: TimeZone) -> Result<InsightsModel, AppError> {
        Ok(insights::load(self, &address, zone).await?)
    }

    async fn run(&self, id: &str, view: &RunView) -> Result<RunPageModel, AppError> {
        Ok(run::load(self, id, view).await?)
    }

    async fn run_state(&self, id: &str, view: &RunView) -> Result<RunState, AppError> {
        Ok(run::load_state(self, id, view).await?)
    }

    async fn compare(&self, left: &str, right: Option<&str>) -> Result<ComparisonModel, AppError> {
        Ok(compare::load(self, left, right).await?)
    }

    async fn run_deletion(&self, id: &str) -> Result<DeletionModel, AppError> {
        Ok(deletion::load_run(self, id).await?)
    }

    async fn session_deletion(&self, id: &str) -> Result<DeletionModel, AppError> {
        Ok(deletion::load_session(self, id).await?)
    }

    async fn cancel_run(&self, id: &str) -> Result<(), AppError> {
        Ok(run_actions::cancel_run(&self.state, &self.caller, id).await?)
    }

    async fn give_feedback(&self, id: &str, thumb: Thumb, explanation: &str) -> Result<String, AppError> {
        Ok(run_actions::give_feedback(&self.state, &self.caller, &self.viewer.email, id, thumb, explanation).await?)
    }

    async fn imported_files(&self, run_ids: Vec<String>) -> Result<Vec<ImportedFile>, AppError> {
        Ok(import::load(self, &run_ids).await?)
    }

    async fn sessions(&self, address: ListAddress) -> Result<SessionListModel, AppError> {
        Ok(sessions::load(self, &address).await?)
    }

    async fn session(&self, id: &str) -> Result<SessionModel, AppError> {
        Ok(session::load(self, id).await?)
    }

    async fn conversation(
        &self,
        id: &str,
        before: Option<u64>,
        runs_cursor: Option<String>,
    ) -> Result<Conversation, AppError> {
        Ok(session::load_conversation(self, id, before, runs_cursor).await?)
    }

    async fn new_session(&self) -> Result<NewSessionModel, AppError> {
        Ok(new_session::load(self).await?)
    }

    async fn start_session(
        &self,
        key: String,
        model_id: String,
        system_prompt: &str,
        text: &str,
    ) -> Result<String, AppError> {
        let (system_prompt, text) = (system_prompt.to_owned(), text.to_owned());
        let new = crate::sessions::NewSession { key, model_id, system_prompt, text };
        Ok(crate::sessions::start(&self.state, &self.caller, new).await?)
    }

    async fn send_message(&self, id: &str, text: &str) -> Result<(), AppError> {
        Ok(crate::sessions::send(&self.state, &self.caller, id, text).await?)
    }

    async fn end_session(&self, id: &str) -> Result<(), AppError> {
        Ok(crate::sessions::end(&self.state, &self.caller, id).await?)
    }

    async fn failures(&self, address: FailuresAddress) -> Result<FailuresModel, AppError> {
        Ok(failures::load_list(self, &address).await?)
    }

    async fn failure(&self, id: &str, address: FailuresAddress) -> Result<FailureModel, AppError> {
        Ok(failures::load_group(self, id, &address).await?)
    }

    async fn waiting(&self, address: WaitingAddress) -> Result<WaitingModel, AppError> {
        Ok(waiting::load(self, &address).await?)
    }

    async fn waiting_count(&self) -> u64 {
        waiting::count(self).await
    }

    async fn note_writing(&self, run_id: &str, tool_use_id: &str) -> Result<(), AppError> {
        Ok(note_writer(&self.state, &self.caller, run_id, tool_use_id).await?)
    }

    async fn launch_page(&self, entry: LaunchEntry) -> Result<LaunchPageModel, AppError> {
        Ok(launch::load(&self.state, &self.caller, &entry).await?)
    }

    async fn batch(&self, id: &str, sort: Option<&str>) -> Result<BatchModel, AppError> {
        Ok(batch::load(self, id, sort).await?)
    }

    async fn batch_progress(&self, id: &str) -> Result<BatchProgress, AppError> {
        Ok(launch_batch::load(&self.state, &self.caller, id).await?.progress())
    }

    async fn create_view(&self, view: ViewChange) -> Result<(), AppError> {
        views::create(&self.state, &self.caller, view).await?;
        Ok(())
    }

    async fn change_view(&self, id: &str, change: ViewChange) -> Result<(), AppError> {
        views::change(&self.state, &self.caller, id, change).await?;
        Ok(())
    }

    async fn delete_view(&self, id: &str) -> Result<(), AppError> {
        Ok(views::delete(&self.state, &self.caller, id).await?)
    }

    async fn set_default_view(&self, list: ViewList, id: &str) -> Result<(), AppError> {
        Ok(views::set_default(&self.state, &self.caller, list, id).await?)
    }

    async fn set_sync_paused(&self, paused: bool) -> Result<(), AppError> {
        self.state.mirror.set_paused(&self.state, &self.caller, paused).await?;
        Ok(())
    }

    async fn settings(
        &self,
        audit: Option<&str>,
        preferences: ListPreferences,
        draft: Option<&str>,
    ) -> Result<SettingsModel, AppError> {
        Ok(settings::load(self, audit, preferences, draft).await?)
    }
}
