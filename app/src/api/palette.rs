//! The command palette.

use leptos::prelude::*;

use crate::AppError;
use crate::model::list::Suggestion;
use crate::wire::Wire;

/// Finds pages, views and runs that match a text.
#[server(prefix = "/rpc", endpoint = "palette", input = leptos::server_fn::codec::GetUrl)]
pub async fn search_palette(#[server(default)] text: String) -> Result<Wire<Vec<Suggestion>>, AppError> {
    super::load(|backend| async move { backend.search_palette(&text).await }).await
}
