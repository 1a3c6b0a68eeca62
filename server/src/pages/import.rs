//! The results of an import, as the page shows them.

use app::format::grouped;
use app::model::import::ImportedFile;
use domain::ImportReport;
use protocol::ids;

use crate::error::Error;
use crate::masking::masked;
use crate::workspace::SignedInWorkspace;

/// Runs that one page lists.
const MAX_RUNS: usize = 100;

/// Loads the results of imported files. Runs that were deleted since are left out.
pub async fn load(workspace: &SignedInWorkspace, run_ids: &[String]) -> Result<Vec<ImportedFile>, Error> {
    let (store, workspace_id) = (&workspace.state.store, workspace.caller.workspace_id);
    let mut files = Vec::new();
    for id in run_ids.iter().filter(|id| ids::is_path_id(id)).take(MAX_RUNS) {
        let (Some(run), Some(report)) =
            (store.run(workspace_id, id).await?, store.import_report(workspace_id, id).await?)
        else {
            continue;
        };
        let summary = summary(&report);
        files.push(ImportedFile {
            name: masked(&report.source.unwrap_or_else(|| run.title())).into_owned(),
            href: format!("/runs/{id}"),
            summary,
        });
    }
    Ok(files)
}

fn summary(report: &ImportReport) -> String {
    let count =
        |count: u64, one: &str, more: &str| format!("{} {}", grouped(count), if count == 1 { one } else { more });
    let events = count(report.events, "event", "events");
    match report.fault_count {
        0 => events,
        faults => format!("{events}, {} could not be read", count(faults, "place", "places")),
    }
}
