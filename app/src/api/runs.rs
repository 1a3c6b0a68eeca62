//! The list of runs: the page, its updates, the preview panel, and completion in the filter bar.

use domain::ViewList;
use leptos::prelude::*;

use crate::AppError;
use crate::model::list::{ListAddress, Suggestion};
use crate::model::runs::{RunListModel, RunListUpdate, RunPreview};
use crate::wire::Wire;

#[server(prefix = "/rpc", endpoint = "runs", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_runs(#[server(default)] address: ListAddress) -> Result<Wire<RunListModel>, AppError> {
    let preferences = crate::preferences::list_from_request();
    super::load(|backend| async move { backend.runs(address, preferences).await }).await
}

/// Counts the runs newer than `first` on the first page of a list, and loads the current state of the runs in `rows`.
/// Without `first`, nothing is counted.
#[server(prefix = "/rpc", endpoint = "run-updates", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_run_updates(
    q: String,
    first: Option<String>,
    #[server(default)] rows: Vec<String>,
) -> Result<Wire<RunListUpdate>, AppError> {
    super::load(|backend| async move { backend.run_list_update(&q, first.as_deref(), rows).await }).await
}

#[server(prefix = "/rpc", endpoint = "run-preview", input = leptos::server_fn::codec::GetUrl)]
pub async fn preview_run(id: String, #[server(default)] q: String) -> Result<Wire<RunPreview>, AppError> {
    super::load(|backend| async move { backend.preview_run(&id, &q).await }).await
}

/// Suggests completions at the caret of a list's filter bar.
#[server(prefix = "/rpc", endpoint = "suggest", input = leptos::server_fn::codec::GetUrl)]
pub async fn complete_filter(
    #[server(default)] list: ViewList,
    text: String,
    caret: u32,
) -> Result<Wire<Vec<Suggestion>>, AppError> {
    super::load(|backend| async move { backend.complete_filter(list, &text, caret).await }).await
}
