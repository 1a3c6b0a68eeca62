//! The list of failure groups, and the page of one.

mod group;
mod links;
mod list;
mod parts;
mod trend;

use app::model::failures::{FailureModel, FailuresAddress, FailuresModel};
use app::model::run::RunView;
use domain::{FailureGroup, FailureSort, FailureState, RunSort, RunSummary};
use protocol::Query;
use protocol::query::{Field, Term};

use super::run;
use crate::auth::scopes::RUNS_WRITE;
use crate::clock::now_ms;
use crate::error::Error;
use crate::failures::{self, ListQuery, PAGE_SIZE, TimeRange};
use crate::masking::{mask_runs, masked};
use crate::runs::{History, list_runs};
use crate::workspace::SignedInWorkspace;
use links::Links;

/// The time range of the list, unless its URL has one.
const DEFAULT_SINCE: &str = "30d";
/// The value of `since` for no limit.
const ALL_TIME: &str = "all";
/// Newest runs on the page of a group.
const NEWEST_RUNS: u32 = 10;

pub async fn load_list(workspace: &SignedInWorkspace, address: &FailuresAddress) -> Result<FailuresModel, Error> {
    let links = Links {
        state: address.state.as_deref().and_then(FailureState::parse).unwrap_or_default(),
        sort: address.sort.as_deref().and_then(FailureSort::parse).unwrap_or_default(),
        since: address.since.clone().or_else(|| address.before.is_none().then(|| DEFAULT_SINCE.to_owned())),
        before: address.before.clone(),
    };
    let query = ListQuery {
        state: Some(links.state),
        range: range(&links)?,
        sort: links.sort,
        cursor: address.cursor.clone(),
        limit: PAGE_SIZE,
    };
    let (found, freshness) = failures::list(&workspace.state, &workspace.caller, &query).await?;
    let notice = freshness.stale().or_else(|| workspace.cannot_save_notice());
    Ok(FailuresModel { html: list::render(&found, &links, query.range, notice, now_ms()) })
}

pub async fn load_group(
    workspace: &SignedInWorkspace,
    id: &str,
    address: &FailuresAddress,
) -> Result<FailureModel, Error> {
    let (since, before) = (address.since.clone(), address.before.clone());
    let links = Links { since, before, ..Links::default() };
    let range = range(&links)?;
    let group = failures::find(&workspace.state, &workspace.caller, id, &range).await?;
    let runs = newest_runs(workspace, &group, range).await?;
    let finding = match runs.first() {
        Some(run) => typical_finding(workspace, run).await,
        None => String::new(),
    };
    let page = group::Page {
        links: &links,
        range,
        runs: &runs,
        finding,
        can_write: workspace.has_scope(RUNS_WRITE),
        notice: workspace.cannot_save_notice(),
        now_ms: now_ms(),
    };
    Ok(FailureModel { title: masked(&group.title).into_owned(), html: group::render(&group, &page) })
}

fn range(links: &Links) -> Result<TimeRange, Error> {
    let since = links.since.as_deref().filter(|since| *since != ALL_TIME);
    TimeRange::parse(since, links.before.as_deref())
}

async fn newest_runs(
    workspace: &SignedInWorkspace,
    group: &FailureGroup,
    range: TimeRange,
) -> Result<Vec<RunSummary>, Error> {
    let query = runs_query(&group.id, range, None);
    let (state, caller) = (&workspace.state, &workspace.caller);
    let sort = RunSort::default();
    let (_, mut page) = list_runs(state, caller, &query, sort, None, NEWEST_RUNS, History::StoredOnly).await?;
    mask_runs(&mut page.runs);
    Ok(page.runs)
}

/// The finding of a run as its page shows it, or nothing if it cannot be read.
async fn typical_finding(workspace: &SignedInWorkspace, run: &RunSummary) -> String {
    match run::load(workspace, &run.id, &RunView::default()).await {
        Ok(page) => page.state.findings,
        Err(error) => {
            tracing::warn!(run_id = run.id, workspace = %workspace.caller.workspace_id, ?error, "cannot show the finding of a failure group");
            String::new()
        }
    }
}

/// The filter that finds the runs of a group in a time range, and with a value.
fn runs_query(id: &str, range: TimeRange, value: Option<Term>) -> Query {
    let group = Query::default().with(Term::Field { field: Field::Group, value: id.to_owned() });
    let since = range.since.map(Term::Since);
    let before = range.before.map(Term::Before);
    value.into_iter().chain(since).chain(before).fold(group, |query, term| query.with(term))
}
