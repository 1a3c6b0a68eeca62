//! The page of a batch.

use leptos::prelude::*;

use crate::AppError;
use crate::model::batch::BatchModel;
use crate::wire::Wire;

/// Loads a batch. `sort` names a column; with `-` the largest or last value comes first.
#[server(prefix = "/rpc", endpoint = "batch", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_batch(id: String, sort: Option<String>) -> Result<Wire<BatchModel>, AppError> {
    super::load(|backend| async move { backend.batch(&id, sort.as_deref()).await }).await
}
