//! Finishes imports whose process is gone. They keep the events that were read.

use domain::{IMPORT_WITHOUT_END, RunSummary};
use protocol::RunStatus;

use crate::store::{Result, RunUpdate, Store};

/// Marks imports without new events since `idle_since_ms` as failed. Returns how many. An import that continues after all
/// gets the end of its own log.
pub async fn finish_abandoned(store: &Store, idle_since_ms: i64) -> Result<usize> {
    let abandoned = store.imports_without_end(idle_since_ms).await?;
    for (workspace, run_id) in &abandoned {
        tracing::info!(run_id, %workspace, "finishing an abandoned import");
        // The log may be complete although it was not indexed.
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
    use crate::import::{BATCH, Import, ImportWriter};

    /// Imports some events and stops, as when the process ends.
    async fn import_partly(store: &Store, events: &str) -> anyhow::Result<(crate::store::WorkspaceId, String)> {
        let workspace = store.workspace_from_slug("demo").await?;
        let mut import = Import::new(ImportWriter::start(store.clone()), workspace, Some("cut.ndjson".to_owned()));
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
    async fn an_abandoned_import_keeps_the_events_that_were_read() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let (workspace, id) = import_partly(&store, &deltas(BATCH + 10)?).await?;
        assert_eq!(finish_abandoned(&store, now_ms() - 60_000).await?, 0, "it may still be running");
        assert_eq!(store.run(workspace, &id).await?.context("the run")?.status, RunStatus::Running);

        assert_eq!(finish_abandoned(&store, now_ms() + 1).await?, 1);
        let run = store.run(workspace, &id).await?.context("the run")?;
        assert_eq!(
            (run.status, run.error.as_deref(), run.name.as_deref()),
            (RunStatus::Failed, Some(IMPORT_WITHOUT_END), Some("cut.ndjson"))
        );
        let report = store.import_report(workspace, &id).await?.context("a report")?;
        assert_eq!((report.events, report.faults.len()), (BATCH as u64, 1));
        assert!(report.faults[0].reason.contains("not read") && report.faults[0].line >= BATCH as u64, "{report:?}");
        assert_eq!(finish_abandoned(&store, now_ms() + 1).await?, 0);
        Ok(())
    }

    #[tokio::test]
    async fn a_failed_import_is_removed_with_its_events() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let (workspace, id) = import_partly(&store, &deltas(BATCH + 10)?).await?;
        store.delete_failed_import(workspace, &id).await?;
        assert!(store.run(workspace, &id).await?.is_none());
        assert!(store.import_report(workspace, &id).await?.is_none());
        // There may be nothing to remove.
        store.delete_failed_import(workspace, &id).await?;
        assert_eq!(finish_abandoned(&store, now_ms() + 1).await?, 0);
        Ok(())
    }

    #[tokio::test]
    async fn a_seq_that_is_too_large_is_reported() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let mut import = Import::new(ImportWriter::start(store.clone()), workspace, None);
        for seq in ["1", "9223372036854775807", "9223372036854775808"] {
            import.push(format!("{{\"seq\":{seq},\"type\":\"result\",\"data\":{{}}}}\n").as_bytes()).await?;
        }
        let report = import.finish().await?.report;
        assert_eq!((report.events, report.fault_count), (1, 2));
        assert_eq!(
            report.faults[0].reason,
            "the seq 9223372036854775807 is too large; the largest is 9007199254740991"
        );
        Ok(())
    }

    async fn import_of(dir: &tempfile::TempDir) -> anyhow::Result<Import> {
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        Ok(Import::new(ImportWriter::start(store), workspace, None))
    }

    #[tokio::test]
    async fn large_events_are_written_before_there_are_many() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let mut import = import_of(&dir).await?;
        let event = |seq: u64| {
            let data = serde_json::json!({ "text": "x".repeat(1_000_000) });
            serde_json::json!({ "seq": seq, "type": "assistant_delta", "data": data }).to_string() + "\n"
        };
        for seq in 1..=30 {
            import.push(event(seq).as_bytes()).await?;
            assert!(import.batch.len() <= 9, "{} events are in memory", import.batch.len());
        }
        assert_eq!(import.finish().await?.report.events, 30);
        Ok(())
    }

    #[tokio::test]
    async fn an_import_beyond_its_limits_keeps_the_beginning_and_says_so() -> anyhow::Result<()> {
        let (of_events, of_bytes) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let many = Import { max_events: 10, ..import_of(&of_events).await? };
        let long = Import { max_file_bytes: 1_000, ..import_of(&of_bytes).await? };
        for (mut import, limit) in [(many, "10 events"), (long, "1000 bytes")] {
            for line in deltas(30)?.lines() {
                import.push(format!("{line}\n").as_bytes()).await?;
            }
            let report = import.finish().await?.report;
            assert!((5..20).contains(&report.events), "{report:?}");
            assert_eq!(report.fault_count, 1);
            assert!(report.faults[0].reason.contains(limit), "{report:?}");
        }
        Ok(())
    }

    #[tokio::test]
    async fn metadata_beyond_the_limits_is_left_out() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let mut import = import_of(&dir).await?;
        let metadata: serde_json::Map<_, _> = (0..100).map(|key| (format!("key{key}"), "value".into())).collect();
        let header = serde_json::json!({ "runlens": 1, "run": { "name": "a", "metadata": metadata }, "spec": null });
        let end = serde_json::json!({ "seq": 1, "type": "result", "data": { "text": "Done." } });
        import.push(format!("{header}\n{end}\n").as_bytes()).await?;
        let (store, workspace) = (import.store.clone(), import.workspace);
        let imported = import.finish().await?;
        let run = store.run(workspace, &imported.run_id).await?.context("the run")?;
        assert_eq!(run.metadata.len(), 16);
        assert_eq!(imported.report.fault_count, 1);
        assert!(imported.report.faults[0].reason.contains("84 of 100 metadata entries"), "{:?}", imported.report);
        Ok(())
    }

    #[tokio::test]
    async fn no_run_is_created_later_than_its_import() -> anyhow::Result<()> {
        let late = 4_000_000_000_000_i64;
        let header = serde_json::json!({ "runlens": 1, "run": { "createdAtMs": late }, "spec": null });
        let end = serde_json::json!({ "seq": 1, "type": "result", "data": { "text": "Done." }, "ts": late, "createdAt": late });
        for log in [format!("{header}\n{end}\n"), format!("{end}\n")] {
            let dir = tempfile::tempdir()?;
            let mut import = import_of(&dir).await?;
            import.push(log.as_bytes()).await?;
            let (store, workspace) = (import.store.clone(), import.workspace);
            let run_id = import.finish().await?.run_id;
            let run = store.run(workspace, &run_id).await?.context("the run")?;
            assert!(run.created_at_ms <= now_ms(), "{}", run.created_at_ms);
        }
        Ok(())
    }

    #[tokio::test]
    async fn a_complete_log_keeps_its_own_end() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let end = format!("{{\"seq\":{BATCH},\"type\":\"result\",\"data\":{{\"text\":\"Done.\"}}}}\n");
        let (workspace, id) = import_partly(&store, &(deltas(BATCH - 1)? + &end)).await?;
        assert_eq!(finish_abandoned(&store, now_ms() + 1).await?, 1);
        assert_eq!(store.run(workspace, &id).await?.context("the run")?.status, RunStatus::Succeeded);
        Ok(())
    }
}
