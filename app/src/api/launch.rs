//! The launch page's server functions. The form itself is sent to `POST /launch`.

use leptos::prelude::*;

use crate::AppError;
#[cfg(feature = "ssr")]
use crate::launch::{DraftEntry, LaunchEntry};
use crate::model::launch::LaunchPageModel;
use crate::wire::Wire;
use domain::BatchProgress;

/// Loads the launch page with the content that its address asks for: see `LaunchEntry`.
#[server(prefix = "/rpc", endpoint = "launch-page", input = leptos::server_fn::codec::GetUrl)]
pub async fn open_launch(
    like: Option<String>,
    template: Option<String>,
    session: Option<String>,
    draft: Option<String>,
    #[server(default)] set: Vec<String>,
) -> Result<Wire<LaunchPageModel>, AppError> {
    let entry = LaunchEntry { like, template, session, draft: DraftEntry::parse(draft.as_deref()), set };
    super::call(|backend| async move { backend.launch_page(entry).await }).await.map(Wire)
}

#[server(prefix = "/rpc", endpoint = "batch-progress", input = leptos::server_fn::codec::GetUrl)]
pub async fn read_batch_progress(id: String) -> Result<Wire<BatchProgress>, AppError> {
    super::call(|backend| async move { backend.batch_progress(&id).await }).await.map(Wire)
}
