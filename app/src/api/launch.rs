//! The launch page's server functions. Documents travel as JSON text, so that a plain form can send them too.

use leptos::prelude::*;
use serde_json::Value;

use crate::AppError;
use crate::launch::sheet::LaunchPage;
#[cfg(feature = "ssr")]
use crate::launch::{BatchRequest, LaunchEntry, LaunchMode, LaunchRequest, TemplateDraft};
use crate::launch::{Catalogue, Draft, LaunchContent, Launched, McpDiscovery, Template, ToolCheck};
use crate::wire::Wire;
use domain::{AnswerRecord, Batch, BatchProgress};

/// The page, beginning as its address says: see `LaunchEntry`.
#[server(prefix = "/rpc", endpoint = "launch-page", input = leptos::server_fn::codec::GetUrl)]
pub async fn open_launch(
    like: Option<String>,
    template: Option<String>,
    session: Option<String>,
    draft: Option<String>,
    #[server(default)] set: Vec<String>,
) -> Result<Wire<LaunchPage>, AppError> {
    let entry = LaunchEntry { like, template, session, earlier: draft.as_deref() == Some("earlier"), set };
    super::call(|backend| async move { backend.open_launch_page(entry).await }).await.map(Wire)
}

/// Starts a run and opens its page. `mode` is `one_shot`, `new_session` or `message`; `answers` may be empty.
#[server(prefix = "/rpc", endpoint = "launch")]
pub async fn launch(
    key: String,
    spec: String,
    #[server(default)] answers: String,
    #[server(default)] mode: String,
    #[server(default)] session_id: String,
) -> Result<Launched, AppError> {
    let launched = super::call(|backend| async move {
        let mode = match mode.as_str() {
            "" | "one_shot" => LaunchMode::OneShot,
            "new_session" => LaunchMode::NewSession,
            "message" => LaunchMode::Message { session_id },
            _ => return Err(invalid("mode", "Launch as one_shot, new_session or message.")),
        };
        let request = LaunchRequest { key, mode, spec: document(&spec, "")?, answers: optional(&answers, "/answers")? };
        backend.launch(request).await
    });
    let launched = launched.await?;
    leptos_axum::redirect(&format!("/runs/{}", launched.run_id));
    Ok(launched)
}

#[server(prefix = "/rpc", endpoint = "launch-like", input = leptos::server_fn::codec::GetUrl)]
pub async fn launch_like(run_id: String) -> Result<LaunchContent, AppError> {
    super::call(|backend| async move { backend.content_of_run(&run_id).await }).await
}

#[server(prefix = "/rpc", endpoint = "answers-of-run", input = leptos::server_fn::codec::GetUrl)]
pub async fn answers_of_run(run_id: String) -> Result<Vec<AnswerRecord>, AppError> {
    super::call(|backend| async move { backend.answers_of_run(&run_id).await }).await
}

#[server(prefix = "/rpc", endpoint = "launch-catalogue", input = leptos::server_fn::codec::GetUrl)]
pub async fn read_catalogue() -> Result<Catalogue, AppError> {
    super::call(|backend| async move { backend.catalogue().await }).await
}

#[server(prefix = "/rpc", endpoint = "preflight")]
pub async fn preflight(spec: String, #[server(default)] answers: String) -> Result<Vec<ToolCheck>, AppError> {
    let checked = super::call(|backend| async move {
        let content = LaunchContent { spec: document(&spec, "")?, answers: optional(&answers, "/answers")? };
        backend.preflight(content).await
    });
    checked.await
}

/// `endpoint` is an `McpEndpoint`: `{ "over": "http", "url", "headers" }` or `{ "over": "stdio", "command" }`.
#[server(prefix = "/rpc", endpoint = "discover-mcp")]
pub async fn discover_mcp(endpoint: String) -> Result<McpDiscovery, AppError> {
    super::call(|backend| async move { backend.discover_mcp(document(&endpoint, "/endpoint")?).await }).await
}

/// `peer` is an `A2aPeer`: `{ "cardUrl", "headers" }`.
#[server(prefix = "/rpc", endpoint = "fetch-card")]
pub async fn fetch_card(peer: String) -> Result<Value, AppError> {
    super::call(|backend| async move { backend.fetch_card(document(&peer, "/peer")?).await }).await
}

#[server(prefix = "/rpc", endpoint = "templates", input = leptos::server_fn::codec::GetUrl)]
pub async fn list_templates() -> Result<Vec<Template>, AppError> {
    super::call(|backend| async move { backend.templates().await }).await
}

/// Keeps a template and gives its id. Without an id it is a new one.
#[server(prefix = "/rpc", endpoint = "save-template")]
pub async fn save_template(
    #[server(default)] id: Option<String>,
    name: String,
    #[server(default)] notes: String,
    #[server(default)] shared: bool,
    spec: String,
    #[server(default)] answers: String,
) -> Result<String, AppError> {
    let saved = super::call(|backend| async move {
        let content = LaunchContent { spec: document(&spec, "")?, answers: optional(&answers, "/answers")? };
        let id = id.filter(|id| !id.is_empty());
        backend.save_template(TemplateDraft { id, name, notes, shared, content }).await
    });
    saved.await
}

#[server(prefix = "/rpc", endpoint = "delete-template")]
pub async fn delete_template(id: String) -> Result<(), AppError> {
    super::call(|backend| async move { backend.delete_template(&id).await }).await
}

#[server(prefix = "/rpc", endpoint = "draft", input = leptos::server_fn::codec::GetUrl)]
pub async fn read_draft() -> Result<Option<Draft>, AppError> {
    super::call(|backend| async move { backend.draft().await }).await
}

/// Keeps what is being written; an empty text forgets it.
#[server(prefix = "/rpc", endpoint = "save-draft")]
pub async fn save_draft(#[server(default)] text: String) -> Result<(), AppError> {
    super::call(|backend| async move { backend.save_draft(&text).await }).await
}

#[server(prefix = "/rpc", endpoint = "launch-batch")]
pub async fn launch_batch(
    key: String,
    spec: String,
    #[server(default)] answers: String,
    inputs: String,
    tag_key: String,
    tag_value: String,
) -> Result<Batch, AppError> {
    let launched = super::call(|backend| async move {
        let (spec, answers) = (document(&spec, "")?, optional(&answers, "/answers")?);
        let request = BatchRequest { key, spec, answers, inputs, tag_key, tag_value };
        backend.launch_batch(request).await
    });
    launched.await
}

#[server(prefix = "/rpc", endpoint = "batch", input = leptos::server_fn::codec::GetUrl)]
pub async fn read_batch(id: String) -> Result<Wire<Batch>, AppError> {
    super::call(|backend| async move { backend.batch(&id).await }).await.map(Wire)
}

#[server(prefix = "/rpc", endpoint = "batch-progress", input = leptos::server_fn::codec::GetUrl)]
pub async fn read_batch_progress(id: String) -> Result<Wire<BatchProgress>, AppError> {
    let batch = super::call(|backend| async move { backend.batch(&id).await }).await?;
    Ok(Wire(batch.progress()))
}

/// Reads JSON that somebody may have typed; a fault is told with its place.
#[cfg(feature = "ssr")]
fn document<T: serde::de::DeserializeOwned>(text: &str, path: &str) -> Result<T, AppError> {
    serde_json::from_str(text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        AppError::field(path, "json", format!("This is not the JSON that is expected ({place}): {error}."))
    })
}

#[cfg(feature = "ssr")]
fn optional<T: serde::de::DeserializeOwned + Default>(text: &str, path: &str) -> Result<T, AppError> {
    if text.trim().is_empty() { Ok(T::default()) } else { document(text, path) }
}

#[cfg(feature = "ssr")]
fn invalid(field: &str, message: &str) -> AppError {
    AppError::Invalid { field: field.to_owned(), message: message.to_owned() }
}
