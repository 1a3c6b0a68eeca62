//! The run page, and actions on a run.

use domain::Thumb;
use leptos::prelude::*;

use crate::AppError;
use crate::model::run::{RunPageModel, RunState, RunView};
use crate::wire::Wire;

#[server(prefix = "/rpc", endpoint = "run", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_run(id: String, #[server(default)] view: RunView) -> Result<Wire<RunPageModel>, AppError> {
    super::load(|backend| async move { backend.run(&id, &view).await }).await
}

/// Loads another view of an open run, without asking MANTYX again.
#[server(prefix = "/rpc", endpoint = "run-state", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_run_state(id: String, #[server(default)] view: RunView) -> Result<Wire<RunState>, AppError> {
    super::load(|backend| async move { backend.run_state(&id, &view).await }).await
}

#[server(prefix = "/rpc", endpoint = "cancel-run")]
pub async fn cancel_run(id: String) -> Result<(), AppError> {
    super::call(|backend| async move { backend.cancel_run(&id).await }).await
}

#[server(prefix = "/rpc", endpoint = "give-feedback")]
pub async fn give_feedback(
    id: String,
    thumb: Thumb,
    #[server(default)] explanation: String,
) -> Result<String, AppError> {
    super::call(|backend| async move { backend.give_feedback(&id, thumb, explanation.trim()).await }).await
}
