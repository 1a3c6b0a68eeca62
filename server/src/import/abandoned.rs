//! Imports whose process is gone: nobody will bring the rest, so they end as far as they came.

use domain::{IMPORT_WITHOUT_END, RunSummary};
use protocol::RunStatus;

use crate::store::{Result, RunUpdate, Store};

/// Ends imports to which nothing has come since `idle_since_ms`, and tells how many. One that goes on after all gets
/// its own end when that comes.
pub async fn end_abandoned(store: &Store, idle_since_ms: i64) -> Result<usize> {
    let abandoned = store.imports_without_end(idle_since_ms).await?;
    for (workspace, run_id) in &abandoned {
        // Perhaps only this was left to do.
        store.index_log(*workspace, run_id).await?;
        if let Some(run) = store.run(*workspace, run_id).await?
            && !run.status.is_terminal()
        {
            let summary = RunSummary { status: RunStatus::Failed, error: Some(IMPORT_WITHOUT_END.to_owned()), ..run };
            let update = RunUpdate { summary, completed_at_ms: None, spec: None, log: None };
            store.upsert_runs(*workspace, &[update]).await?;
        }
    }
    Ok(abandoned.len())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use anyhow::Context;

    use super::*;
    use crate::clock::now_ms;
    use crate::import::{BATCH, Import};

    /// What an import leaves behind when its process ends after some events.
    async fn left_behind(store: &Store, events: &str) -> anyhow::Result<(crate::store::WorkspaceId, String)> {
        let workspace = store.workspace_from_slug("demo").await?;
        let mut import = Import::new(store.clone(), workspace, Some("cut.ndjson".to_owned()));
        import.push(events.as_bytes()).await?;
        Ok((workspace, import.run_id.clone()))
    }

    fn deltas(count: usize) -> anyhow::Result<String> {
        let mut log = String::new();
        for seq in 1..=count {
            writeln!(log, "{{\"seq\":{seq},\"type\":\"assistant_delta\",\"data\":{{\"text\":\"x\"}}}}")?;
        }
        Ok(log)
    }

    #[tokio::test]
    async fn an_import_whose_process_ended_ends_as_far_as_it_came() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let (workspace, id) = left_behind(&store, &deltas(BATCH + 10)?).await?;
        assert_eq!(end_abandoned(&store, now_ms() - 60_000).await?, 0, "somebody may still be at it");
        assert_eq!(store.run(workspace, &id).await?.context("the run")?.status, RunStatus::Running);

        assert_eq!(end_abandoned(&store, now_ms() + 1).await?, 1);
        let run = store.run(workspace, &id).await?.context("the run")?;
        assert_eq!(
            (run.status, run.error.as_deref(), run.name.as_deref()),
            (RunStatus::Failed, Some(IMPORT_WITHOUT_END), Some("cut.ndjson"))
        );
        let report = store.import_report(workspace, &id).await?.context("a report")?;
        assert_eq!((report.events, report.faults.len()), (BATCH as u64, 1));
        assert!(report.faults[0].reason.contains("not read") && report.faults[0].line >= BATCH as u64, "{report:?}");
        assert_eq!(end_abandoned(&store, now_ms() + 1).await?, 0);
        Ok(())
    }

    #[tokio::test]
    async fn a_log_that_was_whole_keeps_its_own_end() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let end = format!("{{\"seq\":{BATCH},\"type\":\"result\",\"data\":{{\"text\":\"Done.\"}}}}\n");
        let (workspace, id) = left_behind(&store, &(deltas(BATCH - 1)? + &end)).await?;
        assert_eq!(end_abandoned(&store, now_ms() + 1).await?, 1);
        assert_eq!(store.run(workspace, &id).await?.context("the run")?.status, RunStatus::Succeeded);
        Ok(())
    }
}
