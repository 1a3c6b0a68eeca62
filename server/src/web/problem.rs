//! Error pages outside the app, for example when a sign-in fails. Plain HTML with the site's styles.

use std::fmt::Write;
use std::sync::OnceLock;

use app::AppError;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::url::encode;

use super::plain_page::plain_page;
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
    /// What the user typed, so that it is not lost.
    typed: Vec<String>,
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
    pub fn rejected_form(status: StatusCode, message: &str, from: &str, typed: Vec<String>) -> Self {
        let (link, href) = ("Go back", from.to_owned());
        Self { link, href, typed, ..Self::new(status, "This could not be done.", message) }
    }

    /// A plain form failed. `typed` is text that would be lost.
    pub fn form(error: &AppError, from: &str, typed: &[String]) -> Self {
        let status = StatusCode::from_u16(error.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let title = match error {
            AppError::Conflict { .. } => "This could not be done.",
            other => other.title(),
        };
        let (link, href, typed) = ("Go back", from.to_owned(), typed.to_vec());
        Self { link, href, typed, ..Self::new(status, title, &error.advice()) }
    }

    pub fn database() -> Self {
        let (link, href) = ("Try again", "/runs".to_owned());
        let error = AppError::Database;
        Self { link, href, ..Self::unavailable(error.title(), &error.advice()) }
    }

    /// A page was not rendered in time.
    pub fn too_slow(path: &str) -> Self {
        let (link, href) = ("Try again", path.to_owned());
        let advice = "It shows a very large log, or the server has much to do. Try again in a moment.";
        Self { link, href, ..Self::unavailable("This page took too long.", advice) }
    }

    pub fn unavailable(title: &str, advice: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, title, advice)
    }

    fn new(status: StatusCode, title: &str, advice: &str) -> Self {
        let (link, href) = SIGN_IN;
        let (title, advice, href) = (title.to_owned(), advice.to_owned(), href.to_owned());
        Self { status, title, advice, link, href, typed: Vec::new() }
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
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong.", &advice)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut body = format!("<p>{}</p>", escape(&self.advice));
        if !self.typed.is_empty() {
            body.push_str("<p>Your text, so that you can copy it:</p>");
        }
        for text in &self.typed {
            let _ = write!(body, "<pre class=\"code\" tabindex=\"0\">{}</pre>", escape(text));
        }
        let (href, link) = (escape(&self.href), self.link);
        let _ = write!(body, "<p><a class=\"button primary\" href=\"{href}\">{link}</a></p>");
        (self.status, plain_page("Problem", &self.title, &body)).into_response()
    }
}
