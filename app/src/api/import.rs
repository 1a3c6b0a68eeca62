//! The results of an import.

use leptos::prelude::*;

use crate::AppError;
use crate::model::import::ImportedFile;
use crate::wire::Wire;

/// Loads the results of files that were just imported, by the ids of their runs.
#[server(prefix = "/rpc", endpoint = "imported", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_imported(#[server(default)] runs: Vec<String>) -> Result<Wire<Vec<ImportedFile>>, AppError> {
    super::load(|backend| async move { backend.imported_files(runs).await }).await
}
