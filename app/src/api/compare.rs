//! The comparison of two runs.

use leptos::prelude::*;

use crate::AppError;
use crate::model::compare::ComparisonModel;
use crate::wire::Wire;

/// Without `right`, compares with the most similar successful run.
#[server(prefix = "/rpc", endpoint = "compare", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_comparison(left: String, right: Option<String>) -> Result<Wire<ComparisonModel>, AppError> {
    super::load(|backend| async move { backend.compare(&left, right.as_deref()).await }).await
}
