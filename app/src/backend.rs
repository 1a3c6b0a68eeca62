//! What server functions ask of the server.
//!
//! The server puts a [`SignedIn`] into each request that has a valid session. It is bound to one workspace: a page
//! cannot ask for another, because there is nowhere to name it.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Query;

use crate::AppError;
use crate::launch::Launching;
use crate::model::{RunPage, RunsPage, Thumb, Viewer};

#[async_trait]
pub trait Workspace: Launching + Send + Sync {
    fn viewer(&self) -> Viewer;

    /// Runs that match, newest first, from after `cursor`.
    async fn runs(&self, query: &Query, cursor: Option<&str>, limit: u32) -> Result<RunsPage, AppError>;

    async fn run(&self, id: &str) -> Result<RunPage, AppError>;

    async fn cancel_run(&self, id: &str) -> Result<(), AppError>;

    /// Answers a local tool call of a run: with a result, or with an error.
    async fn answer_call(&self, id: &str, tool_use_id: &str, answer: Result<String, String>) -> Result<(), AppError>;

    async fn give_feedback(&self, id: &str, thumb: Thumb, explanation: &str) -> Result<(), AppError>;
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
}

/// The workspace of the request that is being answered.
pub fn workspace() -> Result<Arc<dyn Workspace>, AppError> {
    request_extension::<SignedIn>().map(|signed_in| signed_in.0).ok_or(AppError::SignedOut)
}

fn request_extension<T: Clone + Send + Sync + 'static>() -> Option<T> {
    leptos::prelude::use_context::<http::request::Parts>()?.extensions.get::<T>().cloned()
}
