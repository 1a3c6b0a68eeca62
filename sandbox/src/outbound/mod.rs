//! Requests that the sandbox makes itself: to MCP servers and A2A peers that a spec names, and to a model's API.
//!
//! A spec may name any host, loopback and private networks included: that is what a developer's own machine is for. It
//! is safe only because the sandbox listens on loopback and trusts whoever holds its keys; `--allow-remote` gives that
//! reach away, and says so.

pub mod a2a;
pub mod mcp;

use std::collections::HashMap;
use std::time::Duration;

use anyhow::Context;
use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, Response};
use serde_json::Value;

/// How long a peer may take for one call.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// More than any tool result should have.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// The one HTTP client of the process.
pub fn client() -> anyhow::Result<Client> {
    // Whoever embeds the sandbox may have installed one; the first stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::custom(same_origin))
        .user_agent(concat!("mantyx-sandbox/", env!("CARGO_PKG_VERSION")))
        .build()
        .context("cannot make an HTTP client")
}

/// Headers with credentials go to the host that the spec names, not to where an answer points.
fn same_origin(attempt: Attempt<'_>) -> Action {
    let first = attempt.previous().first().map(url::Url::origin);
    if first == Some(attempt.url().origin()) && attempt.previous().len() <= 5 {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// The headers of a tool reference. One that cannot be sent is named, without its value.
fn headers(tool: &Value) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let mut headers = HashMap::new();
    for (name, value) in tool["headers"].as_object().into_iter().flatten() {
        let header: Option<HeaderName> = name.parse().ok();
        let value: Option<HeaderValue> = value.as_str().and_then(|value| value.parse().ok());
        let (Some(header), Some(mut value)) = (header, value) else {
            return Err(format!("the header “{name}” cannot be sent"));
        };
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    Ok(headers)
}

fn header_map(tool: &Value) -> Result<HeaderMap, String> {
    Ok(headers(tool)?.into_iter().collect())
}

/// An address without what may be secret in it: it is shown to the model and in the log.
pub fn shown(address: &str) -> String {
    let Ok(mut url) = url::Url::parse(address) else { return "an address that is none".to_owned() };
    url.set_query(None);
    url.set_fragment(None);
    // Only addresses without a host refuse this, and they have nothing to hide.
    let _ = (url.set_username(""), url.set_password(None));
    url.into()
}

/// The body of an answer, unless it is larger than anything useful.
async fn text(mut response: Response) -> Result<String, String> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| "the connection broke off".to_owned())? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err("the answer is too large".to_owned());
        }
        body.extend_from_slice(&chunk);
    }
    String::from_utf8(body).map_err(|_| "the answer is not text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        assert_eq!(shown("https://me:secret@mcp.test/v1?key=secret#x"), "https://mcp.test/v1");
        assert_eq!(shown("nowhere"), "an address that is none");
    }

    #[test]
    fn a_header_that_cannot_be_sent_is_named_without_its_value() {
        let tool = serde_json::json!({ "headers": { "X-Key": "line\nbreak" } });
        let error = headers(&tool).expect_err("refused");
        assert!(error.contains("X-Key") && !error.contains("break"));
    }
}
