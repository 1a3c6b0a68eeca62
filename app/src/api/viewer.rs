//! Who is signed in, and what became of the form that they sent last.

use leptos::prelude::*;

use crate::AppError;
use crate::model::{Refused, Viewer};

#[server(prefix = "/rpc", endpoint = "who-am-i", input = leptos::server_fn::codec::GetUrl)]
pub async fn who_am_i() -> Result<Viewer, AppError> {
    super::with_status(crate::backend::workspace().map(|workspace| workspace.viewer()))
}

/// Why a plain form led back to the page that is being drawn.
#[server(prefix = "/rpc", endpoint = "refused-form", input = leptos::server_fn::codec::GetUrl)]
pub async fn refused_form() -> Result<Option<Refused>, AppError> {
    Ok(crate::backend::refused_form())
}
