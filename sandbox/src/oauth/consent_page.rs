//! The HTML pages of the sign-in: no scripts, no inline styles.

use axum::response::{Html, IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use http::{HeaderValue, StatusCode};
use url::Url;

use super::scopes;
use crate::workspace::ACCOUNTS;

/// Renders the form to choose an account and grant scopes.
pub fn consent(request_id: &str, redirect_uri: &str, asked: &[&str]) -> Response {
    let accounts: String = ACCOUNTS
        .iter()
        .enumerate()
        .map(|(i, account)| {
            let checked = if i == 0 { " checked" } else { "" };
            format!(
                r#"<label class="account"><input type="radio" name="account" value="{email}"{checked}>
<span class="avatar" aria-hidden="true">{initial}</span>
<span class="who"><span class="email">{email}</span><span class="workspace">Workspace {name}</span></span></label>"#,
                email = escape(account.email),
                initial = escape(&account.workspace.name[..1]),
                name = escape(account.workspace.name),
            )
        })
        .collect();
    let scopes: String = asked
        .iter()
        .filter_map(|scope| Some((scope, scopes::description(scope)?)))
        .map(|(scope, words)| {
            let (scope, words) = (escape(scope), escape(words));
            // Required for the sign-in.
            let fixed = if scope == scopes::IDENTITY { " disabled" } else { "" };
            format!(
                r#"<li><label><input type="checkbox" name="grant:{scope}" value="yes" checked{fixed}> {words} <code>{scope}</code></label></li>"#
            )
        })
        .collect();
    let origin = origin(redirect_uri);
    let body = format!(
        r#"<h1>Runlens wants to use your workspace</h1>
<p class="lead">Choose the account it may act for. You return to <strong>{origin}</strong> either way.</p>
<form method="post" action="/api/oauth/authorize/decide">
<input type="hidden" name="request" value="{request_id}">
<input type="hidden" name="grants" value="listed">
<fieldset><legend>Account</legend>{accounts}</fieldset>
<section aria-labelledby="scopes"><h2 id="scopes">It will be able to</h2><p class="note">Uncheck anything you don't want to allow.</p><ul>{scopes}</ul></section>
<div class="actions"><button class="approve" name="decision" value="approve">Approve</button>
<button class="deny" name="decision" value="deny">Deny</button></div>
</form>
<p class="note">This is the MANTYX sandbox: accounts without passwords, for development and demonstration.</p>"#,
        origin = escape(&origin),
        request_id = escape(request_id),
    );
    // Browsers apply this policy also to the redirect after the form.
    page(StatusCode::OK, "Sign in", &body, &format!("'self' {origin}"))
}

/// Renders an error. Never redirects.
pub fn problem(title: &str, detail: &str) -> Response {
    let body = format!(
        r#"<h1>{}</h1><p class="lead">{}</p><p class="note">Go back to the application and start again. If this page comes
again, tell the application's operator.</p>"#,
        escape(title),
        escape(detail)
    );
    page(StatusCode::BAD_REQUEST, title, &body, "'none'")
}

pub async fn stylesheet() -> Response {
    let headers = [(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, "public, max-age=300")];
    (headers, include_str!("consent.css")).into_response()
}

fn page(status: StatusCode, title: &str, body: &str, form_action: &str) -> Response {
    let html = format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{} · MANTYX sandbox</title>
<link rel="stylesheet" href="/assets/consent.css">
</head>
<body>
<main>
<p class="brand"><span aria-hidden="true"></span>MANTYX sandbox</p>
{body}
</main>
</body>
</html>
"#,
        escape(title)
    );
    let policy = format!(
        "default-src 'none'; style-src 'self'; form-action {form_action}; frame-ancestors 'none'; base-uri 'none'"
    );
    let mut response = (status, Html(html)).into_response();
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

fn origin(uri: &str) -> String {
    Url::parse(uri).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
