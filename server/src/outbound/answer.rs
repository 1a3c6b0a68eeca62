//! What came back, read no further than its limit.

use futures::stream::{BoxStream, StreamExt};
use http::{HeaderMap, StatusCode, header};
use url::Url;

use super::OutboundError;

#[derive(Debug)]
pub struct Answer {
    response: reqwest::Response,
}

impl Answer {
    pub(super) fn new(response: reqwest::Response) -> Self {
        Self { response }
    }

    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// Where it came from, after redirects.
    pub fn url(&self) -> &Url {
        self.response.url()
    }

    pub fn has_content_type(&self, wanted: &str) -> bool {
        let found = self.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        found.and_then(|found| found.split(';').next()).is_some_and(|found| found.trim().eq_ignore_ascii_case(wanted))
    }

    pub async fn bytes(self, max_bytes: usize) -> Result<Vec<u8>, OutboundError> {
        let mut body = Vec::new();
        let mut chunks = self.chunks(max_bytes);
        while let Some(chunk) = chunks.next().await {
            body.extend_from_slice(&chunk?);
        }
        Ok(body)
    }

    /// The body as it comes; ends with an error past `max_bytes`.
    pub fn chunks(self, max_bytes: usize) -> BoxStream<'static, Result<axum::body::Bytes, OutboundError>> {
        let mut left = max_bytes;
        let limited = self.response.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(OutboundError::from_transport)?;
            left = left.checked_sub(chunk.len()).ok_or(OutboundError::TooLarge(max_bytes))?;
            Ok(chunk)
        });
        // After an error there is nothing more to read.
        limited
            .scan(false, |failed, chunk| {
                let go_on = !std::mem::replace(failed, chunk.is_err());
                std::future::ready(go_on.then_some(chunk))
            })
            .boxed()
    }
}
