//! A background task of the demonstration: resolves a failure group and launches a run that fails in the same way, as people
//! would, so that the new run reopens the group. Only with the embedded sandbox, and once.

use std::time::Duration;

use domain::{AuditAction, FailureState, RunSort};
use protocol::Query;
use protocol::query::{Field, Term};
use serde_json::Value;

use crate::clock::now_ms;
use crate::mantyx::Bearer;
use crate::state::AppState;
use crate::store::{NewAuditEntry, Result, TimeSpan, WorkspaceId};

const WORKSPACE: &str = "demo";
const API_KEY: &str = "mantyx_sandbox_demo";
/// The runs of the group, and how many of them fail.
const NAME: &str = "nightly-sync";
const RUNS: u64 = 3;
const ACTOR: &str = "demonstration";
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Waits until the runs of the demonstration are synced, which needs a sign-in.
pub async fn show_a_reopened_failure(state: AppState) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = state.shutdown.cancelled() => return,
        }
        match try_once(&state).await {
            Ok(false) => {}
            Ok(true) => return,
            Err(error) => {
                return tracing::warn!(%error, workspace = WORKSPACE, "the demonstration cannot show a reopened failure");
            }
        }
    }
}

/// Returns true if there is nothing left to do.
async fn try_once(state: &AppState) -> Result<bool> {
    let Some((workspace, _)) = state.store.workspace_by_slug(WORKSPACE).await? else { return Ok(false) };
    let Some((group, was_changed)) = find_group(state, workspace).await? else { return Ok(false) };
    if was_changed {
        return Ok(true);
    }
    let Some(spec) = newest_spec(state, workspace, &group).await? else { return Ok(false) };
    // The run fails after this.
    let resolved_at_ms = now_ms();
    let bearer = Bearer::new(API_KEY.to_owned());
    if let Err(error) = state.mantyx.create_run(&bearer, WORKSPACE, &spec).await {
        // The group stays as it is, and the next start tries again.
        tracing::warn!(?error, workspace = WORKSPACE, "the demonstration cannot launch a run");
        return Ok(true);
    }
    let entry = NewAuditEntry {
        at_ms: resolved_at_ms,
        actor: ACTOR.to_owned(),
        address: None,
        action: AuditAction::ResolveFailureGroup,
        target: Some(group.clone()),
        detail: None,
    };
    state.store.set_failure_state(workspace, &group, FailureState::Resolved, &entry).await?;
    Ok(true)
}

/// The group with all failed runs of a name, and whether its state was changed before.
async fn find_group(state: &AppState, workspace: WorkspaceId) -> Result<Option<(String, bool)>> {
    let span = TimeSpan { from_ms: None, before_ms: now_ms() };
    let (mut found, _) = state.store.failure_groups(workspace, span).await?;
    state.store.add_affected(workspace, &mut found, span, u32::try_from(RUNS).unwrap_or(u32::MAX)).await?;
    let is_wanted = |group: &domain::FailureGroup| {
        let of_name = group.affected.iter().find(|value| value.key == "name" && value.value == NAME);
        of_name.is_some_and(|value| value.runs == RUNS)
    };
    let group = found.into_iter().map(|found| found.group).find(is_wanted);
    Ok(group.map(|group| (group.id, group.changed_at_ms.is_some())))
}

async fn newest_spec(state: &AppState, workspace: WorkspaceId, group: &str) -> Result<Option<Value>> {
    let query = Query::default().with(Term::Field { field: Field::Group, value: group.to_owned() });
    let plan = state.store.plan(workspace, &query, now_ms()).await?;
    let page = state.store.list_runs(&plan, RunSort::default(), None, 1).await?;
    let Some(run) = page.runs.first() else { return Ok(None) };
    let (spec, _) = state.store.run_spec_and_log_state(workspace, &run.id).await?;
    Ok(spec.and_then(|spec| serde_json::from_str(&spec).ok()))
}
