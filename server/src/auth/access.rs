//! The table of what each route needs: nothing, a sign-in, or scopes of the consent. The one place that checks it.

use app::AppError;
use app::backend::Refused;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::ACCEPT;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use domain::url::encode;

use super::scopes::{RUNS_READ, RUNS_WRITE, SESSIONS_READ, SESSIONS_WRITE, includes};
use super::session::is_stream_or_file;
use super::{Admins, Caller, RequestBearer};
use crate::api;
use crate::error::Error;
use crate::state::AppState;
use crate::web::form_notice::form_page;
use crate::web::pages;
use crate::web::problem::Problem;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    SignIn,
    Scope(&'static str),
    /// One of these.
    AnyScope(&'static [&'static str]),
    /// All of these.
    AllScopes(&'static [&'static str]),
    /// All of these, and to be an administrator.
    Admin(&'static [&'static str]),
    /// To read the list that the query names with `list`: runs, or sessions.
    ListScope,
    /// A form that is stored until the user signs in. A signed-in user needs the scope.
    FormScope(&'static str),
}

use Needs::{Admin, AllScopes, AnyScope, FormScope, ListScope, Nothing, Scope, SignIn};

/// A session is deleted with its runs.
const SESSION_AND_RUNS: &[&str] = &[SESSIONS_READ, SESSIONS_WRITE, RUNS_READ, RUNS_WRITE];
const EITHER_LIST: Needs = AnyScope(&[RUNS_READ, SESSIONS_READ]);

/// Method, route and what it needs. A route that is missing here is refused.
#[rustfmt::skip]
pub const TABLE: &[(&str, &str, Needs)] = &[
    ("GET", "/", Nothing),
    ("GET", "/sign-in", Nothing),
    ("GET", "/rpc/sign-in-info", Nothing),
    ("GET", "/auth/start", Nothing),
    ("GET", "/auth/callback", Nothing),
    ("POST", "/auth/sign-out", Nothing),
    ("POST", "/preferences", Nothing),
    ("GET", "/open-run", Nothing),
    ("GET", "/api/openapi.json", Nothing),
    ("GET", "/api/docs", Nothing),
    ("GET", "/rpc/api-docs", Nothing),

    ("GET", "/rpc/viewer", SignIn),
    // Lists runs and views only if the consent includes them.
    ("GET", "/rpc/palette", SignIn),
    // Counts only if the consent includes runs.
    ("GET", "/import", SignIn),
    // Shows the sync and the audit log only to those who may see them.
    ("GET", "/settings", SignIn),
    ("GET", "/rpc/settings", SignIn),
    ("POST", "/auth/sign-out-others", SignIn),
    ("POST", "/auth/sign-out-everywhere", SignIn),

    ("GET", "/runs", Scope(RUNS_READ)),
    ("GET", "/runs/{id}", Scope(RUNS_READ)),
    ("GET", "/runs/{id}/live", Scope(RUNS_READ)),
    ("GET", "/runs/{id}/export", Scope(RUNS_READ)),
    ("GET", "/selection", Scope(RUNS_READ)),
    ("GET", "/compare", Scope(RUNS_READ)),
    ("GET", "/rpc/runs", Scope(RUNS_READ)),
    ("GET", "/rpc/run-updates", Scope(RUNS_READ)),
    ("GET", "/rpc/run-preview", Scope(RUNS_READ)),
    ("GET", "/rpc/run", Scope(RUNS_READ)),
    ("GET", "/rpc/run-state", Scope(RUNS_READ)),
    ("GET", "/rpc/compare", Scope(RUNS_READ)),
    ("GET", "/rpc/imported", Scope(RUNS_READ)),
    // Feedback is stored here where MANTYX doesn't accept it.
    ("POST", "/rpc/give-feedback", Scope(RUNS_READ)),
    ("GET", "/api/runs", Scope(RUNS_READ)),
    ("GET", "/api/runs/{id}", Scope(RUNS_READ)),
    ("GET", "/api/runs/{id}/timeline", Scope(RUNS_READ)),
    ("GET", "/api/runs/{id}/events", Scope(RUNS_READ)),
    ("GET", "/api/count", Scope(RUNS_READ)),
    ("GET", "/api/facets", Scope(RUNS_READ)),
    ("GET", "/api/values", Scope(RUNS_READ)),
    ("GET", "/api/histogram", Scope(RUNS_READ)),
    ("GET", "/api/insights", Scope(RUNS_READ)),
    ("GET", "/api/sync", Scope(RUNS_READ)),
    ("GET", "/failures", Scope(RUNS_READ)),
    ("GET", "/failures/{id}", Scope(RUNS_READ)),
    ("GET", "/rpc/failures", Scope(RUNS_READ)),
    ("GET", "/rpc/failure", Scope(RUNS_READ)),
    ("GET", "/api/failures", Scope(RUNS_READ)),
    ("GET", "/api/failures/{id}", Scope(RUNS_READ)),
    ("GET", "/insights", Scope(RUNS_READ)),
    ("GET", "/waiting", Scope(RUNS_READ)),
    ("GET", "/waiting/live", Scope(RUNS_READ)),
    ("GET", "/rpc/waiting", Scope(RUNS_READ)),
    ("GET", "/api/waiting", Scope(RUNS_READ)),
    ("GET", "/rpc/insights", Scope(RUNS_READ)),

    // The state of a failure group is shared in the workspace.
    ("POST", "/failures/{id}", AllScopes(&[RUNS_READ, RUNS_WRITE])),
    ("PATCH", "/api/failures/{id}", AllScopes(&[RUNS_READ, RUNS_WRITE])),
    // The form and the list show the call that is answered.
    ("POST", "/waiting", AllScopes(&[RUNS_READ, RUNS_WRITE])),
    ("POST", "/rpc/writing-answer", AllScopes(&[RUNS_READ, RUNS_WRITE])),
    ("POST", "/import", Scope(RUNS_WRITE)),
    ("POST", "/api/import", Scope(RUNS_WRITE)),
    ("POST", "/api/import/batch", Scope(RUNS_WRITE)),
    ("POST", "/rpc/cancel-run", Scope(RUNS_WRITE)),
    ("POST", "/rpc/pause-sync", Admin(&[RUNS_WRITE])),
    ("POST", "/api/sync", Admin(&[RUNS_WRITE])),
    ("POST", "/settings/redaction", Admin(&[RUNS_READ, RUNS_WRITE])),
    ("POST", "/settings/prices", Admin(&[RUNS_WRITE])),
    ("GET", "/api/redaction", Admin(&[RUNS_READ])),
    ("PUT", "/api/redaction", Admin(&[RUNS_READ, RUNS_WRITE])),
    ("GET", "/api/prices", Scope(RUNS_READ)),
    ("PUT", "/api/prices", Admin(&[RUNS_WRITE])),

    // What is deleted here is not deleted at MANTYX, which checks nothing then.
    ("GET", "/runs/{id}/delete", Admin(&[RUNS_READ, RUNS_WRITE])),
    ("GET", "/rpc/run-deletion", Admin(&[RUNS_READ, RUNS_WRITE])),
    ("POST", "/runs/{id}/delete", Admin(&[RUNS_READ, RUNS_WRITE])),
    ("DELETE", "/api/runs/{id}", Admin(&[RUNS_READ, RUNS_WRITE])),
    ("GET", "/sessions/{id}/delete", Admin(SESSION_AND_RUNS)),
    ("GET", "/rpc/session-deletion", Admin(SESSION_AND_RUNS)),
    ("POST", "/sessions/{id}/delete", Admin(SESSION_AND_RUNS)),
    ("DELETE", "/api/sessions/{id}", Admin(SESSION_AND_RUNS)),
    ("POST", "/api/erase", Admin(SESSION_AND_RUNS)),
    ("GET", "/api/audit", Admin(&[RUNS_READ])),

    // The form offers values of stored runs, and is checked and saved while it is written. The launch itself needs
    // `runs:write`: see `crate::launch::launch`.
    ("GET", "/launch", Scope(RUNS_READ)),
    ("GET", "/launch/batches/{id}", Scope(RUNS_READ)),
    ("POST", "/launch", FormScope(RUNS_READ)),
    ("GET", "/rpc/launch-page", Scope(RUNS_READ)),
    ("GET", "/rpc/batch", Scope(RUNS_READ)),
    ("GET", "/rpc/batch-progress", Scope(RUNS_READ)),

    ("GET", "/sessions", Scope(SESSIONS_READ)),
    ("GET", "/sessions/{id}", Scope(SESSIONS_READ)),
    ("GET", "/sessions/new", Scope(SESSIONS_WRITE)),
    ("GET", "/rpc/new-session", Scope(SESSIONS_WRITE)),
    ("POST", "/rpc/start-session", Scope(SESSIONS_WRITE)),
    ("GET", "/rpc/sessions", Scope(SESSIONS_READ)),
    ("GET", "/rpc/session", Scope(SESSIONS_READ)),
    ("GET", "/rpc/conversation", Scope(SESSIONS_READ)),
    ("POST", "/rpc/send-message", Scope(SESSIONS_WRITE)),
    ("POST", "/rpc/end-session", Scope(SESSIONS_WRITE)),
    ("GET", "/api/sessions", Scope(SESSIONS_READ)),
    ("GET", "/api/sessions/{id}", Scope(SESSIONS_READ)),
    ("GET", "/api/sessions/{id}/messages", Scope(SESSIONS_READ)),

    ("GET", "/rpc/suggest", ListScope),
    ("GET", "/api/views", ListScope),
    ("POST", "/api/views", EITHER_LIST),
    ("PATCH", "/api/views/{id}", EITHER_LIST),
    ("DELETE", "/api/views/{id}", EITHER_LIST),
    ("PUT", "/api/default-view", EITHER_LIST),
    ("POST", "/rpc/create-view", EITHER_LIST),
    ("POST", "/rpc/change-view", EITHER_LIST),
    ("POST", "/rpc/delete-view", EITHER_LIST),
    ("POST", "/rpc/set-default-view", EITHER_LIST),
];

/// Returns what a route needs, or `None` if it is not in the table.
pub fn needs(method: &Method, route: &str) -> Option<Needs> {
    // axum answers HEAD with the handler of GET.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    TABLE.iter().find(|(known, path, _)| *known == method.as_str() && *path == route).map(|(_, _, needs)| *needs)
}

/// The scopes of a request's caller.
#[derive(Clone, Debug)]
pub enum Granted {
    /// A signed-in user's scopes, separated by spaces.
    Listed(String),
    /// A credential that came with the request. MANTYX knows its scopes.
    Bearer(RequestBearer),
}

impl Granted {
    pub async fn includes(&self, state: &AppState, scope: &'static str) -> Result<bool, Error> {
        match self {
            Self::Listed(granted) => Ok(includes(granted, scope)),
            Self::Bearer(bearer) => bearer.has_scope(state, scope).await,
        }
    }
}

/// Middleware that refuses requests whose caller lacks what the route needs.
pub async fn require_access(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let kind = Kind::of(&request, route.as_ref().map(MatchedPath::as_str));
    let caller = request.extensions().get::<Caller>();
    let is_signed_in = caller.is_some();
    let is_admin = caller.is_some_and(|caller| state.admins.include(&caller.actor));
    let Some(route) = route else {
        return match kind {
            Kind::Page if is_signed_in => next.run(request).await,
            Kind::Page => to_sign_in(&request),
            Kind::Html | Kind::Data => Error::from(AppError::not_found("endpoint")).into_response(),
        };
    };
    let Some(needs) = needs(request.method(), route.as_str()) else {
        let is_known = TABLE.iter().any(|(_, path, _)| *path == route.as_str());
        return match kind {
            Kind::Data if is_known => api::method_not_allowed().await.into_response(),
            _ if is_known => StatusCode::METHOD_NOT_ALLOWED.into_response(),
            _ => StatusCode::NOT_FOUND.into_response(),
        };
    };
    let (scopes, any): (&[&'static str], bool) = match needs {
        Nothing => return next.run(request).await,
        FormScope(_) if !is_signed_in => return next.run(request).await,
        _ if !is_signed_in && kind != Kind::Data => return to_sign_in(&request),
        _ if !is_signed_in => return Error::from(AppError::SignedOut).into_response(),
        SignIn => return next.run(request).await,
        Scope(scope) | FormScope(scope) => (&[scope], false),
        ListScope if names_sessions(&request) => (&[SESSIONS_READ], false),
        ListScope => (&[RUNS_READ], false),
        AnyScope(scopes) => (scopes, true),
        AllScopes(scopes) | Admin(scopes) => (scopes, false),
    };
    let error = match missing(&state, request.extensions().get(), scopes, any).await {
        Ok(None) if matches!(needs, Admin(_)) && !is_admin => Admins::refusal(),
        Ok(None) => return next.run(request).await,
        Ok(Some(scope)) => AppError::MissingScope { scope: scope.to_owned() },
        Err(error) => return error.into_response(),
    };
    match (kind, &error) {
        // The page is rendered, and says what is missing in place of its data.
        (Kind::Page, _) => {
            request.extensions_mut().insert(Refused(error));
            next.run(request).await
        }
        (Kind::Html, AppError::MissingScope { .. }) => Problem::missing_scope(&error).into_response(),
        (Kind::Html, _) => Problem::refused(error).into_response(),
        (Kind::Data, _) => Error::from(error).into_response(),
    }
}

/// Returns a scope that the caller lacks: any of them or, if one is enough, the first if all are missing.
async fn missing(
    state: &AppState,
    granted: Option<&Granted>,
    scopes: &[&'static str],
    one_is_enough: bool,
) -> Result<Option<&'static str>, Error> {
    let Some(granted) = granted else { return Err(AppError::SignedOut.into()) };
    let mut first = None;
    for scope in scopes {
        match granted.includes(state, scope).await? {
            true if one_is_enough => return Ok(None),
            true => {}
            false if one_is_enough => first = first.or(Some(*scope)),
            false => return Ok(Some(*scope)),
        }
    }
    Ok(first)
}

/// How a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A page of the app.
    Page,
    /// A plain form, or a page that a handler of this server writes.
    Html,
    /// A script reads the answer.
    Data,
}

impl Kind {
    fn of(request: &Request, route: Option<&str>) -> Self {
        let path = request.uri().path();
        if path.starts_with("/api/") || path.starts_with("/rpc/") || is_stream_or_file(path) {
            return Self::Data;
        }
        let accept = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
        match *request.method() {
            Method::GET | Method::HEAD if route.is_none_or(pages::contains) => Self::Page,
            Method::GET | Method::HEAD => Self::Html,
            _ if accept.contains("text/html") => Self::Html,
            _ => Self::Data,
        }
    }
}

fn names_sessions(request: &Request) -> bool {
    let query = request.uri().query().unwrap_or_default();
    url::form_urlencoded::parse(query.as_bytes()).any(|(name, value)| name == "list" && value == "sessions")
}

/// After the sign-in, the page is opened again, or the page of the form.
fn to_sign_in(request: &Request) -> Response {
    let path = match *request.method() {
        Method::GET | Method::HEAD => request.uri().path_and_query().map_or("/runs", |path| path.as_str()).to_owned(),
        _ => form_page(request.headers()),
    };
    Redirect::to(&format!("/sign-in?return_to={}", encode(&path))).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_table_has_exactly_the_routes_that_are_served() {
        let served: BTreeSet<(String, String)> =
            crate::router::served_routes().into_iter().map(|route| (route.method.to_string(), route.path)).collect();
        let known: BTreeSet<(String, String)> =
            TABLE.iter().map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned())).collect();
        assert_eq!(served.difference(&known).collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "not in the table");
        assert_eq!(known.difference(&served).collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "not served");
    }

    #[test]
    fn a_route_is_in_the_table_once() {
        for (index, (method, path, _)) in TABLE.iter().enumerate() {
            let again = TABLE[index + 1..].iter().any(|(other, same, _)| other == method && same == path);
            assert!(!again, "{method} {path}");
        }
    }
}
