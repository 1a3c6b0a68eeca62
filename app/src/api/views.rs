//! Saved views and the sync, changed by plain forms.

use leptos::prelude::*;

use crate::AppError;
use domain::ViewList;

#[server(prefix = "/rpc", endpoint = "create-view")]
pub async fn create_view(
    list: ViewList,
    name: String,
    #[server(default)] query: String,
    #[server(default)] shared: bool,
) -> Result<(), AppError> {
    let view = domain::ViewChange { list, name: Some(name), query: Some(query), shared: Some(shared) };
    super::with_status(async { crate::backend::workspace()?.create_view(view).await.map(drop) }.await)
}

/// Renames a view, shares it or not, and gives it another filter where one is named.
#[server(prefix = "/rpc", endpoint = "change-view")]
pub async fn change_view(
    list: ViewList,
    id: String,
    name: String,
    #[server(default)] query: Option<String>,
    #[server(default)] shared: bool,
) -> Result<(), AppError> {
    let change = domain::ViewChange { list, name: Some(name), query, shared: Some(shared) };
    super::with_status(async { crate::backend::workspace()?.change_view(&id, change).await.map(drop) }.await)
}

#[server(prefix = "/rpc", endpoint = "delete-view")]
pub async fn delete_view(id: String) -> Result<(), AppError> {
    super::with_status(async { crate::backend::workspace()?.delete_view(&id).await }.await)
}

#[server(prefix = "/rpc", endpoint = "set-default-view")]
pub async fn set_default_view(list: ViewList, id: String) -> Result<(), AppError> {
    super::with_status(async { crate::backend::workspace()?.set_default_view(list, &id).await }.await)
}

#[server(prefix = "/rpc", endpoint = "pause-sync")]
pub async fn pause_sync(paused: bool) -> Result<(), AppError> {
    super::with_status(async { crate::backend::workspace()?.set_sync_paused(paused).await.map(drop) }.await)
}
