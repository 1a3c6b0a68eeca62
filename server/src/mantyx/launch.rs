//! Starts runs and sessions. Errors tell whether the request can have arrived, because a launch must not happen twice.

use protocol::validate::FieldError;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::Value;

use super::{Bearer, CallError, Mantyx, MantyxError};

/// The reason why a launch failed, or may have failed.
#[derive(Debug)]
pub enum LaunchFault {
    /// MANTYX rejected it and says why.
    Refused(Refusal),
    /// Nothing was started.
    NotStarted(MantyxError),
    /// The request was sent and there was no readable response: it may have started.
    Unknown(String),
}

impl From<MantyxError> for LaunchFault {
    fn from(error: MantyxError) -> Self {
        Self::NotStarted(error)
    }
}

impl CallError for LaunchFault {
    fn is_unauthorized(&self) -> bool {
        matches!(self, Self::NotStarted(MantyxError::Unauthorized))
    }
}

#[derive(Debug, Default)]
pub struct Refusal {
    pub code: String,
    pub message: String,
    /// Similar model ids.
    pub candidates: Vec<String>,
    /// The invalid fields of the spec, if MANTYX names them.
    pub fields: Vec<FieldError>,
}

impl Mantyx {
    /// Starts a run. Returns its id.
    pub async fn create_run(&self, bearer: &Bearer, slug: &str, spec: &Value) -> Result<String, LaunchFault> {
        let request = self.workspace_request(bearer, Method::POST, slug, &["agent-runs"]).json(spec);
        start(request, "runId").await
    }

    /// Opens a session. Returns its id. `spec` has neither prompt nor messages.
    pub async fn create_session(&self, bearer: &Bearer, slug: &str, spec: &Value) -> Result<String, LaunchFault> {
        let request = self.workspace_request(bearer, Method::POST, slug, &["agent-sessions"]).json(spec);
        start(request, "sessionId").await
    }

    /// Ends a session. A run in progress is cancelled.
    pub async fn end_session(&self, bearer: &Bearer, slug: &str, session_id: &str) -> Result<(), MantyxError> {
        let path = ["agent-sessions", session_id];
        Self::send_unit(self.workspace_request(bearer, Method::DELETE, slug, &path)).await
    }

    /// Sends the next message of a session. Returns the id of the run that answers it.
    pub async fn send_message(
        &self,
        bearer: &Bearer,
        slug: &str,
        session_id: &str,
        body: &Value,
    ) -> Result<String, LaunchFault> {
        let path = ["agent-sessions", session_id, "messages"];
        start(self.workspace_request(bearer, Method::POST, slug, &path).json(body), "runId").await
    }
}

async fn start(request: RequestBuilder, id_field: &str) -> Result<String, LaunchFault> {
    let response = match request.timeout(super::RESPONSE_TIMEOUT).send().await {
        Ok(response) => response,
        Err(error) if error.is_connect() => return Err(LaunchFault::NotStarted(error.into())),
        Err(error) => return Err(LaunchFault::Unknown(MantyxError::from(error).to_string())),
    };
    let status = response.status();
    if status.is_success() {
        let body = super::read_body(response).await.map_err(|error| LaunchFault::Unknown(error.to_string()))?;
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let id = body[id_field].as_str().or(body["id"].as_str()).filter(|id| protocol::ids::is_path_id(id));
        return id.map(str::to_owned).ok_or_else(|| LaunchFault::Unknown("MANTYX named no id".to_owned()));
    }
    if status.is_server_error() {
        return Err(LaunchFault::Unknown(format!("MANTYX answered {status}")));
    }
    if !matches!(status, StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN | StatusCode::UNPROCESSABLE_ENTITY) {
        return Err(LaunchFault::NotStarted(MantyxError::from_response(response).await));
    }
    let body = super::read_body(response).await.unwrap_or_default();
    Err(parse_refusal(&serde_json::from_slice(&body).unwrap_or_default()))
}

fn parse_refusal(body: &Value) -> LaunchFault {
    let text = |field: &str| body[field].as_str().map(str::to_owned);
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|item| Some(item.as_str()?.to_owned())).collect()
    };
    if body["error"] == "insufficient_scope" {
        let required = &body["required"];
        let scope = required.as_str().map_or_else(|| texts(required).join(", "), str::to_owned);
        return LaunchFault::NotStarted(MantyxError::MissingScope { scope });
    }
    let fields = body["details"].as_array().into_iter().flatten();
    LaunchFault::Refused(Refusal {
        code: text("code").or_else(|| text("error")).unwrap_or_default(),
        message: text("message").unwrap_or_else(|| "MANTYX does not accept this.".to_owned()),
        candidates: texts(&body["candidates"]),
        fields: fields.filter_map(|field| serde_json::from_value(field.clone()).ok()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use axum::response::IntoResponse;
    use axum::routing::post;
    use serde_json::json;
    use url::Url;

    use super::*;

    /// Launches against a server that responds like this.
    async fn launch(status: u16, body: Value) -> Result<String, LaunchFault> {
        let status = StatusCode::from_u16(status).expect("a status");
        let answer = move || async move { (status, [("retry-after", "7")], axum::Json(body)).into_response() };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let base = format!("http://{}", listener.local_addr().expect("bound"));
        let router = axum::Router::new().route("/api/v1/workspaces/demo/agent-runs", post(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        client(&base).create_run(&Bearer::new("t"), "demo", &json!({})).await
    }

    fn client(base: &str) -> Mantyx {
        let url = Url::parse(base).expect("a URL");
        Mantyx::new(url.clone(), "id".to_owned(), "secret".to_owned(), url).expect("a client")
    }

    #[tokio::test]
    async fn a_rejected_launch_has_not_started() {
        let details = json!([{ "path": "/prompt", "code": "required", "message": "Write one." }]);
        let cases = [
            (
                403,
                json!({ "error": "insufficient_scope", "required": ["runs:write"] }),
                "NotStarted(MissingScope { scope: \"runs:write\" })",
            ),
            (429, json!({ "error": "rate_limit_exceeded" }), "NotStarted(RateLimited { retry_after: Some(7s) })"),
            (
                400,
                json!({ "error": "invalid_model", "message": "no", "candidates": ["a/b"] }),
                "Refused(Refusal { code: \"invalid_model\", message: \"no\", candidates: [\"a/b\"]",
            ),
            (400, json!({ "error": "invalid_request", "details": details }), "fields: [FieldError { path: \"/prompt\""),
        ];
        for (status, body, words) in cases {
            let fault = format!("{:?}", launch(status, body).await);
            assert!(fault.contains(words), "{fault}");
        }
        // Nothing listens on this port.
        let fault = client("http://127.0.0.1:1").create_run(&Bearer::new("t"), "demo", &json!({})).await;
        assert!(matches!(&fault, Err(LaunchFault::NotStarted(MantyxError::Unreachable(_)))), "{fault:?}");
    }

    #[tokio::test]
    async fn a_launch_without_a_readable_response_may_have_started() {
        for (status, body) in [(500, json!({})), (202, json!({ "runId": "../x" })), (200, json!("hm"))] {
            let fault = launch(status, body).await;
            assert!(matches!(fault, Err(LaunchFault::Unknown(_))), "{status}: {fault:?}");
        }
        assert!(matches!(launch(201, json!({ "runId": "run_1" })).await.as_deref(), Ok("run_1")));
    }
}
