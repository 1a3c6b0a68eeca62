//! The calls that wait for an answer.

use leptos::prelude::*;

use crate::AppError;
use crate::model::waiting::{WaitingAddress, WaitingModel};
use crate::wire::Wire;

#[server(prefix = "/rpc", endpoint = "waiting", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_waiting(#[server(default)] address: WaitingAddress) -> Result<Wire<WaitingModel>, AppError> {
    super::load(|backend| async move { backend.waiting(address).await }).await
}

/// Shows others that the viewer is writing an answer to a call.
#[server(prefix = "/rpc", endpoint = "writing-answer")]
pub async fn note_writing(id: String, tool_use_id: String) -> Result<(), AppError> {
    super::call(|backend| async move { backend.note_writing(&id, &tool_use_id).await }).await
}
