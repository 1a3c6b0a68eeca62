//! One run with its log.

use leptos::prelude::*;

use crate::AppError;
use crate::model::RunPage;
use crate::run::{self, RunView};
use crate::wire::Wire;

#[server(prefix = "/rpc", endpoint = "run", input = leptos::server_fn::codec::GetUrl)]
pub async fn open_run(id: String, #[server(default)] view: RunView) -> Result<Wire<RunPage>, AppError> {
    super::with_status(async { crate::backend::workspace()?.run(&id, &view).await }.await).map(Wire)
}

/// Another view of a run that is open already. MANTYX is not asked again.
#[server(prefix = "/rpc", endpoint = "run-state", input = leptos::server_fn::codec::GetUrl)]
pub async fn view_run(id: String, #[server(default)] view: RunView) -> Result<Wire<run::RunState>, AppError> {
    super::with_status(async { crate::backend::workspace()?.run_state(&id, &view).await }.await).map(Wire)
}
