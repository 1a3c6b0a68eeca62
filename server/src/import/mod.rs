//! Logs from files become runs of the importer's workspace, marked as imported.
//!
//! ```text
//!   bytes ──▶ protocol::log_file ──▶ batches of events ──▶ store ──▶ one reading of the whole log ──▶ the run's row
//!                    └── lines that cannot be read ──▶ the report, kept with the run
//! ```
//!
//! A file is read as it comes: one batch is in memory at a time. What breaks off in the middle is kept as far as it
//! came, and says so; also where the one who sent it is gone, or the process that read it.

mod abandoned;
mod command;
mod receiver;
mod upload;

use std::collections::HashSet;

use app::AppError;
use domain::{IMPORT_WITHOUT_END, ImportFault, ImportReport, Marks, Origin, RunSummary};
use protocol::log_file::{Header, Item, LogReader};
use protocol::{Event, RunStatus};
use serde_json::Value;

use crate::clock::now_ms;
use crate::error::Error;
use crate::random;
use crate::store::{RunUpdate, Seen, Store, WorkspaceId};

pub(crate) use abandoned::end_abandoned;
pub use command::{ImportOptions, import_files};
pub(crate) use upload::{post_import, post_import_form};

/// Events written at a time.
const BATCH: usize = 2_000;
const UNREAD: &str = "the rest of the file was not read";

/// One file on its way in.
pub struct Import {
    store: Store,
    workspace: WorkspaceId,
    run_id: String,
    reader: LogReader,
    header: Header,
    seen: HashSet<u64>,
    batch: Vec<Event>,
    ended: bool,
    /// The run's row is there; it is made with the first event.
    begun: bool,
    report: ImportReport,
}

impl Import {
    pub fn new(store: Store, workspace: WorkspaceId, source: Option<String>) -> Self {
        let source =
            source.map(|name| protocol::json::preview(name.trim(), 200)).filter(|name| !name.is_empty() && name != "-");
        Self {
            store,
            workspace,
            run_id: format!("imported_{}", random::reference()),
            reader: LogReader::default(),
            header: Header::default(),
            seen: HashSet::new(),
            batch: Vec::new(),
            ended: false,
            begun: false,
            report: ImportReport { source, imported_at_ms: now_ms(), ..ImportReport::default() },
        }
    }

    pub async fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let items = self.reader.push(bytes);
        self.take(items).await
    }

    /// Says that the rest of the file will not come.
    pub fn broke_off(&mut self, reason: &str) {
        let line = self.reader.line();
        self.report.add(ImportFault { line, reason: format!("the file broke off: {reason}") });
    }

    /// The run that came of it. A file without any event makes none.
    pub async fn finish(mut self) -> Result<(String, ImportReport), Error> {
        let items = std::mem::take(&mut self.reader).finish();
        self.take(items).await?;
        self.write().await?;
        if !self.begun {
            let first = self.report.faults.first();
            let seen = first.map(|fault| format!(" Line {}: {}.", fault.line, fault.reason)).unwrap_or_default();
            let message = format!("There is no event of a run in this file.{seen}");
            return Err(AppError::Invalid { field: "file".to_owned(), message }.into());
        }
        // Whoever sees that it has ended sees why.
        self.store.keep_import_report(self.workspace, &self.run_id, &self.report).await?;
        if !self.ended {
            // Nothing more will come of it, so it is not shown as running.
            let mut update = self.update(RunStatus::Failed);
            update.summary.error = Some(IMPORT_WITHOUT_END.to_owned());
            self.store.upsert_runs(self.workspace, &[update]).await?;
        }
        self.store.index_log(self.workspace, &self.run_id).await?;
        Ok((self.run_id, self.report))
    }

    async fn take(&mut self, items: Vec<Item>) -> Result<(), Error> {
        for item in items {
            match item {
                Item::Header(header) => self.header = header,
                Item::Unreadable(line) => self.report.add(ImportFault { line: line.line, reason: line.reason }),
                Item::Event(line, event) if !self.seen.insert(event.seq) => {
                    let reason = format!("event {} is there twice; the first one is kept", event.seq);
                    self.report.add(ImportFault { line, reason });
                }
                Item::Event(_, event) => {
                    self.ended |= event.is_terminal();
                    self.batch.push(event);
                    if self.batch.len() == BATCH {
                        self.write().await?;
                    }
                }
            }
        }
        Ok(())
    }

    async fn write(&mut self) -> Result<(), Error> {
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() {
            return Ok(());
        }
        if !self.begun {
            self.store.upsert_runs(self.workspace, &[self.update(RunStatus::Running)]).await?;
            self.begun = true;
        }
        let seen = Seen { at_ms: now_ms(), live: false };
        self.store.insert_events(self.workspace, &self.run_id, &batch, seen).await?;
        self.report.events += batch.len() as u64;
        self.keep_progress().await
    }

    /// What is to be told of the file if nothing more of it is read.
    async fn keep_progress(&self) -> Result<(), Error> {
        let mut report = self.report.clone();
        report.add(ImportFault { line: self.reader.line(), reason: UNREAD.to_owned() });
        Ok(self.store.keep_import_report(self.workspace, &self.run_id, &report).await?)
    }

    /// What is known of the run beside its log: what an export says, or the file's name.
    fn update(&self, status: RunStatus) -> RunUpdate {
        let said = |field: &str| self.header.run[field].as_str().map(str::to_owned);
        let number = |field: &str| self.header.run[field].as_u64();
        RunUpdate {
            summary: RunSummary {
                id: self.run_id.clone(),
                session_id: None,
                status,
                name: said("name").or_else(|| self.report.source.clone()),
                agent_id: said("agentId"),
                model: said("model"),
                input_preview: said("inputPreview"),
                output_preview: None,
                error: None,
                tokens: serde_json::from_value(self.header.run["tokens"].clone()).ok().flatten(),
                turns: None,
                tool_calls: None,
                duration_ms: number("durationMs"),
                cost_micros: None,
                error_class: None,
                created_at_ms: self.header.run["createdAtMs"].as_i64().unwrap_or(self.report.imported_at_ms),
                metadata: serde_json::from_value(self.header.run["metadata"].clone()).unwrap_or_default(),
                marks: Marks::default(),
                origin: Origin::Imported,
            },
            completed_at_ms: None,
            spec: Some(&self.header.spec).filter(|spec| spec.is_object()).map(Value::to_string),
            log: None,
        }
    }
}
