//! Insights: figures of runs.

use leptos::prelude::*;

use crate::AppError;
use crate::model::insights::{InsightsAddress, InsightsModel};
use crate::wire::Wire;

#[server(prefix = "/rpc", endpoint = "insights", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_insights(#[server(default)] address: InsightsAddress) -> Result<Wire<InsightsModel>, AppError> {
    let zone = crate::preferences::zone_from_request();
    super::load(|backend| async move { backend.insights(address, zone).await }).await
}
