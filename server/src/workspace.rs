//! The workspace of a signed-in user. Its methods for pages are in [`crate::pages`].

use app::model::Viewer;

use crate::auth::{Caller, scopes};
use crate::state::AppState;

/// Bound to one workspace id, which comes from the session and never from a request.
#[derive(Clone)]
pub struct SignedInWorkspace {
    pub state: AppState,
    pub caller: Caller,
    pub viewer: Viewer,
    /// Granted scopes, separated by spaces; empty if MANTYX doesn't report them.
    pub scopes: String,
}

impl SignedInWorkspace {
    pub fn has_scope(&self, scope: &str) -> bool {
        scopes::includes(&self.scopes, scope)
    }
}
