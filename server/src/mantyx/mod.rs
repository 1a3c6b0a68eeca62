//! The MANTYX client: the only place that calls MANTYX, and the only one with reqwest.
//!
//! A [`Mantyx`] knows where MANTYX is and which OAuth application we are. What a call may see is decided by the bearer
//! that it is given.

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

use body::{read_body, read_part};

pub use error::MantyxError;
pub use launch::{LaunchFault, Refusal};
pub use oauth::{TokenSet, WorkspaceIdentity};
pub use sessions::{SessionList, SessionRow};
pub use stream::EventStream;

/// For answers that are read whole.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

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
        // TLS goes through ring; installing it twice is harmless.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .user_agent(concat!("runlens/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(5))
            .read_timeout(Duration::from_secs(60))
            // Following one could carry a credential to another host.
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(4)
            .build()?;
        Ok(Self { http, base, client_id, client_secret, redirect_uri })
    }

    pub fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or("MANTYX");
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Where a workspace's runs are started.
    pub fn runs_url(&self, slug: &str) -> String {
        self.url(&["api", "v1", "workspaces", slug, "agent-runs"]).into()
    }

    /// `path` is a list of segments, each escaped: an id from a request cannot reach another route.
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

    /// For calls whose answer says no more than that it was done.
    async fn send_quick(request: RequestBuilder) -> Result<(), MantyxError> {
        Self::send(request.timeout(ANSWER_TIMEOUT)).await.map(drop)
    }

    async fn send_json<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, MantyxError> {
        let body = read_body(Self::send(request.timeout(ANSWER_TIMEOUT)).await?).await?;
        serde_json::from_slice(&body).map_err(|error| MantyxError::Unexpected(format!("unreadable JSON: {error}")))
    }

    /// For answers of which only a part is wanted: what `T` does not have is read past, however long it is.
    async fn read_json<T: DeserializeOwned + Send + 'static>(request: RequestBuilder) -> Result<T, MantyxError> {
        read_part(Self::send(request.timeout(ANSWER_TIMEOUT)).await?).await
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
