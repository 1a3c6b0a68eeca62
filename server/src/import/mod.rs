//! Imports logs from files. Each becomes a run of the importer's workspace, marked as imported.
//!
//! ```text
//!   bytes ──▶ protocol::log_file ──▶ batches of events ──▶ store ──▶ fold of the whole log ──▶ the run's row
//!                    └── invalid lines ──▶ the report, stored with the run
//! ```
//!
//! A file is streamed: one batch is in memory at a time. If it breaks off, or the client or the process is gone, the events
//! that were read stay, and the report says so.

mod command;
mod form;
mod unfinished;
mod upload;
mod upload_task;

use std::collections::HashSet;

use app::AppError;
use domain::{IMPORT_WITHOUT_END, ImportFault, ImportReport, Marks, Origin, RunSummary};
use protocol::log_file::{Header, Item, LogReader};
use protocol::{Event, RunStatus};
use serde_json::Value;

use crate::clock::now_ms;
use crate::error::Error;
use crate::random;
use crate::store::{Arrival, RunUpdate, Store, WorkspaceId};

pub use command::{ImportOptions, import_files};
pub(crate) use form::post_import_form;
pub(crate) use unfinished::finish_abandoned;
pub(crate) use upload::post_import;

/// Events written at a time.
const BATCH: usize = 2_000;
const UNREAD: &str = "the rest of the file was not read";
/// The largest seq: browsers read larger integers inexactly, and databases not at all.
const MAX_SEQ: u64 = (1 << 53) - 1;

/// An import of one file.
pub struct Import {
    store: Store,
    workspace: WorkspaceId,
    run_id: String,
    reader: LogReader,
    header: Header,
    seqs: HashSet<u64>,
    batch: Vec<Event>,
    ended: bool,
    /// The run's row is stored. It is created with the first batch.
    is_created: bool,
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
            seqs: HashSet::new(),
            batch: Vec::new(),
            ended: false,
            is_created: false,
            report: ImportReport { source, imported_at_ms: now_ms(), ..ImportReport::default() },
        }
    }

    pub async fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let items = self.reader.push(bytes);
        self.add(items).await
    }

    /// Notes in the report that the rest of the file cannot be read.
    fn note_read_error(&mut self, reason: &str) {
        let line = self.reader.line();
        self.report.add(ImportFault { line, reason: format!("the file ended early: {reason}") });
    }

    /// Finishes the import. Returns the run's id, or an error when the file has no event.
    pub async fn finish(mut self) -> Result<(String, ImportReport), Error> {
        let items = std::mem::take(&mut self.reader).finish();
        self.add(items).await?;
        self.write().await?;
        if !self.is_created {
            let first = self.report.faults.first();
            let example = first.map(|fault| format!(" Line {}: {}.", fault.line, fault.reason)).unwrap_or_default();
            let message = format!("No run events found in this file.{example}");
            return Err(AppError::Invalid { field: "file".to_owned(), message }.into());
        }
        // Stored before the run ends, so that a viewer of the ended run sees the report.
        self.store.save_import_report(self.workspace, &self.run_id, &self.report).await?;
        if !self.ended {
            // Nothing more will come, so the run must not be shown as running.
            let mut update = self.update(RunStatus::Failed);
            update.summary.error = Some(IMPORT_WITHOUT_END.to_owned());
            self.store.upsert_runs(self.workspace, &[update]).await?;
        }
        self.store.index_log(self.workspace, &self.run_id).await?;
        Ok((self.run_id, self.report))
    }

    async fn add(&mut self, items: Vec<Item>) -> Result<(), Error> {
        for item in items {
            match item {
                Item::Header(header) => self.header = header,
                Item::Unreadable(line) => self.report.add(ImportFault { line: line.line, reason: line.reason }),
                Item::Event(line, event) if event.seq > MAX_SEQ => {
                    let reason = format!("the seq {} is too large; the largest is {MAX_SEQ}", event.seq);
                    self.report.add(ImportFault { line, reason });
                }
                Item::Event(line, event) if !self.seqs.insert(event.seq) => {
                    let reason = format!("event {} appears twice; the first one is used", event.seq);
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
        if !self.is_created {
            self.store.upsert_runs(self.workspace, &[self.update(RunStatus::Running)]).await?;
            self.is_created = true;
        }
        let arrival = Arrival { at_ms: now_ms(), live: false };
        self.store.insert_events(self.workspace, &self.run_id, &batch, arrival).await?;
        self.report.events += batch.len() as u64;
        self.store_progress().await
    }

    /// Stores the report as it is to be shown if nothing more of the file is read.
    async fn store_progress(&self) -> Result<(), Error> {
        let mut report = self.report.clone();
        report.add(ImportFault { line: self.reader.line(), reason: UNREAD.to_owned() });
        Ok(self.store.save_import_report(self.workspace, &self.run_id, &report).await?)
    }

    /// Returns the run's row: from the header of an export, or with the file's name.
    fn update(&self, status: RunStatus) -> RunUpdate {
        let text = |field: &str| self.header.run[field].as_str().map(str::to_owned);
        let number = |field: &str| self.header.run[field].as_u64();
        RunUpdate {
            summary: RunSummary {
                id: self.run_id.clone(),
                session_id: None,
                status,
                name: text("name").or_else(|| self.report.source.clone()),
                agent_id: text("agentId"),
                model: text("model"),
                input_preview: text("inputPreview"),
                output_preview: None,
                error: None,
                reason: None,
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
