//! The signed-in user.

use leptos::prelude::*;

use crate::AppError;
use crate::model::Viewer;
use crate::wire::Wire;

#[server(prefix = "/rpc", endpoint = "viewer", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_viewer() -> Result<Wire<Viewer>, AppError> {
    // The documentation of the API is a page without a viewer.
    let backend = crate::backend::signed_in()?;
    Ok(Wire::encode(&Viewer { waiting: backend.waiting_count().await, ..backend.viewer() }))
}
