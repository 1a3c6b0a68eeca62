//! The MANTYX client: the only module that calls MANTYX.
//!
//! A [`Mantyx`] has MANTYX's address and our OAuth application. The bearer of each call decides what it may read and change.

mod actions;
mod body;
mod catalogue;
mod error;
mod launch;
mod oauth;
mod runs;
mod sessions;
mod stream;

use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use url::Url;

use body::{read_body, read_partial};

pub use catalogue::CatalogueList;
pub use error::{CallError, MantyxError};
pub use launch::{LaunchFault, Refusal};
pub use oauth::TokenSet;
pub use sessions::{SessionList, SessionRow};
pub use stream::{EventStream, Received};

/// For all requests except streams.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Clone, Debug)]
pub struct Mantyx {
    http: reqwest::Client,
    base: Url,
    client_id: String,
    client_secret: String,
    redirect_uri: Url,
}

/// A bearer credential: an OAuth access token or a workspace API key. Never printed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bearer(String);

impl Mantyx {
    pub fn new(base: Url, client_id: String, client_secret: String, redirect_uri: Url) -> anyhow::Result<Self> {
        // TLS uses ring. Installing it twice is harmless.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .user_agent(concat!("runlens/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(5))
            .read_timeout(Duration::from_secs(60))
            // A redirect could send a credential to another host.
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(4)
            .build()?;
        Ok(Self { http, base, client_id, client_secret, redirect_uri })
    }

    pub fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or("MANTYX");
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Returns the URL of a workspace's runs.
    pub fn runs_url(&self, slug: &str) -> String {
        self.url(&["api", "v1", "workspaces", slug, "agent-runs"]).into()
    }

    /// Joins escaped path segments, so that an id from a request cannot reach another route.
    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    fn workspace_request(&self, bearer: &Bearer, method: Method, slug: &str, path: &[&str]) -> RequestBuilder {
        let path = [&["api", "v1", "workspaces", slug], path].concat();
        self.http.request(method, self.url(&path)).bearer_auth(&bearer.0)
    }

    async fn send(request: RequestBuilder) -> Result<Response, MantyxError> {
        let response = request.send().await?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(MantyxError::from_response(response).await)
    }

    /// Sends a request whose response body is not used.
    async fn send_unit(request: RequestBuilder) -> Result<(), MantyxError> {
        Self::send(request.timeout(RESPONSE_TIMEOUT)).await.map(drop)
    }

    async fn send_json<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, MantyxError> {
        let body = read_body(Self::send(request.timeout(RESPONSE_TIMEOUT)).await?).await?;
        serde_json::from_slice(&body).map_err(|error| MantyxError::Unexpected(format!("unreadable JSON: {error}")))
    }

    /// Sends a request whose response may be long. Fields that `T` does not have are skipped without buffering.
    async fn send_partial_json<T: DeserializeOwned + Send + 'static>(
        request: RequestBuilder,
    ) -> Result<T, MantyxError> {
        read_partial(Self::send(request.timeout(RESPONSE_TIMEOUT)).await?).await
    }
}

impl Bearer {
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Bearer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bearer(…)")
    }
}
