//! The signed-in user.

use leptos::prelude::*;

use crate::AppError;
use crate::model::Viewer;

#[server(prefix = "/rpc", endpoint = "who-am-i", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_viewer() -> Result<Viewer, AppError> {
    // The documentation of the API is a page without a viewer.
    Ok(crate::backend::signed_in()?.viewer())
}
