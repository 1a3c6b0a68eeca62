//! Updates of a list that is open in a browser.

use app::AppError;
use app::model::runs::{NO_RUN, RunListUpdate};
use domain::RunSort;
use protocol::Query;
use protocol::query::{Clause, Field, Term};

use crate::error::Error;
use crate::masking::mask_runs;
use crate::pages::list::PAGE_SIZE;
use crate::runs::{History, list_runs};
use crate::workspace::SignedInWorkspace;

/// Counts the runs newer than `first`, and loads the runs with the ids in `rows`.
pub async fn load(
    workspace: &SignedInWorkspace,
    q: &str,
    first: Option<&str>,
    rows: Vec<String>,
) -> Result<RunListUpdate, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let newest = async |query: &Query| {
        let (_, mut page) =
            list_runs(state, caller, query, RunSort::default(), None, PAGE_SIZE, History::StoredOnly).await?;
        mask_runs(&mut page.runs);
        Ok::<_, Error>(page.runs)
    };
    let query =
        Query::parse(q).map_err(|error| AppError::Invalid { field: "q".to_owned(), message: error.to_string() })?;
    let listed = newest(&query).await?;
    let (newer, more) = match first {
        None => (0, false),
        Some(NO_RUN) => (listed.len(), listed.len() == PAGE_SIZE as usize),
        Some(first) => match listed.iter().position(|run| run.id == first) {
            Some(newer) => (newer, false),
            None => (listed.len(), true),
        },
    };
    let mut ids = rows.into_iter().take(PAGE_SIZE as usize).map(|value| Term::Field { field: Field::Id, value });
    let rows = match ids.next() {
        Some(term) => newest(&Query { clauses: vec![Clause { negated: false, term, or: ids.collect() }] }).await?,
        None => Vec::new(),
    };
    let sync = state.mirror.progress(state, caller.workspace_id).await?;
    Ok(RunListUpdate { newer, more, rows, sync })
}
