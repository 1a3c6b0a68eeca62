//! Error pages outside the app, for example when a sign-in fails. Plain HTML with the site's styles.

use std::fmt::Write;
use std::sync::OnceLock;

use app::AppError;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use domain::url::encode;

use crate::html::escape;
use crate::store::cannot_write;

/// The stylesheet's path, set once at start.
pub static STYLESHEET: OnceLock<String> = OnceLock::new();

#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    title: String,
    advice: String,
    link: &'static str,
    href: String,
}

const SIGN_IN: (&str, &str) = ("Go to the sign-in page", "/sign-in");

impl Problem {
    /// A sign-in failed; trying again may help.
    pub fn sign_in(title: &str, advice: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, title, advice)
    }

    /// The next sign-in leads to this page, as the failed one should have.
    pub fn returning_to(self, path: &str) -> Self {
        let (_, sign_in) = SIGN_IN;
        let href = if self.href == sign_in { format!("{sign_in}?return_to={}", encode(path)) } else { self.href };
        Self { href, ..self }
    }

    /// A form of one user was sent by another user.
    pub fn foreign_form(advice: &str) -> Self {
        let href = "/sign-in?return_to=%2Flaunch".to_owned();
        Self { href, ..Self::new(StatusCode::CONFLICT, "This form is not yours.", advice) }
    }

    /// A plain form was sent with a sign-in that doesn't allow it.
    pub fn missing_scope(error: &AppError) -> Self {
        let (link, href) = ("Sign in again", "/auth/start".to_owned());
        Self { link, href, ..Self::new(StatusCode::FORBIDDEN, error.title(), &error.advice()) }
    }

    /// The user may not use this dashboard.
    pub fn refused(error: AppError) -> Self {
        let status = StatusCode::from_u16(error.http_status()).unwrap_or(StatusCode::FORBIDDEN);
        Self::new(status, error.title(), &error.advice())
    }

    /// A plain form was rejected, and the error cannot be stored for its page. `from` is that page.
    pub fn rejected_form(status: StatusCode, message: &str, from: &str) -> Self {
        Self { link: "Go back", href: from.to_owned(), ..Self::new(status, "This could not be done.", message) }
    }

    pub fn database() -> Self {
        let (link, href) = ("Try again", "/runs".to_owned());
        let error = AppError::Database;
        Self { link, href, ..Self::unavailable(error.title(), &error.advice()) }
    }

    pub fn unavailable(title: &str, advice: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, title, advice)
    }

    fn new(status: StatusCode, title: &str, advice: &str) -> Self {
        let (link, href) = SIGN_IN;
        Self { status, title: title.to_owned(), advice: advice.to_owned(), link, href: href.to_owned() }
    }

    /// A database error. If the database cannot be written, the page says so.
    pub fn store(error: &crate::store::Error) -> Self {
        if cannot_write(error) {
            tracing::error!(%error, "sign-in request failed: the database cannot be written");
            return Self::unavailable(AppError::CannotSave.title(), &AppError::CannotSave.advice());
        }
        Self::internal(error)
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
        page.push_str("<title>Problem · Runlens</title>");
        if let Some(href) = STYLESHEET.get() {
            let _ = write!(page, "<link rel=\"stylesheet\" href=\"{}\">", escape(href));
        }
        let (title, advice) = (escape(&self.title), escape(&self.advice));
        let _ = write!(
            page,
            "</head><body class=\"standalone\"><main class=\"card\"><div class=\"brand\">Runlens</div><h1>{title}</h1>\
             <p>{advice}</p><p><a class=\"button primary\" href=\"{}\">{}</a></p></main></body></html>",
            escape(&self.href),
            self.link
        );
        (self.status, Html(page)).into_response()
    }
}
