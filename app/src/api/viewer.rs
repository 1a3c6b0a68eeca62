//! The signed-in user.

use leptos::prelude::*;

use crate::AppError;
use crate::model::Viewer;

#[server(prefix = "/rpc", endpoint = "who-am-i", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_viewer() -> Result<Viewer, AppError> {
    let backend = crate::backend::signed_in().inspect_err(AppError::set_response_status)?;
    Ok(backend.viewer())
}
