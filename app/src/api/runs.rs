//! Lists of runs, and one run with its log.

use leptos::prelude::*;

use crate::AppError;
use crate::model::{RunPage, RunsPage};
use crate::run::{self, RunView};
use crate::wire::Wire;

/// Rows on one page of the list.
pub const PAGE_SIZE: u32 = 25;

#[server(prefix = "/rpc", endpoint = "runs", input = leptos::server_fn::codec::GetUrl)]
pub async fn list_runs(q: String, cursor: Option<String>) -> Result<Wire<RunsPage>, AppError> {
    let listed = async {
        let query = protocol::Query::parse(&q)
            .map_err(|error| AppError::Invalid { field: "q".to_owned(), message: error.to_string() })?;
        crate::backend::workspace()?.runs(&query, cursor.as_deref(), PAGE_SIZE).await
    };
    super::with_status(listed.await).map(Wire)
}

#[server(prefix = "/rpc", endpoint = "run", input = leptos::server_fn::codec::GetUrl)]
pub async fn open_run(id: String, #[server(default)] view: RunView) -> Result<Wire<RunPage>, AppError> {
    super::with_status(async { crate::backend::workspace()?.run(&id, &view).await }.await).map(Wire)
}

/// Another view of a run that is open already. MANTYX is not asked again.
#[server(prefix = "/rpc", endpoint = "run-state", input = leptos::server_fn::codec::GetUrl)]
pub async fn view_run(id: String, #[server(default)] view: RunView) -> Result<Wire<run::RunState>, AppError> {
    super::with_status(async { crate::backend::workspace()?.run_state(&id, &view).await }.await).map(Wire)
}
