//! Extractors for request bodies and queries. Their errors have the shape of the protocol.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::response::IntoResponse;
use http::StatusCode;
use protocol::ids;
use serde_json::Value;

use super::errors::{ApiError, ApiResult};

/// Large enough for a tool result of 2 MB or base64 attachments of 5 MB.
pub const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

pub struct JsonBody(pub Value);

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            match rejection.into_response().status() {
                StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "payload_too_large",
                    format!("A request body may have at most {} MB.", MAX_BODY_BYTES / 1024 / 1024),
                ),
                _ => ApiError::invalid("", "body", "The request body could not be read."),
            }
        })?;
        let value = serde_json::from_slice(&bytes)
            .map_err(|error| ApiError::invalid("", "json", format!("The request body is not JSON: {error}")))?;
        Ok(Self(value))
    }
}

/// The pairs of a query string, in order, with repeated names.
pub struct QueryPairs(Vec<(String, String)>);

impl QueryPairs {
    pub fn parse(query: Option<&str>) -> Self {
        Self(url::form_urlencoded::parse(query.unwrap_or("").as_bytes()).into_owned().collect())
    }

    /// Returns the last value of a name. An empty value counts as absent, because forms send it.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    pub fn whole_number(&self, name: &str) -> ApiResult<Option<u64>> {
        let parsed = self.get(name).map(|text| {
            let number: Option<u64> = text.parse().ok().filter(|number| *number <= i64::MAX as u64);
            number.ok_or_else(|| ApiError::invalid(name, "range", format!("{name} is a whole number.")))
        });
        parsed.transpose()
    }

    /// Returns the page size: 50 by default, at most 200.
    pub fn limit(&self) -> ApiResult<i64> {
        match self.whole_number("limit")? {
            None => Ok(50),
            Some(limit @ 1..=200) => Ok(limit as i64),
            Some(_) => Err(ApiError::invalid("limit", "range", "limit is a whole number from 1 to 200.")),
        }
    }

    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.get(name).map_or(default, |value| matches!(value, "1" | "true"))
    }

    /// Parses every `metadata=key:value`.
    pub fn metadata(&self) -> ApiResult<Vec<(String, String)>> {
        let pairs = self.0.iter().filter(|(name, _)| name == "metadata").map(|(_, pair)| match pair.split_once(':') {
            Some((key, value)) if ids::is_metadata_key(key) => Ok((key.to_owned(), value.to_owned())),
            _ => Err(ApiError::invalid("metadata", "pattern", "A metadata filter is written key:value.")),
        });
        pairs.collect()
    }

    /// Decodes a cursor of [`cursor`].
    pub fn cursor(&self) -> ApiResult<Option<(i64, String)>> {
        use base64::Engine as _;
        let parsed = self.get("cursor").map(|cursor| {
            let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(cursor).ok()?;
            let text = String::from_utf8(bytes).ok()?;
            let (time, id) = text.split_once(' ')?;
            Some((time.parse().ok()?, id.to_owned()))
        });
        match parsed {
            None => Ok(None),
            Some(Some(position)) => Ok(Some(position)),
            Some(None) => Err(ApiError::invalid("cursor", "cursor", "This cursor did not come from this list.")),
        }
    }
}

/// Returns the cursor after a row.
pub fn cursor(time_ms: i64, id: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(format!("{time_ms} {id}"))
}

pub fn iso(time_ms: i64) -> String {
    let time = chrono::DateTime::from_timestamp_millis(time_ms).unwrap_or_default();
    time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// Parses JSON from the database.
pub fn stored_json(text: Option<&str>) -> Value {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Null)
}

pub fn stored_object(text: &str) -> Value {
    match stored_json(Some(text)) {
        Value::Null => Value::Object(Default::default()),
        value => value,
    }
}
