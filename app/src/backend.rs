//! The interface between server functions and the server.
//!
//! The server puts a [`SignedIn`] into each request that has a valid session. It is bound to one workspace: a page can't
//! ask for another one, because no method takes a workspace. There is one method per server function; `server::pages`
//! implements them.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{BatchProgress, Thumb, ViewChange, ViewList};

use crate::AppError;
use crate::launch::LaunchEntry;
use crate::model::batch::BatchModel;
use crate::model::compare::ComparisonModel;
use crate::model::deletion::DeletionModel;
use crate::model::failures::{FailureModel, FailuresAddress, FailuresModel};
use crate::model::import::ImportedFile;
use crate::model::insights::{InsightsAddress, InsightsModel};
use crate::model::launch::LaunchPageModel;
use crate::model::list::{ListAddress, Suggestion};
use crate::model::run::{RunPageModel, RunState, RunView};
use crate::model::runs::{RunListModel, RunListUpdate, RunPreview};
use crate::model::session::{Conversation, NewSessionModel, SessionModel};
use crate::model::sessions::SessionListModel;
use crate::model::settings::SettingsModel;
use crate::model::waiting::{WaitingAddress, WaitingModel};
use crate::model::{FormNotice, Viewer};
use crate::preferences::ListPreferences;
use crate::zone::TimeZone;

#[async_trait]
pub trait Backend: Send + Sync {
    /// Does the work of a server function with the workspace's rules for masking texts.
    async fn with_masking<'a>(&'a self, work: Pin<Box<dyn Future<Output = ()> + Send + 'a>>);

    fn viewer(&self) -> Viewer;

    // Runs

    async fn runs(&self, address: ListAddress, preferences: ListPreferences) -> Result<RunListModel, AppError>;

    async fn run_list_update(&self, q: &str, first: Option<&str>, rows: Vec<String>)
    -> Result<RunListUpdate, AppError>;

    async fn preview_run(&self, id: &str, filter: &str) -> Result<RunPreview, AppError>;

    async fn complete_filter(&self, list: ViewList, text: &str, caret: u32) -> Result<Vec<Suggestion>, AppError>;

    async fn search_palette(&self, text: &str) -> Result<Vec<Suggestion>, AppError>;

    async fn insights(&self, address: InsightsAddress, zone: TimeZone) -> Result<InsightsModel, AppError>;

    // One run

    async fn run(&self, id: &str, view: &RunView) -> Result<RunPageModel, AppError>;

    async fn run_state(&self, id: &str, view: &RunView) -> Result<RunState, AppError>;

    async fn compare(&self, left: &str, right: Option<&str>) -> Result<ComparisonModel, AppError>;

    async fn run_deletion(&self, id: &str) -> Result<DeletionModel, AppError>;

    async fn cancel_run(&self, id: &str) -> Result<(), AppError>;

    /// Returns a sentence that says where the feedback was saved.
    async fn give_feedback(&self, id: &str, thumb: Thumb, explanation: &str) -> Result<String, AppError>;

    /// The results of imported files, by the ids of their runs.
    async fn imported_files(&self, run_ids: Vec<String>) -> Result<Vec<ImportedFile>, AppError>;

    // Sessions

    async fn sessions(&self, address: ListAddress) -> Result<SessionListModel, AppError>;

    async fn session(&self, id: &str) -> Result<SessionModel, AppError>;

    async fn conversation(
        &self,
        id: &str,
        before: Option<u64>,
        runs_cursor: Option<String>,
    ) -> Result<Conversation, AppError>;

    async fn session_deletion(&self, id: &str) -> Result<DeletionModel, AppError>;

    async fn new_session(&self) -> Result<NewSessionModel, AppError>;

    /// Starts a session with its first message, and returns its id.
    async fn start_session(
        &self,
        key: String,
        model_id: String,
        system_prompt: &str,
        text: &str,
    ) -> Result<String, AppError>;

    async fn send_message(&self, id: &str, text: &str) -> Result<(), AppError>;

    async fn end_session(&self, id: &str) -> Result<(), AppError>;

    // Failure groups

    async fn failures(&self, address: FailuresAddress) -> Result<FailuresModel, AppError>;

    /// The address has the time range.
    async fn failure(&self, id: &str, address: FailuresAddress) -> Result<FailureModel, AppError>;

    // Waiting calls

    async fn waiting(&self, address: WaitingAddress) -> Result<WaitingModel, AppError>;

    /// The number of waiting calls; 0 if the viewer may not see runs.
    async fn waiting_count(&self) -> u64;

    async fn note_writing(&self, run_id: &str, tool_use_id: &str) -> Result<(), AppError>;

    // Launch

    async fn launch_page(&self, entry: LaunchEntry) -> Result<LaunchPageModel, AppError>;

    /// `sort` names a column of the table.
    async fn batch(&self, id: &str, sort: Option<&str>) -> Result<BatchModel, AppError>;

    async fn batch_progress(&self, id: &str) -> Result<BatchProgress, AppError>;

    // Saved views and sync

    async fn create_view(&self, view: ViewChange) -> Result<(), AppError>;

    async fn change_view(&self, id: &str, change: ViewChange) -> Result<(), AppError>;

    async fn delete_view(&self, id: &str) -> Result<(), AppError>;

    async fn set_default_view(&self, list: ViewList, id: &str) -> Result<(), AppError>;

    async fn set_sync_paused(&self, paused: bool) -> Result<(), AppError>;

    // Settings

    /// `audit` is the place in the audit log where its page begins.
    /// `draft` is a form of the page that was refused.
    async fn settings(
        &self,
        audit: Option<&str>,
        preferences: ListPreferences,
        draft: Option<&str>,
    ) -> Result<SettingsModel, AppError>;
}

/// A request extension: the backend for the session that the request belongs to.
#[derive(Clone)]
pub struct SignedIn(pub Arc<dyn Backend>);

/// A request extension: the page's data is refused for this reason.
#[derive(Clone)]
pub struct Refused(pub AppError);

/// A request extension: nothing can be saved at the moment.
#[derive(Clone, Copy)]
pub struct CannotSave;

/// Renders the documentation of the JSON API as HTML. In Leptos's context while a page renders.
#[derive(Clone, Copy, Debug)]
pub struct ApiDocs(pub fn() -> String);

/// The site's files in this build. In Leptos's context while a page renders.
#[derive(Clone, Debug, Default)]
pub struct SiteAssets {
    pub css: Option<String>,
    pub js: Option<String>,
    pub wasm: Option<String>,
    /// Code files that only one page needs, by the page's name.
    pub pages: BTreeMap<String, Vec<String>>,
}

impl SiteAssets {
    /// The name of the client's wasm file, which changes with its content.
    pub fn build_id(&self) -> String {
        let name = self.wasm.as_deref().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
        name.trim_end_matches(".wasm").to_owned()
    }
}

/// Returns the backend of the current request, unless its data is refused.
pub fn backend() -> Result<Arc<dyn Backend>, AppError> {
    match request_extension::<Refused>() {
        Some(Refused(error)) => Err(error),
        None => signed_in(),
    }
}

/// Returns the backend of the current request, for what every signed-in user may read.
pub fn signed_in() -> Result<Arc<dyn Backend>, AppError> {
    request_extension::<SignedIn>().map(|signed_in| signed_in.0).ok_or(AppError::SignedOut)
}

/// Returns the notice about a plain form that this page has to show.
pub fn form_notice() -> Option<FormNotice> {
    request_extension::<FormNotice>()
}

/// Returns true if the page has to say that nothing can be saved.
pub fn cannot_save() -> bool {
    request_extension::<CannotSave>().is_some()
}

fn request_extension<T: Clone + Send + Sync + 'static>() -> Option<T> {
    leptos::prelude::use_context::<http::request::Parts>()?.extensions.get::<T>().cloned()
}
