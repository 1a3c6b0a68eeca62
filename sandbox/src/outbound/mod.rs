//! Outbound HTTP: to the MCP servers and A2A agents that a spec names, and to a model's API.
//!
//! A spec may name any host, loopback and private networks included, so that developers can use servers on their own
//! machine. This is safe only because the sandbox listens on loopback and trusts its clients; the help text of
//! `--allow-remote` warns about it.

pub mod a2a;
pub mod mcp;

use std::time::Duration;

use anyhow::Context;
use http::HeaderMap;
use remote_tools::RemoteError;
use reqwest::Client;
use reqwest::redirect::{Action, Attempt, Policy};
use serde_json::Value;
use url::Url;

/// Time limit for one call of a remote tool.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Creates the HTTP client of the process.
pub fn client() -> anyhow::Result<Client> {
    // Ignores that the embedding process may already have installed a provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::custom(same_origin))
        .user_agent(concat!("mantyx-sandbox/", env!("CARGO_PKG_VERSION")))
        .build()
        .context("cannot make an HTTP client")
}

/// Follows redirects within an origin only, because headers may contain credentials for the host that the spec names.
fn same_origin(attempt: Attempt<'_>) -> Action {
    let first = attempt.previous().first().map(Url::origin);
    if first == Some(attempt.url().origin()) && attempt.previous().len() <= 5 {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

fn parse_url(url: &Value) -> Result<Url, RemoteError> {
    let url = Url::parse(url.as_str().unwrap_or(""));
    url.map_err(|_| RemoteError::unusable("The address is not a URL."))
}

/// Parses the headers of a tool reference.
fn header_map(tool_ref: &Value) -> Result<HeaderMap, RemoteError> {
    let headers = tool_ref["headers"].as_object().into_iter().flatten();
    remote_tools::parse_headers(headers.map(|(name, value)| (name.as_str(), value.as_str().unwrap_or(""))))
}

/// Removes the parts of a URL that may be secret, for the model and the log.
pub fn without_secrets(mut url: Url) -> Url {
    url.set_query(None);
    url.set_fragment(None);
    // Fails only for URLs without a host, which have no credentials.
    let _ = (url.set_username(""), url.set_password(None));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_removed_from_a_url() {
        let url = "https://me:secret@mcp.test/v1?key=secret#x".parse().expect("a URL");
        assert_eq!(without_secrets(url).as_str(), "https://mcp.test/v1");
        assert!(parse_url(&"nowhere".into()).is_err());
    }
}
