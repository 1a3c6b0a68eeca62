//! The workspace of a signed-in user. Its methods for pages are in [`crate::pages`].

use std::sync::Arc;

use app::AppError;
use app::model::Viewer;

use crate::auth::{Caller, scopes};
use crate::masking::Patterns;
use crate::state::AppState;

/// Bound to one workspace id, which comes from the session and never from a request.
#[derive(Clone)]
pub struct SignedInWorkspace {
    pub state: AppState,
    pub caller: Caller,
    pub viewer: Viewer,
    /// Granted scopes, separated by spaces; empty if MANTYX doesn't report them.
    pub scopes: String,
    /// What is redacted in the texts of its pages.
    pub patterns: Arc<Patterns>,
    /// Nothing can be saved, and the page that asks was loaded before: see [`crate::web::cannot_save`] for others.
    pub cannot_save: bool,
}

impl SignedInWorkspace {
    pub fn has_scope(&self, scope: &str) -> bool {
        scopes::includes(&self.scopes, scope)
    }

    /// What a page says while nothing can be saved.
    pub fn cannot_save_notice(&self) -> Option<String> {
        self.cannot_save.then(|| AppError::CannotSave.to_string())
    }
}
