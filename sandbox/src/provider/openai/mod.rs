//! `openai/<model>`: a real model behind an API with OpenAI's streaming chat completions.
//!
//! ```text
//!  request ──▶ POST /chat/completions ──▶ frames ──▶ pieces
//!              └── errors: retried before the first piece, then converted to the protocol's classes
//! ```

mod attachments;
mod errors;
mod pieces;
mod request;

use std::sync::Arc;
use std::time::Duration;

use domain::Backoff;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Client, Response};
use serde_json::Value;

use super::{Piece, Provider, ProviderError, TurnRequest, prompt};
use crate::clock::Clock;

const MAX_ATTEMPTS: u32 = 3;
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(250);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(10);
/// Time limit for the headers, and between two pieces.
const IDLE_TIMEOUT: Duration = Duration::from_secs(120);

/// The address and key of an API.
#[derive(Clone)]
pub struct OpenAi {
    base_url: Arc<str>,
    authorization: HeaderValue,
    api_key: Arc<str>,
}

/// One model of the API.
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
        // Without the parser's error, which quotes the key.
        let mut authorization = HeaderValue::from_str(&format!("Bearer {api_key}"))
            .map_err(|_| anyhow::anyhow!("OPENAI_API_KEY has characters that a header cannot carry"))?;
        authorization.set_sensitive(true);
        Ok(Self { base_url: base_url.trim_end_matches('/').into(), authorization, api_key: api_key.into() })
    }

    /// Reads `OPENAI_BASE_URL` and `OPENAI_API_KEY`; `None` unless both are set.
    pub fn from_environment() -> anyhow::Result<Option<Self>> {
        let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        match (variable("OPENAI_BASE_URL"), variable("OPENAI_API_KEY")) {
            (Some(base_url), Some(api_key)) => Self::new(&base_url, &api_key).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the ids of the models.
    pub async fn list_models(&self, http: &Client) -> Result<Vec<String>, ProviderError> {
        let request = http.get(format!("{}/models", self.base_url)).header(AUTHORIZATION, self.authorization.clone());
        let response =
            request.timeout(Duration::from_secs(5)).send().await.map_err(|error| errors::from_transport(&error))?;
        let response = self.accepted(response).await?;
        let body: Value = response.json().await.map_err(|error| errors::from_transport(&error))?;
        let ids = body["data"].as_array().into_iter().flatten().filter_map(|model| model["id"].as_str());
        Ok(ids.map(str::to_owned).collect())
    }

    /// Converts a response that is not 2xx to an error, without the key that an API may repeat.
    async fn accepted(&self, response: Response) -> Result<Response, ProviderError> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = response.text().await.unwrap_or_default();
        let mut error = errors::from_response(status.as_u16(), &body);
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

/// Sends the request, and retries transient failures. No text has been streamed yet, so nothing is repeated.
async fn open(api: OpenAi, http: Client, mut body: Value, clock: Clock) -> Result<Response, ProviderError> {
    let mut attempt = 1;
    let mut backoff = Backoff::new(FIRST_RETRY_DELAY, MAX_RETRY_DELAY);
    loop {
        let (error, retry_after) = match send(&api, &http, &body).await {
            Ok(response) => return Ok(response),
            Err(failure) => failure,
        };
        if drop_unknown_option(&error, &mut body) {
            continue;
        }
        if attempt == MAX_ATTEMPTS || !errors::is_transient(&error) {
            return Err(error);
        }
        let delay = backoff.next_delay();
        clock.pause(retry_after.unwrap_or(delay).min(MAX_RETRY_DELAY)).await;
        attempt += 1;
    }
}

/// Removes an optional field that the API rejects.
fn drop_unknown_option(error: &ProviderError, body: &mut Value) -> bool {
    if error.class != "invalid_request" {
        return false;
    }
    let option = ["reasoning_effort", "stream_options"].into_iter().find(|option| error.message.contains(option));
    option.zip(body.as_object_mut()).is_some_and(|(option, body)| body.shift_remove(option).is_some())
}

/// Sends the request once. An error comes with the delay of `Retry-After`.
async fn send(api: &OpenAi, http: &Client, body: &Value) -> Result<Response, (ProviderError, Option<Duration>)> {
    let request = http
        .post(format!("{}/chat/completions", api.base_url))
        .header(AUTHORIZATION, api.authorization.clone())
        .json(body)
        .send();
    let response = match tokio::time::timeout(IDLE_TIMEOUT, request).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err((errors::from_transport(&error), None)),
        Err(_) => return Err((errors::timed_out(), None)),
    };
    let asked = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    api.accepted(response).await.map_err(|error| (error, asked.map(Duration::from_secs)))
}
