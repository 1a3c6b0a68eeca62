//! Imported runs and the reports of their files.

use domain::ImportReport;
use sqlx::{AnyConnection, Row};

use super::run_row::{self, origin_to_number};
use super::sql::{Arg, execute, rows};
use super::{NewAuditEntry, Origin, Result, RunUpdate, Store, WorkspaceId, audit};

/// A run from a file, with its whole log.
#[derive(Clone, Debug)]
pub struct NewImport {
    pub update: RunUpdate,
    pub report: ImportReport,
    pub entry: Option<NewAuditEntry>,
}

impl Store {
    /// Stores imported runs with their reports and entries of the audit log, in one transaction. Runs and reports that are
    /// stored again stay as they are.
    pub async fn store_imports(&self, workspace: WorkspaceId, imports: &[NewImport]) -> Result<()> {
        loop {
            match self.try_store_imports(workspace, imports).await {
                Err(error) if run_row::is_list_key_conflict(&error) => {}
                done => return done,
            }
        }
    }

    async fn try_store_imports(&self, workspace: WorkspaceId, imports: &[NewImport]) -> Result<()> {
        let mut tx = self.begin_writing(workspace).await?;
        let updates: Vec<&RunUpdate> = imports.iter().map(|import| &import.update).collect();
        let written = self.write_updates(&mut tx, workspace, &updates).await?;
        self.write_reports(&mut tx, workspace, imports).await?;
        for entry in imports.iter().filter_map(|import| import.entry.as_ref()) {
            audit::add(&mut tx, workspace, entry).await?;
        }
        tx.commit().await?;
        self.tag_cache.insert(workspace, &written.tags);
        Ok(())
    }

    async fn write_reports(&self, tx: &mut AnyConnection, workspace: WorkspaceId, imports: &[NewImport]) -> Result<()> {
        if imports.is_empty() {
            return Ok(());
        }
        let mut args = Vec::with_capacity(imports.len() * 3);
        for NewImport { update, report, .. } in imports {
            args.extend([Arg::from(workspace), Arg::from(&update.summary.id), Arg::from(to_json(report)?)]);
        }
        let sql = format!(
            "INSERT INTO run_import (workspace_id, run_id, report) VALUES {} \
             ON CONFLICT (workspace_id, run_id) DO UPDATE SET report = excluded.report",
            rows(self.engine, imports.len(), "(?, ?, ?)")
        );
        execute(tx, sql, args).await.map(drop)
    }

    pub async fn save_import_report(&self, workspace: WorkspaceId, run_id: &str, report: &ImportReport) -> Result<()> {
        sqlx::query(
            "INSERT INTO run_import (workspace_id, run_id, report) VALUES ($1, $2, $3) \
             ON CONFLICT (workspace_id, run_id) DO UPDATE SET report = excluded.report",
        )
        .bind(workspace.0)
        .bind(run_id)
        .bind(to_json(report)?)
        .execute(&self.writer)
        .await
        .map(drop)
    }

    pub async fn import_report(&self, workspace: WorkspaceId, run_id: &str) -> Result<Option<ImportReport>> {
        let json: Option<String> =
            sqlx::query_scalar("SELECT report FROM run_import WHERE workspace_id = $1 AND run_id = $2")
                .bind(workspace.0)
                .bind(run_id)
                .fetch_optional(&self.reader)
                .await?;
        Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
    }

    /// Imports of any workspace that have not ended and got no event since a time.
    pub async fn imports_without_end(&self, since_ms: i64) -> Result<Vec<(WorkspaceId, String)>> {
        let rows = sqlx::query(
            "SELECT r.workspace_id, r.id FROM workspace w JOIN run r ON r.workspace_id = w.id \
             WHERE r.log_state = 0 AND r.origin = $1 AND r.status = 'running' \
             AND NOT EXISTS (SELECT 1 FROM run_event e WHERE e.n = r.n AND e.seen_at > $2)",
        )
        .bind(origin_to_number(Origin::Imported))
        .bind(since_ms)
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(|row| Ok((WorkspaceId(row.try_get(0)?), row.try_get(1)?))).collect()
    }
}

fn to_json(report: &ImportReport) -> Result<String> {
    serde_json::to_string(report).map_err(|error| sqlx::Error::Encode(Box::new(error)))
}

#[cfg(test)]
mod tests {
    use domain::AuditAction;
    use protocol::Query;

    use super::*;
    use crate::seed::Seeder;

    const UNTIL_MS: i64 = 1_790_000_000_000;

    #[tokio::test]
    async fn imports_that_are_stored_again_are_counted_once() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, 20, UNTIL_MS, store.packer().clone());
        let import = |index: u64| -> anyhow::Result<NewImport> {
            let (update, events) = seeder.run(index)?;
            let report = ImportReport { events: events.len() as u64, ..ImportReport::default() };
            let (actor, target) = ("API key".to_owned(), Some(update.summary.id.clone()));
            let (action, address, detail) = (AuditAction::Import, None, None);
            Ok(NewImport {
                update,
                report,
                entry: Some(NewAuditEntry { at_ms: 1, actor, address, action, target, detail }),
            })
        };
        let imports = (0..20).map(import).collect::<anyhow::Result<Vec<_>>>()?;
        store.store_imports(workspace, &imports).await?;
        let stored = async || -> anyhow::Result<_> {
            let plan = store.plan(workspace, &Query::parse("invoice").unwrap_or_default(), UNTIL_MS).await?;
            let figures = store.insights(&store.plan(workspace, &Query::default(), UNTIL_MS).await?, "model").await?;
            let reports = [store.import_report(workspace, &imports[7].update.summary.id).await?];
            let bytes = store.log_bytes(workspace, &imports[7].update.summary.id).await?;
            let found = store.list_runs(&plan, domain::RunSort::default(), None, 200).await?.runs;
            Ok((store.count_runs(workspace).await?, found, figures, reports, bytes))
        };
        let first = stored().await?;
        assert_eq!(first.0, 20);
        assert_eq!(store.audit_page(workspace, None, 100).await?.entries.len(), 20);
        store.store_imports(workspace, &imports[5..]).await?;
        assert_eq!(stored().await?, first);
        Ok(())
    }
}
