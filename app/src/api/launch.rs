//! The launch page's server functions. The form itself is sent to `POST /launch`.

use leptos::prelude::*;

use crate::AppError;
use crate::launch::LaunchEntry;
use crate::model::launch::LaunchPageModel;
use crate::wire::Wire;
use domain::BatchProgress;

#[server(prefix = "/rpc", endpoint = "launch-page", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_launch(#[server(default)] entry: LaunchEntry) -> Result<Wire<LaunchPageModel>, AppError> {
    super::load(|backend| async move { backend.launch_page(entry).await }).await
}

#[server(prefix = "/rpc", endpoint = "batch-progress", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_batch_progress(id: String) -> Result<Wire<BatchProgress>, AppError> {
    super::load(|backend| async move { backend.batch_progress(&id).await }).await
}
