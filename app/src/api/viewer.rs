//! Who is signed in.

use leptos::prelude::*;

use crate::AppError;
use crate::model::Viewer;

#[server(prefix = "/rpc", endpoint = "who-am-i", input = leptos::server_fn::codec::GetUrl)]
pub async fn who_am_i() -> Result<Viewer, AppError> {
    super::with_status(crate::backend::workspace().map(|workspace| workspace.viewer()))
}
