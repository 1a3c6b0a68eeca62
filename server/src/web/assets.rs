//! Serves the site's files, which are embedded in the binary. Browsers cache hashed files forever and revalidate others.

use app::backend::SiteAssets;
use axum::extract::Request;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

/// The embedded files. Empty unless the binary was built by `cargo xtask build`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Site {
    pub files: &'static [Asset],
    /// JSON with the paths that pages refer to.
    pub manifest: &'static str,
}

/// A file of the site, with compressed variants if they are smaller.
#[derive(Debug)]
pub struct Asset {
    pub path: &'static str,
    pub plain: &'static [u8],
    pub br: Option<&'static [u8]>,
    pub gz: Option<&'static [u8]>,
    /// Changes with the content.
    pub tag: &'static str,
}

impl Site {
    /// Returns the paths that pages refer to.
    pub(crate) fn assets(self) -> SiteAssets {
        let manifest: serde_json::Value = serde_json::from_str(self.manifest).unwrap_or_default();
        let path = |name: &str| manifest[name].as_str().map(str::to_owned);
        let pages = serde_json::from_value(manifest["pages"].clone()).unwrap_or_default();
        SiteAssets { css: path("css"), js: path("js"), wasm: path("wasm"), pages }
    }
}

/// Responds with the file at the request's path. Returns `None` when there is no such file.
pub(crate) fn serve(site: Site, request: &Request) -> Option<Response> {
    let path = request.uri().path();
    let asset = site.files.iter().find(|asset| asset.path == path)?;
    let headers = request.headers();
    let quoted_tag = format!("\"{}\"", asset.tag);
    let cache = if path.starts_with("/pkg/") { "public, max-age=31536000, immutable" } else { "public, no-cache" };
    let common = [(CACHE_CONTROL, cache.to_owned()), (ETAG, quoted_tag.clone()), (VARY, "accept-encoding".to_owned())];
    if headers.get(IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == quoted_tag.as_bytes()) {
        return Some((StatusCode::NOT_MODIFIED, common).into_response());
    }
    let (encoding, body) = match (asset.br, asset.gz) {
        (Some(br), _) if accepts(headers, "br") => (Some("br"), br),
        (_, Some(gz)) if accepts(headers, "gzip") => (Some("gzip"), gz),
        _ => (None, asset.plain),
    };
    let encoding = encoding.map(|encoding| [(CONTENT_ENCODING, encoding)]);
    Some((common, [(CONTENT_TYPE, content_type(path))], encoding, body).into_response())
}

fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    accepted.split(',').any(|item| {
        let (name, quality) = item.split_once(';').unwrap_or((item, ""));
        name.trim() == encoding && quality.trim() != "q=0"
    })
}

pub(super) fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("txt") => "text/plain; charset=utf-8",
        Some("webmanifest" | "json") => "application/json",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}
