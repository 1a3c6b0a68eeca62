//! Error pages outside the app, for example when a sign-in fails. Plain HTML with the site's styles.

use std::fmt::Write;
use std::sync::OnceLock;

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};

use crate::html::escape;

/// The stylesheet's path, set once at start.
pub static STYLESHEET: OnceLock<String> = OnceLock::new();

#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    title: String,
    advice: String,
    /// The query of the link to the sign-in page.
    return_to: &'static str,
}

impl Problem {
    /// A sign-in failed; trying again may help.
    pub fn sign_in(title: &str, advice: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, title, advice)
    }

    /// A form of one user was sent by another user.
    pub fn foreign_form(advice: &str) -> Self {
        Self { return_to: "?return_to=%2Flaunch", ..Self::new(StatusCode::CONFLICT, "This form is not yours.", advice) }
    }

    pub fn unavailable(title: &str, advice: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, title, advice)
    }

    fn new(status: StatusCode, title: &str, advice: &str) -> Self {
        Self { status, title: title.to_owned(), advice: advice.to_owned(), return_to: "" }
    }

    /// Logs an error under a reference. The page shows only the reference.
    pub fn internal(error: &dyn std::error::Error) -> Self {
        let reference = crate::random::reference();
        tracing::error!(%reference, %error, "sign-in request failed");
        let advice = format!("Try again; if it happens again, tell your operator the reference {reference}.");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong here.", &advice)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut page = String::from("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">");
        page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
        page.push_str("<title>Sign-in · Runlens</title>");
        if let Some(href) = STYLESHEET.get() {
            let _ = write!(page, "<link rel=\"stylesheet\" href=\"{}\">", escape(href));
        }
        let (title, advice) = (escape(&self.title), escape(&self.advice));
        let _ = write!(
            page,
            "</head><body class=\"standalone\"><main class=\"card\"><p class=\"brand\">Runlens</p><h1>{title}</h1>\
             <p>{advice}</p><p><a class=\"button primary\" href=\"/sign-in{}\">Go to the sign-in page</a></p>\
             </main></body></html>",
            self.return_to
        );
        (self.status, Html(page)).into_response()
    }
}
