//! `openai/<model>`: a real model behind an API that speaks OpenAI's streaming chat completions.
//!
//! ```text
//!  request ──▶ POST /chat/completions ──▶ frames ──▶ pieces
//!              └── errors: retried while nothing was said, then given one of the protocol's classes
//! ```

mod attachments;
mod errors;
mod pieces;
mod request;

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Client, Response};
use serde_json::Value;

use super::{Piece, Provider, ProviderError, TurnRequest, prompt};
use crate::clock::Clock;

/// How often a request is made before a failure is final.
const ATTEMPTS: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Headers must come within this time; between two pieces the same holds.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where such an API is, and what opens it.
#[derive(Clone)]
pub struct OpenAi {
    base_url: Arc<str>,
    authorization: HeaderValue,
    api_key: Arc<str>,
}

/// One model of it.
pub struct OpenAiModel {
    pub api: OpenAi,
    pub http: Client,
    pub model: String,
}

impl OpenAi {
    /// `base_url` as in `OPENAI_BASE_URL`, for example `https://api.openai.com/v1`.
    pub fn new(base_url: &str, api_key: &str) -> anyhow::Result<Self> {
        let url: url::Url = base_url.parse().map_err(|_| anyhow::anyhow!("OPENAI_BASE_URL is not a URL"))?;
        anyhow::ensure!(
            matches!(url.scheme(), "http" | "https"),
            "OPENAI_BASE_URL must begin with http:// or https://"
        );
        // Not the parser's own error: it would quote the key.
        let mut authorization = HeaderValue::from_str(&format!("Bearer {api_key}"))
            .map_err(|_| anyhow::anyhow!("OPENAI_API_KEY has characters that a header cannot carry"))?;
        authorization.set_sensitive(true);
        Ok(Self { base_url: base_url.trim_end_matches('/').into(), authorization, api_key: api_key.into() })
    }

    /// From `OPENAI_BASE_URL` and `OPENAI_API_KEY`; `None` unless both are set.
    pub fn from_environment() -> anyhow::Result<Option<Self>> {
        let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        match (variable("OPENAI_BASE_URL"), variable("OPENAI_API_KEY")) {
            (Some(base_url), Some(api_key)) => Self::new(&base_url, &api_key).map(Some),
            _ => Ok(None),
        }
    }

    /// The ids of the models that the API lists.
    pub async fn list_models(&self, http: &Client) -> Result<Vec<String>, ProviderError> {
        let request = http.get(format!("{}/models", self.base_url)).header(AUTHORIZATION, self.authorization.clone());
        let response =
            request.timeout(Duration::from_secs(5)).send().await.map_err(|error| errors::transport(&error))?;
        let response = self.accepted(response).await?;
        let body: Value = response.json().await.map_err(|error| errors::transport(&error))?;
        let ids = body["data"].as_array().into_iter().flatten().filter_map(|model| model["id"].as_str());
        Ok(ids.map(str::to_owned).collect())
    }

    /// A response that is not 2xx as an error, without the key that an API may quote back.
    async fn accepted(&self, response: Response) -> Result<Response, ProviderError> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = response.text().await.unwrap_or_default();
        let mut error = errors::refused(status.as_u16(), &body);
        error.message = error.message.replace(&*self.api_key, "…");
        Err(error)
    }
}

impl Provider for OpenAiModel {
    fn turn(&self, request: TurnRequest<'_>) -> BoxStream<'static, Result<Piece, ProviderError>> {
        let body = request::body(&self.model, &request);
        let estimate = prompt::input_usage(&request);
        let opening = open(self.api.clone(), self.http.clone(), body, request.clock.clone());
        stream::once(opening)
            .flat_map(move |opened| match opened {
                Ok(response) => pieces::stream(response, estimate),
                Err(error) => stream::iter([Err(error)]).boxed(),
            })
            .boxed()
    }

    fn follows_instructions(&self) -> bool {
        true
    }
}

/// Sends the request, again after a pause when the failure may pass. Nothing has been said yet, so nothing is repeated.
async fn open(api: OpenAi, http: Client, mut body: Value, clock: Clock) -> Result<Response, ProviderError> {
    let mut attempt = 1;
    loop {
        let (error, wait) = match send(&api, &http, &body).await {
            Ok(response) => return Ok(response),
            Err(failure) => failure,
        };
        if drop_unknown_option(&error, &mut body) {
            continue;
        }
        if attempt == ATTEMPTS || !errors::may_pass(&error) {
            return Err(error);
        }
        clock.pause(wait.unwrap_or(FIRST_PAUSE * 2u32.pow(attempt - 1)).min(LONGEST_PAUSE)).await;
        attempt += 1;
    }
}

/// Takes an option out that this model or server does not know. A run does not depend on either of them.
fn drop_unknown_option(error: &ProviderError, body: &mut Value) -> bool {
    if error.class != "invalid_request" {
        return false;
    }
    let option = ["reasoning_effort", "stream_options"].into_iter().find(|option| error.message.contains(option));
    option.zip(body.as_object_mut()).is_some_and(|(option, body)| body.shift_remove(option).is_some())
}

/// One attempt; a failure comes with the pause that the API asked for.
async fn send(api: &OpenAi, http: &Client, body: &Value) -> Result<Response, (ProviderError, Option<Duration>)> {
    let request = http
        .post(format!("{}/chat/completions", api.base_url))
        .header(AUTHORIZATION, api.authorization.clone())
        .json(body)
        .send();
    let response = match tokio::time::timeout(PATIENCE, request).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err((errors::transport(&error), None)),
        Err(_) => return Err((errors::silent(), None)),
    };
    let asked = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    api.accepted(response).await.map_err(|error| (error, asked.map(Duration::from_secs)))
}
