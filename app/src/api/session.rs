//! One session: the page, its conversation page by page, its actions, and the form for a new one.

use leptos::prelude::*;

use crate::AppError;
use crate::model::session::{Conversation, NewSessionModel, SessionModel};
use crate::wire::Wire;

#[server(prefix = "/rpc", endpoint = "session", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_session(id: String) -> Result<Wire<SessionModel>, AppError> {
    super::load(|backend| async move { backend.session(&id).await }).await
}

/// Loads the last page of a conversation, or the one before the message `before`, whose runs start at the cursor `runs`.
#[server(prefix = "/rpc", endpoint = "conversation", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_conversation(
    id: String,
    before: Option<u64>,
    runs: Option<String>,
) -> Result<Wire<Conversation>, AppError> {
    super::load(|backend| async move { backend.conversation(&id, before, runs).await }).await
}

#[server(prefix = "/rpc", endpoint = "new-session", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_new_session() -> Result<Wire<NewSessionModel>, AppError> {
    super::load(|backend| async move { backend.new_session().await }).await
}

/// Starts a session with its first message, and returns its address.
#[server(prefix = "/rpc", endpoint = "start-session")]
pub async fn start_session(
    key: String,
    #[server(default)] model: String,
    system_prompt: String,
    text: String,
) -> Result<String, AppError> {
    let started =
        super::call(
            |backend| async move { backend.start_session(key, model, system_prompt.trim(), text.trim()).await },
        );
    let href = format!("/sessions/{}", started.await?);
    leptos_axum::redirect(&href);
    Ok(href)
}

/// Sends a message, which starts a run.
#[server(prefix = "/rpc", endpoint = "send-message")]
pub async fn send_message(id: String, text: String) -> Result<(), AppError> {
    super::call(|backend| async move { backend.send_message(&id, text.trim()).await }).await
}

#[server(prefix = "/rpc", endpoint = "end-session")]
pub async fn end_session(id: String) -> Result<(), AppError> {
    super::call(|backend| async move { backend.end_session(&id).await }).await
}
