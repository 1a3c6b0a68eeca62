//! The page of a batch: loads its inputs and runs, and builds the table that compares them.

mod sort;
mod table;

use std::collections::HashMap;

use app::format;
use app::model::batch::BatchModel;
use domain::url::encode;
use domain::{Batch, BatchItem, BatchItemState, RunSort, RunSummary};
use protocol::{Query, RunStatus};

use crate::error::Error;
use crate::launch::batch;
use crate::masking::mask_runs;
use crate::runs::{History, list_runs};
use crate::workspace::SignedInWorkspace;
use sort::Sort;

/// As many runs as a batch can have.
const MAX_RUNS: u32 = 200;

/// One input and the run that it was launched as.
struct Row {
    /// Counted from 1.
    number: usize,
    /// `None` if it cannot be decrypted.
    input: Option<String>,
    item: BatchItem,
    run: Option<RunSummary>,
}

pub async fn load(workspace: &SignedInWorkspace, id: &str, sort: Option<&str>) -> Result<BatchModel, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let batch = batch::load(state, caller, id).await?;
    let inputs = batch::inputs(state, caller, id).await?;
    let mut runs = load_runs(workspace, &batch).await?;
    let rows = batch.items.iter().zip(inputs).enumerate().map(|(index, (item, input))| Row {
        number: index + 1,
        input,
        run: item.run_id.as_ref().and_then(|id| runs.remove(id)),
        item: item.clone(),
    });
    let mut rows: Vec<Row> = rows.collect();
    let progress = batch.progress();
    let in_progress =
        !batch.done || rows.iter().any(|row| row.run.as_ref().is_some_and(|run| !run.status.is_terminal()));
    let figures = figures(&rows);
    let sort = Sort::parse(sort);
    sort.apply(&mut rows);
    Ok(BatchModel {
        progress: progress.words,
        problem: progress.problem,
        settled: progress.settled,
        all: progress.all,
        in_progress,
        figures,
        runs_href: format!("/runs?q={}", encode(&batch.query)),
        table: table::render(&rows, sort, id),
    })
}

/// Loads the runs of a batch by their tag, and those that the list does not have one by one.
async fn load_runs(workspace: &SignedInWorkspace, batch: &Batch) -> Result<HashMap<String, RunSummary>, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let query = Query::parse(&batch.query).unwrap_or_default();
    let (_, page) = list_runs(state, caller, &query, RunSort::default(), None, MAX_RUNS, History::StoredOnly).await?;
    let mut runs: HashMap<String, RunSummary> = page.runs.into_iter().map(|run| (run.id.clone(), run)).collect();
    for id in batch.items.iter().filter_map(|item| item.run_id.as_ref()) {
        if !runs.contains_key(id)
            && let Some(run) = state.store.run(caller.workspace_id, id).await?
        {
            runs.insert(id.clone(), run);
        }
    }
    mask_runs(runs.values_mut());
    Ok(runs)
}

fn figures(rows: &[Row]) -> Vec<(String, String)> {
    let runs = || rows.iter().filter_map(|row| row.run.as_ref());
    let count = |status| runs().filter(|run| run.status == status).count() as u64;
    let not_launched = rows.iter().filter(|row| row.item.state == BatchItemState::Failed).count() as u64;
    let sum = |value: fn(&RunSummary) -> Option<u64>| runs().filter_map(value).sum::<u64>();
    let known = |name: &str, count: u64| (count > 0).then(|| (name.to_owned(), format::grouped(count)));
    let totals = [
        known("Succeeded", count(RunStatus::Succeeded)),
        known("Failed", count(RunStatus::Failed)),
        known("Cancelled", count(RunStatus::Cancelled)),
        known("In progress", count(RunStatus::Running) + count(RunStatus::Pending)),
        known("Not launched", not_launched),
        known("Tokens", sum(|run| run.tokens.map(|tokens| tokens.total()))),
        Some(("Cost".to_owned(), format::dollars(sum(|run| run.cost_micros)))),
        Some(("Run time".to_owned(), format::duration(sum(|run| run.duration_ms)))),
    ];
    totals.into_iter().flatten().collect()
}
