//! Two runs side by side.

use leptos::prelude::*;

use crate::AppError;
use crate::model::Comparison;
use crate::wire::Wire;

/// Without a `right` one, the nearest run that succeeded.
#[server(prefix = "/rpc", endpoint = "compare", input = leptos::server_fn::codec::GetUrl)]
pub async fn compare_runs(left: String, right: Option<String>) -> Result<Wire<Comparison>, AppError> {
    let compared = async { crate::backend::workspace()?.compare(&left, right.as_deref()).await };
    super::with_status(compared.await).map(Wire)
}
