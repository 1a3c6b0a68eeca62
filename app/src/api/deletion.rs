//! The pages that ask for confirmation before a run or a session is deleted. Their forms are sent to the page's own address.

use leptos::prelude::*;

use crate::AppError;
use crate::model::deletion::DeletionModel;
use crate::wire::Wire;

#[server(prefix = "/rpc", endpoint = "run-deletion", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_run_deletion(id: String) -> Result<Wire<DeletionModel>, AppError> {
    super::load(|backend| async move { backend.run_deletion(&id).await }).await
}

#[server(prefix = "/rpc", endpoint = "session-deletion", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_session_deletion(id: String) -> Result<Wire<DeletionModel>, AppError> {
    super::load(|backend| async move { backend.session_deletion(&id).await }).await
}
