//! The list of failure groups, and one group.

use leptos::prelude::*;

use crate::AppError;
use crate::model::failures::{FailureModel, FailuresAddress, FailuresModel};
use crate::wire::Wire;

#[server(prefix = "/rpc", endpoint = "failures", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_failures(#[server(default)] address: FailuresAddress) -> Result<Wire<FailuresModel>, AppError> {
    super::load(|backend| async move { backend.failures(address).await }).await
}

#[server(prefix = "/rpc", endpoint = "failure", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_failure(
    id: String,
    #[server(default)] address: FailuresAddress,
) -> Result<Wire<FailureModel>, AppError> {
    super::load(|backend| async move { backend.failure(&id, address).await }).await
}
