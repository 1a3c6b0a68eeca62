//! What server functions ask of the server.
//!
//! The server puts a [`SignedIn`] into each request that has a valid session. It is bound to one workspace: a page
//! cannot ask for another, because there is nowhere to name it.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use protocol::Query;

use crate::AppError;
use crate::launch::Launching;
use crate::model::{Comparison, Refused, RunPage, SessionMessages, SessionPage, Viewer};
use crate::run::{RunState, RunView};
use domain::{
    FacetValue, Facets, Histogram, RunsPage, SessionSummary, SessionsPage, SyncProgress, Thumb, View, ViewChange,
    ViewList,
};

#[async_trait]
pub trait Workspace: Launching + Send + Sync {
    fn viewer(&self) -> Viewer;

    /// Runs that match, newest first, from after `cursor`.
    async fn runs(&self, query: &Query, cursor: Option<&str>, limit: u32) -> Result<RunsPage, AppError>;

    /// The newest of the runs that match, of those that are here: no history is fetched for it.
    async fn newest_runs(&self, query: &Query, limit: u32) -> Result<RunsPage, AppError>;

    async fn run(&self, id: &str, view: &RunView) -> Result<RunPage, AppError>;

    async fn run_state(&self, id: &str, view: &RunView) -> Result<RunState, AppError>;

    /// Two runs side by side; without a `right` one, with the nearest that succeeded.
    async fn compare(&self, left: &str, right: Option<&str>) -> Result<Comparison, AppError>;

    async fn cancel_run(&self, id: &str) -> Result<(), AppError>;

    /// Answers a local tool call of a run: with a result, or with an error.
    async fn answer_call(&self, id: &str, tool_use_id: &str, answer: Result<String, String>) -> Result<(), AppError>;

    /// Returns where it is now, in words.
    async fn give_feedback(&self, id: &str, thumb: Thumb, explanation: &str) -> Result<String, AppError>;

    /// Values that matching runs have, with counts.
    async fn facets(&self, query: &Query) -> Result<Facets, AppError>;

    /// Values of a key that begin with what was typed, most frequent first.
    async fn values(&self, key: &str, prefix: &str) -> Result<Vec<FacetValue>, AppError>;

    /// Matching runs over time, in about so many buckets.
    async fn histogram(&self, query: &Query, buckets: u32) -> Result<Histogram, AppError>;

    async fn sync_progress(&self) -> Result<SyncProgress, AppError>;

    async fn set_sync_paused(&self, paused: bool) -> Result<SyncProgress, AppError>;

    /// Built-in views, shared ones and the viewer's own.
    async fn views(&self, list: ViewList) -> Result<Vec<View>, AppError>;

    async fn create_view(&self, view: ViewChange) -> Result<View, AppError>;

    async fn change_view(&self, id: &str, change: ViewChange) -> Result<View, AppError>;

    async fn delete_view(&self, id: &str) -> Result<(), AppError>;

    async fn set_default_view(&self, list: ViewList, id: &str) -> Result<(), AppError>;

    /// Sessions that match, last used first, from after `cursor`.
    async fn sessions(&self, query: &Query, cursor: Option<&str>, limit: u32) -> Result<SessionsPage, AppError>;

    async fn session(&self, id: &str) -> Result<SessionPage, AppError>;

    /// A session as it was last seen. MANTYX is asked only where it never was: it gives a session with all its messages.
    async fn known_session(&self, id: &str) -> Result<SessionSummary, AppError>;

    /// Values that matching sessions have, with counts.
    async fn session_facets(&self, query: &Query) -> Result<Facets, AppError>;

    /// Values of a key of sessions that begin with what was typed, most frequent first.
    async fn session_values(&self, key: &str, prefix: &str) -> Result<Vec<FacetValue>, AppError>;

    /// Says something in a session: a run answers it.
    async fn send_message(&self, id: &str, text: &str) -> Result<(), AppError>;

    /// Ends a session for good.
    async fn end_session(&self, id: &str) -> Result<(), AppError>;

    /// The last messages of a session, or those before a seq.
    async fn session_messages(&self, id: &str, before_seq: Option<u64>) -> Result<SessionMessages, AppError>;
}

/// A request extension: the workspace of the session that the request belongs to.
#[derive(Clone)]
pub struct SignedIn(pub Arc<dyn Workspace>);

/// Which files of the site this build serves. In Leptos's context while a page renders.
#[derive(Clone, Debug, Default)]
pub struct SiteAssets {
    pub css: Option<String>,
    pub js: Option<String>,
    pub wasm: Option<String>,
    /// The files of the code that only one page needs, by its name.
    pub pages: BTreeMap<String, Vec<String>>,
}

/// The workspace of the request that is being answered.
pub fn workspace() -> Result<Arc<dyn Workspace>, AppError> {
    request_extension::<SignedIn>().map(|signed_in| signed_in.0).ok_or(AppError::SignedOut)
}

/// What the server put into the request of a page that a refused form led back to.
pub fn refused_form() -> Option<Refused> {
    request_extension::<Refused>()
}

fn request_extension<T: Clone + Send + Sync + 'static>() -> Option<T> {
    leptos::prelude::use_context::<http::request::Parts>()?.extensions.get::<T>().cloned()
}
