//! The HTTP requests of both clients, and their size-limited responses.

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt};
use http::{HeaderMap, Method, StatusCode, header};
use url::Url;

use crate::RemoteError;

/// Limit for one response, streamed or not.
pub(crate) const MAX_RESPONSE_BYTES: usize = 4 * 1024 * 1024;

/// Sends requests. An implementation decides which hosts it connects to and how long a request may take.
#[async_trait]
pub trait HttpTransport: Send + Sync + 'static {
    async fn send(&self, request: Request) -> Result<Response, RemoteError>;
}

#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub url: Url,
    /// May contain credentials for the origin of `url`.
    pub headers: HeaderMap,
    pub body: Option<Vec<u8>>,
}

/// A response whose body is read up to a limit.
#[derive(Debug)]
pub struct Response(reqwest::Response);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    #[error("The server did not answer in time.")]
    TimedOut,
    #[error("The connection failed: {0}.")]
    Failed(String),
    #[error("The answer is larger than {} KB, more than is read.", .0 / 1024)]
    TooLarge(usize),
}

impl Request {
    /// Converts into a request of the given client.
    pub fn with_client(&self, client: &reqwest::Client) -> reqwest::RequestBuilder {
        let mut builder = client.request(self.method.clone(), self.url.clone()).headers(self.headers.clone());
        if let Some(body) = &self.body {
            builder = builder.body(body.clone());
        }
        builder
    }
}

/// Connects to any address.
#[async_trait]
impl HttpTransport for reqwest::Client {
    async fn send(&self, request: Request) -> Result<Response, RemoteError> {
        let sent = request.with_client(self).send().await;
        Ok(sent.map_err(HttpError::from)?.into())
    }
}

impl From<reqwest::Response> for Response {
    fn from(response: reqwest::Response) -> Self {
        Self(response)
    }
}

impl Response {
    pub fn status(&self) -> StatusCode {
        self.0.status()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.0.headers()
    }

    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
    }

    pub(crate) fn has_content_type(&self, expected: &str) -> bool {
        let value = self.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = value.and_then(|value| value.split(';').next());
        media_type.is_some_and(|media_type| media_type.trim().eq_ignore_ascii_case(expected))
    }

    pub async fn bytes(self, max_bytes: usize) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        let mut chunks = self.chunks(max_bytes);
        while let Some(chunk) = chunks.next().await {
            body.extend_from_slice(&chunk?);
        }
        Ok(body)
    }

    /// Streams the body; ends with an error past `max_bytes`.
    pub(crate) fn chunks(self, max_bytes: usize) -> BoxStream<'static, Result<Bytes, HttpError>> {
        let mut left = max_bytes;
        let limited = self.0.bytes_stream().map(move |chunk| {
            let chunk = chunk?;
            left = left.checked_sub(chunk.len()).ok_or(HttpError::TooLarge(max_bytes))?;
            Ok(chunk)
        });
        // Nothing is read after an error.
        limited
            .scan(false, |failed, chunk| {
                let stop = std::mem::replace(failed, chunk.is_err());
                std::future::ready((!stop).then_some(chunk))
            })
            .boxed()
    }
}

impl From<reqwest::Error> for HttpError {
    /// Leaves out the URL, whose query may contain a secret, and keeps the innermost cause, the most specific one.
    fn from(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            return Self::TimedOut;
        }
        let error = error.without_url();
        let mut cause: &dyn std::error::Error = &error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        let message = cause.to_string();
        Self::Failed(message.split(" (os error").next().unwrap_or_default().to_owned())
    }
}
