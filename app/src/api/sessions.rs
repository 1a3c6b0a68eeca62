//! The list of sessions.

use leptos::prelude::*;

use crate::AppError;
use crate::model::list::ListAddress;
use crate::model::sessions::SessionListModel;
use crate::wire::Wire;

#[server(prefix = "/rpc", endpoint = "sessions", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_sessions(#[server(default)] address: ListAddress) -> Result<Wire<SessionListModel>, AppError> {
    super::load(|backend| async move { backend.sessions(address).await }).await
}
