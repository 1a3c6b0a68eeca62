//! Rejects state-changing requests from other sites. Requests to the JSON API with a bearer are accepted: they act as the
//! bearer, which no other site knows, and not as the browser's session.

use app::AppError;
use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use url::Url;

use crate::auth::RequestBearer;
use crate::error::Error;

const REFUSED: &str = "This request came from another site and was not carried out.";

pub async fn same_origin_only(State(public_url): State<Url>, request: Request, next: Next) -> Response {
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let is_api = request.uri().path().starts_with("/api/");
    let with_bearer = is_api && RequestBearer::from_headers(request.headers()).is_some();
    if safe || with_bearer || is_same_origin(request.headers(), &public_url) {
        return next.run(request).await;
    }
    match is_api {
        true => Error::from(AppError::Forbidden { message: REFUSED.to_owned() }).into_response(),
        false => (StatusCode::FORBIDDEN, REFUSED).into_response(),
    }
}

/// Returns true for requests from our own pages. Browsers send `Sec-Fetch-Site` or at least `Origin` with every POST, so a
/// request with neither comes from no browser.
fn is_same_origin(headers: &HeaderMap, public_url: &Url) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return matches!(site, "same-origin" | "none");
    }
    match text(ORIGIN.as_str()) {
        Some(origin) => {
            let host_matches = Url::parse(origin)
                .ok()
                .zip(text(HOST.as_str()))
                .is_some_and(|(origin, host)| authority(&origin) == host);
            origin == public_url.origin().ascii_serialization() || host_matches
        }
        None => true,
    }
}

fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or("");
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_sites_are_refused() {
        let public_url = Url::parse("https://runlens.example.com").expect("a URL");
        let check = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().expect("a header"));
            headers.insert("host", "runlens.example.com".parse().expect("a header"));
            is_same_origin(&headers, &public_url)
        };
        assert!(check("sec-fetch-site", "same-origin"));
        assert!(!check("sec-fetch-site", "cross-site"));
        assert!(!check("sec-fetch-site", "same-site"));
        assert!(check("origin", "https://runlens.example.com"));
        assert!(!check("origin", "https://evil.test"));
        assert!(!check("origin", "null"));
    }
}
