//! Rows of failure groups: they follow the runs, and people set their state.
//!
//! A run is in the group that its row names, and has a tag with the group's id. So the runs of a group are counted, listed and
//! deleted like those of any tag, and its row is refreshed from the tag in the same transaction.

use std::collections::{BTreeMap, BTreeSet};

use domain::{AuditAction, FailureState};
use protocol::timeline::FailureSignature;
use sqlx::AnyConnection;

use super::audit::{self, NewAuditEntry};
use super::run_row::RunRow;
use super::sql::{args, execute};
use super::{Result, Store, WorkspaceId};

/// The key of the tag with a group's id.
pub(super) const GROUP_KEY: &str = "group";

/// Changes of runs, collected and then written together.
#[derive(Default)]
pub(super) struct GroupChanges {
    signatures: BTreeMap<String, FailureSignature>,
    /// Groups whose runs have changed.
    changed: BTreeSet<String>,
    /// The newest run that is new in a group, with the time when it ended.
    joined: BTreeMap<String, (i64, String)>,
}

impl GroupChanges {
    /// Notes the change of a run from one row to another. `signature` is that of its log, if it was read again.
    pub fn record(&mut self, before: Option<&RunRow>, after: Option<&RunRow>, signature: Option<&FailureSignature>) {
        let group = |row: Option<&RunRow>| row.and_then(|row| row.summary.group.clone());
        let (old, new) = (group(before), group(after));
        if let Some(signature) = signature {
            self.signatures.insert(signature.id.clone(), signature.clone());
        }
        if old == new {
            return;
        }
        if let (Some(row), Some(id)) = (after, &new)
            && !before.is_some_and(RunRow::is_indexed_again)
        {
            let latest = (row.ended_at_ms(), row.summary.id.clone());
            let known = self.joined.entry(id.clone()).or_insert_with(|| latest.clone());
            *known = latest.max(known.clone());
        }
        self.changed.extend(old.into_iter().chain(new));
    }

    /// Writes the changes, after rows and tags of the runs are written.
    pub async fn write(self, tx: &mut AnyConnection, workspace: WorkspaceId) -> Result<()> {
        for signature in self.signatures.values() {
            let sql = "INSERT INTO failure_group (workspace_id, id, title, next_step, runs, state) \
                 VALUES ($1, $2, $3, $4, 0, $5) ON CONFLICT (workspace_id, id) \
                 DO UPDATE SET title = excluded.title, next_step = excluded.next_step";
            let open = FailureState::Open.as_str();
            execute(tx, sql, args![workspace, &signature.id, &signature.title, &signature.next_step, open]).await?;
        }
        for id in &self.changed {
            refresh(tx, workspace, id).await?;
            // Its title and note are about runs that are gone.
            let empty = "DELETE FROM failure_group WHERE workspace_id = $1 AND id = $2 AND runs <= 0";
            execute(tx, empty, args![workspace, id]).await?;
        }
        for (id, (ended_at_ms, run_id)) in self.joined {
            reopen(tx, workspace, &id, &run_id, ended_at_ms).await?;
        }
        Ok(())
    }
}

/// Counts the runs of a group, and finds the first and the newest one.
async fn refresh(tx: &mut AnyConnection, workspace: WorkspaceId, id: &str) -> Result<()> {
    let tag = "FROM tag t WHERE t.workspace_id = $1 AND t.key = 'group' AND t.value = $2";
    let end = |which: &str| {
        format!(
            "(SELECT r.created_at FROM run r WHERE r.workspace_id = $1 \
             AND r.n = (SELECT {which}(x.n) FROM run_tag x WHERE x.tag_id = (SELECT t.id {tag})))"
        )
    };
    let sql = format!(
        "UPDATE failure_group SET runs = COALESCE((SELECT t.runs {tag}), 0), first_seen_at = {}, last_seen_at = {} \
         WHERE workspace_id = $1 AND id = $2",
        end("MIN"),
        end("MAX")
    );
    execute(tx, sql, args![workspace, id]).await.map(drop)
}

/// Opens a resolved group because of a run that ended after that.
async fn reopen(
    tx: &mut AnyConnection,
    workspace: WorkspaceId,
    id: &str,
    run_id: &str,
    ended_at_ms: i64,
) -> Result<()> {
    let sql = "UPDATE failure_group SET state = $3, changed_at = $4, changed_by = NULL, reopened_by = $5 \
         WHERE workspace_id = $1 AND id = $2 AND state = $6 AND changed_at <= $7";
    let (open, resolved) = (FailureState::Open.as_str(), FailureState::Resolved.as_str());
    // The time of this change: a run's own times can be those of a file.
    let now_ms = chrono::Utc::now().timestamp_millis();
    if execute(tx, sql, args![workspace, id, open, now_ms, run_id, resolved, ended_at_ms]).await? == 0 {
        return Ok(());
    }
    let entry = NewAuditEntry {
        at_ms: now_ms,
        actor: "server".to_owned(),
        address: None,
        action: AuditAction::ReopenFailureGroup,
        target: Some(id.to_owned()),
        detail: Some(format!("new run {run_id}")),
    };
    audit::add(tx, workspace, &entry).await
}

/// Removes what an erasure leaves of its runs in groups with other runs: the ids of runs that reopened one.
pub(super) async fn erase(tx: &mut AnyConnection, workspace: WorkspaceId, rows: &[RunRow]) -> Result<()> {
    for row in rows {
        let reopened = "UPDATE failure_group SET reopened_by = NULL WHERE workspace_id = $1 AND reopened_by = $2";
        execute(tx, reopened, args![workspace, &row.summary.id]).await?;
    }
    Ok(())
}

impl Store {
    /// Sets the state of a group. Returns false if it has it already, or does not exist.
    pub async fn set_failure_state(
        &self,
        workspace: WorkspaceId,
        id: &str,
        state: FailureState,
        entry: &NewAuditEntry,
    ) -> Result<bool> {
        let sql = "UPDATE failure_group SET state = $3, changed_at = $4, changed_by = $5, reopened_by = NULL \
             WHERE workspace_id = $1 AND id = $2 AND state <> $3";
        let args = args![workspace, id, state.as_str(), entry.at_ms, &entry.actor];
        self.change_group(workspace, sql, args, entry).await
    }

    /// Sets or removes the note of a group. `replaces_at_ms` is the time of its present note, 0 without one. Returns false if
    /// that is another one, if nothing changed, or if the group does not exist.
    pub async fn set_failure_note(
        &self,
        workspace: WorkspaceId,
        id: &str,
        note: Option<&str>,
        replaces_at_ms: i64,
        entry: &NewAuditEntry,
    ) -> Result<bool> {
        let sql = "UPDATE failure_group SET note = $3, note_at = $4, note_by = $5 \
             WHERE workspace_id = $1 AND id = $2 AND COALESCE(note, '') <> COALESCE($3, '') \
             AND (CASE WHEN note IS NULL THEN 0 ELSE note_at END) = $6";
        let args = args![workspace, id, note, entry.at_ms, &entry.actor, replaces_at_ms];
        self.change_group(workspace, sql, args, entry).await
    }

    async fn change_group(
        &self,
        workspace: WorkspaceId,
        sql: &'static str,
        args: Vec<super::sql::Arg>,
        entry: &NewAuditEntry,
    ) -> Result<bool> {
        let mut tx = self.begin_writing(workspace).await?;
        let is_changed = execute(&mut tx, sql, args).await? > 0;
        if is_changed {
            audit::add(&mut tx, workspace, entry).await?;
        }
        tx.commit().await?;
        Ok(is_changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{RunUpdate, TimeSpan};

    #[tokio::test]
    async fn a_new_failed_run_without_a_log_reopens_its_group() {
        let dir = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}", dir.path().join("runlens.db").display());
        let store = Store::open(&url).await.expect("a database");
        let workspace = store.workspace_from_slug("demo").await.expect("a workspace");
        let fail = async |id: &str, at: &str| {
            let row = serde_json::json!({
                "id": id, "status": "failed", "error": "worker 17 exited", "createdAt": at, "completedAt": at,
            });
            let row = serde_json::from_value(row).expect("a row");
            store.upsert_runs(workspace, &[RunUpdate::from_row(&row).expect("a run")]).await.expect("stored");
            store.mark_log_gone(workspace, id).await.expect("marked");
            let span = TimeSpan { from_ms: None, before_ms: i64::MAX / 2 };
            let (groups, _) = store.failure_groups(workspace, span).await.expect("groups");
            assert_eq!(groups.len(), 1, "{groups:?}");
            groups[0].group.clone()
        };
        let group = fail("run_a", "2026-10-01T00:00:00Z").await;
        let entry = NewAuditEntry {
            at_ms: 1_791_000_000_000, // 2026-10-03
            actor: "kim".to_owned(),
            address: None,
            action: AuditAction::ResolveFailureGroup,
            target: None,
            detail: None,
        };
        let changed = store.set_failure_state(workspace, &group.id, FailureState::Resolved, &entry).await;
        assert!(changed.expect("changed"));
        let group = fail("run_b", "2026-10-09T00:00:00Z").await;
        assert_eq!((group.state, group.runs), (FailureState::Open, 2));
        assert_eq!(group.reopened_by_run_id.as_deref(), Some("run_b"));
    }
}
