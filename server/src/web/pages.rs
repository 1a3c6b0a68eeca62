//! Routes of the app's pages, rendered on the server.

use std::sync::{Arc, LazyLock};

use app::backend::ApiDocs;
use app::shell::shell;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use leptos::prelude::provide_context;
use leptos_axum::{AxumRouteListing, LeptosRoutes, generate_route_list};

use super::render_timeout::limit_render_time;
use crate::state::AppState;

/// Generated once: while Leptos generates routes, resources anywhere in the process that are first polled never load.
static PAGES: LazyLock<Vec<AxumRouteListing>> = LazyLock::new(|| generate_route_list(app::App));

/// Returns the routes of all pages and server functions, and the not-found page.
pub fn routes(state: &AppState) -> Router<AppState> {
    let context = {
        let state = Arc::new(state.clone());
        move || {
            provide_context(state.assets.clone());
            provide_context(state.sign_in.clone());
            provide_context(ApiDocs(crate::api::docs_html));
        }
    };
    let not_found = leptos_axum::render_app_async_with_context(context.clone(), shell);
    Router::new()
        .leptos_routes_with_context(state, PAGES.clone(), context, shell)
        .fallback(move |request: Request<Body>| not_found(request))
        .layer(from_fn_with_state(state.limits.render_timeout, limit_render_time))
}

/// The path of each page.
pub fn paths() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(AxumRouteListing::path)
}

/// Returns true if a route is a page of the app.
pub fn contains(route: &str) -> bool {
    paths().any(|path| path == route)
}
