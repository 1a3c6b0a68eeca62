//! The app's pages, rendered on the server.

use std::sync::{Arc, LazyLock};

use app::backend::SignedIn;
use app::shell::shell;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use domain::url::encode;
use leptos::prelude::provide_context;
use leptos_axum::{AxumRouteListing, LeptosRoutes, generate_route_list};

use crate::state::AppState;
use crate::web::refused;

/// Pages that need no sign-in.
const OPEN_PAGES: [&str; 1] = ["/sign-in"];

/// Listed once: while Leptos lists routes, resources anywhere in the process that are first polled never load.
static PAGES: LazyLock<Vec<AxumRouteListing>> = LazyLock::new(|| generate_route_list(app::App));

/// Routes for every page and server function, and the page for addresses that do not exist.
pub fn routes(state: &AppState) -> Router<AppState> {
    let context = {
        let state = Arc::new(state.clone());
        move || {
            provide_context(state.assets.clone());
            provide_context(state.sign_in.clone());
        }
    };
    let not_found = leptos_axum::render_app_async_with_context(context.clone(), shell);
    Router::new()
        .leptos_routes_with_context(state, PAGES.clone(), context, shell)
        .fallback(move |request: Request<Body>| not_found(request))
        .layer(axum::middleware::from_fn(require_sign_in))
        .layer(axum::middleware::from_fn(refused::lead_back))
}

/// Whoever is not signed in is shown the sign-in page, and comes back here after. Server functions answer for themselves.
async fn require_sign_in(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let open = OPEN_PAGES.contains(&path) || path.starts_with("/rpc/");
    if open || request.extensions().get::<SignedIn>().is_some() {
        return next.run(request).await;
    }
    let wanted = request.uri().path_and_query().map_or("/runs", |wanted| wanted.as_str());
    let wanted = encode(wanted);
    Redirect::to(&format!("/sign-in?return_to={wanted}")).into_response()
}
