//! Tells pages when nothing can be saved, because the disk is full or read-only.

use app::backend::CannotSave;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;

use super::pages;
use crate::state::AppState;

/// Middleware that marks the request of a page. The frame of the page then says so.
pub async fn note_cannot_save(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let is_page = request.extensions().get::<MatchedPath>().is_some_and(|route| pages::contains(route.as_str()));
    if is_page && state.readiness.cannot_save(&state) {
        request.extensions_mut().insert(CannotSave);
    }
    next.run(request).await
}
