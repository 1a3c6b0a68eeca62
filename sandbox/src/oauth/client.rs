//! Authentication of the registered client.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, StatusCode};
use percent_encoding::percent_decode_str;
use subtle::ConstantTimeEq;

use crate::api::errors::ApiError;
use crate::config::{CLIENT_ID, CLIENT_SECRET};
use crate::secret::sha256;

/// A form of the authenticated client.
pub struct ClientForm(Form);

/// The fields of a form. A repeated field counts as missing, because its meaning is ambiguous.
pub struct Form(Vec<(String, String)>);

impl Form {
    pub fn parse(bytes: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(bytes).into_owned().collect())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        values.next().filter(|value| !value.is_empty() && values.next().is_none())
    }
}

impl ClientForm {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)
    }
}

impl<S: Send + Sync> FromRequest<S> for ClientForm {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let basic = basic_credentials(request.headers());
        let bytes = Bytes::from_request(request, state).await.map_err(|_| {
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "invalid_request", "The form could not be read.")
        })?;
        let form = Form::parse(&bytes);
        let (id, secret) = match &basic {
            Some((id, secret)) => (id.as_str(), secret.as_str()),
            None => (form.get("client_id").unwrap_or(""), form.get("client_secret").unwrap_or("")),
        };
        let known = sha256(id).ct_eq(&sha256(CLIENT_ID)) & sha256(secret).ct_eq(&sha256(CLIENT_SECRET));
        match known.into() {
            true => Ok(Self(form)),
            false => {
                let message = "The client id or the client secret is wrong.";
                Err(ApiError::new(StatusCode::UNAUTHORIZED, "invalid_client", message).challenging("Basic"))
            }
        }
    }
}

/// RFC 6749 percent-encodes both parts before it joins them.
fn basic_credentials(headers: &HeaderMap) -> Option<(String, String)> {
    let (scheme, encoded) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = text.split_once(':')?;
    let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    Some((decode(id), decode(secret)))
}
