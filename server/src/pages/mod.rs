//! Builds the model of each page: one module per page loads the data and composes the model.
//!
//! The implementation of [`Backend`] below only dispatches. To add a page, add its model to `app::model`, its server
//! function to `app::api`, a method to [`Backend`], and a module here.

mod batch;
mod compare;
mod import;
pub mod launch;
mod list;
mod new_session;
mod palette;
pub(crate) mod run;
mod runs;
mod session;
mod sessions;

use app::AppError;
use app::backend::Backend;
use app::launch::LaunchEntry;
use app::model::Viewer;
use app::model::batch::BatchModel;
use app::model::compare::ComparisonModel;
use app::model::import::ImportedFile;
use app::model::launch::LaunchPageModel;
use app::model::list::{ListAddress, Suggestion};
use app::model::run::{RunPageModel, RunState, RunView};
use app::model::runs::{RunListModel, RunListUpdate, RunPreview};
use app::model::session::{Conversation, NewSessionModel};
use app::model::sessions::SessionListModel;
use app::preferences::ListPreferences;
use async_trait::async_trait;
use domain::{BatchProgress, SessionDetail, Thumb, ViewChange, ViewList};

use crate::auth::scopes::{RUNS_READ, SESSIONS_WRITE};
use crate::launch::batch as launch_batch;
use crate::workspace::SignedInWorkspace;
use crate::{run_actions, sessions as session_store, views};

pub use run::describe::describe;

#[async_trait]
impl Backend for SignedInWorkspace {
    fn viewer(&self) -> Viewer {
        self.viewer.clone()
    }

    async fn runs(&self, address: ListAddress, preferences: ListPreferences) -> Result<RunListModel, AppError> {
        let mut list = runs::load(self, &address, preferences).await?;
        list.notices.extend(self.cannot_save_notice());
        Ok(list)
    }

    async fn run_list_update(
        &self,
        q: &str,
        first: Option<&str>,
        rows: Vec<String>,
    ) -> Result<RunListUpdate, AppError> {
        Ok(runs::updates::load(self, q, first, rows).await?)
    }

    async fn preview_run(&self, id: &str) -> Result<RunPreview, AppError> {
        Ok(runs::preview::load(self, id).await?)
    }

    async fn complete_filter(&self, list: ViewList, text: &str, caret: u32) -> Result<Vec<Suggestion>, AppError> {
        Ok(list::completion::load(self, list, text, caret).await?)
    }

    async fn search_palette(&self, text: &str) -> Result<Vec<Suggestion>, AppError> {
        Ok(palette::load(self, text).await?)
    }

    async fn run(&self, id: &str, view: &RunView) -> Result<RunPageModel, AppError> {
        let page = run::load(self, id, view).await?;
        Ok(RunPageModel { stale: page.stale.or_else(|| self.cannot_save_notice()), ..page })
    }

    async fn run_state(&self, id: &str, view: &RunView) -> Result<RunState, AppError> {
        Ok(run::load_state(self, id, view).await?)
    }

    async fn compare(&self, left: &str, right: Option<&str>) -> Result<ComparisonModel, AppError> {
        Ok(compare::load(self, left, right).await?)
    }

    async fn cancel_run(&self, id: &str) -> Result<(), AppError> {
        Ok(run_actions::cancel_run(&self.state, &self.caller, id).await?)
    }

    async fn answer_call(&self, id: &str, tool_use_id: &str, answer: Result<String, String>) -> Result<(), AppError> {
        Ok(run_actions::answer_call(&self.state, &self.caller, &self.viewer.email, id, tool_use_id, answer).await?)
    }

    async fn give_feedback(&self, id: &str, thumb: Thumb, explanation: &str) -> Result<String, AppError> {
        Ok(run_actions::give_feedback(&self.state, &self.caller, &self.viewer.email, id, thumb, explanation).await?)
    }

    async fn imported_files(&self, run_ids: Vec<String>) -> Result<Vec<ImportedFile>, AppError> {
        Ok(import::load(self, &run_ids).await?)
    }

    async fn sessions(&self, address: ListAddress) -> Result<SessionListModel, AppError> {
        let list = sessions::load(self, &address).await?;
        Ok(SessionListModel { stale: list.stale.or_else(|| self.cannot_save_notice()), ..list })
    }

    async fn session(&self, id: &str) -> Result<SessionDetail, AppError> {
        let detail = session_store::open(&self.state, &self.caller, id, self.has_scope(RUNS_READ)).await?;
        let stale = detail.stale.or_else(|| self.cannot_save_notice());
        Ok(SessionDetail { can_write: self.has_scope(SESSIONS_WRITE), stale, ..detail })
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
        let new = session_store::NewSession { key, model_id, system_prompt, text };
        Ok(session_store::start(&self.state, &self.caller, new).await?)
    }

    async fn send_message(&self, id: &str, text: &str) -> Result<(), AppError> {
        Ok(session_store::send(&self.state, &self.caller, id, text).await?)
    }

    async fn end_session(&self, id: &str) -> Result<(), AppError> {
        Ok(session_store::end(&self.state, &self.caller, id).await?)
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
}
