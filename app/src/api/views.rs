//! Actions on saved views and on the sync.

use domain::ViewList;
use leptos::prelude::*;

use crate::AppError;

#[server(prefix = "/rpc", endpoint = "create-view")]
pub async fn create_view(
    list: ViewList,
    name: String,
    #[server(default)] query: String,
    #[server(default)] shared: bool,
) -> Result<(), AppError> {
    let view = domain::ViewChange { list, name: Some(name), query: Some(query), shared: Some(shared) };
    super::call(|backend| async move { backend.create_view(view).await }).await
}

/// Renames a view, changes its sharing and, if `query` is given, its filter.
#[server(prefix = "/rpc", endpoint = "change-view")]
pub async fn change_view(
    list: ViewList,
    id: String,
    name: String,
    #[server(default)] query: Option<String>,
    #[server(default)] shared: bool,
) -> Result<(), AppError> {
    let change = domain::ViewChange { list, name: Some(name), query, shared: Some(shared) };
    super::call(|backend| async move { backend.change_view(&id, change).await }).await
}

#[server(prefix = "/rpc", endpoint = "delete-view")]
pub async fn delete_view(id: String) -> Result<(), AppError> {
    super::call(|backend| async move { backend.delete_view(&id).await }).await
}

#[server(prefix = "/rpc", endpoint = "set-default-view")]
pub async fn set_default_view(list: ViewList, id: String) -> Result<(), AppError> {
    super::call(|backend| async move { backend.set_default_view(list, &id).await }).await
}

#[server(prefix = "/rpc", endpoint = "pause-sync")]
pub async fn pause_sync(paused: bool) -> Result<(), AppError> {
    super::call(|backend| async move { backend.set_sync_paused(paused).await }).await
}
