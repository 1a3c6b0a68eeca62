//! Imports logs from files. Each becomes a run of the importer's workspace, marked as imported.
//!
//! ```text
//!   bytes ──▶ protocol::log_file ──▶ small log ──▶ fold, pack ──▶ writer: many imports in one transaction
//!                    │         └───▶ large log ──▶ batches of events ──▶ store ──▶ fold of the whole log ──▶ the run's row
//!                    └── invalid lines ──▶ the report, stored with the run
//! ```
//!
//! A small log is stored when it has been read, with everything that follows from it. A larger one is streamed: one batch is in
//! memory at a time. If it breaks off, or the client or the process is gone, the events that were read stay, and the report says so.

mod batch;
mod command;
mod form;
mod unfinished;
mod upload;
mod upload_task;
mod writer;

use std::collections::HashSet;

use app::AppError;
use domain::{IMPORT_WITHOUT_END, ImportFault, ImportReport, Marks, Origin, RunSummary};
use protocol::event::PLAUSIBLE_MS;
use protocol::log_file::{Header, Item, LogReader};
use protocol::validate::metadata_within_limits;
use protocol::{Event, RunStatus, Timeline};
use serde_json::{Value, json};

use crate::clock::now_ms;
use crate::error::Error;
use crate::random;
use crate::store::{Arrival, NewAuditEntry, NewImport, NewLog, RunUpdate, Store, WorkspaceId};

pub(crate) use batch::post_batch;
pub use command::{ImportOptions, import_files};
pub(crate) use form::post_import_form;
pub(crate) use unfinished::finish_abandoned;
pub(crate) use upload::post_import;
pub(crate) use writer::ImportWriter;

/// Events written at a time.
const BATCH: usize = 2_000;
/// The size in memory after which fewer events are written.
const MAX_BATCH_BYTES: usize = 8 * 1024 * 1024;
/// Limits of one import. The rest of its file is reported and not read.
const MAX_EVENTS: usize = 2_000_000;
const MAX_FILE_BYTES: u64 = 1024 * 1024 * 1024;
/// A log is small up to this size, if it fits into a batch.
const MAX_SMALL_BYTES: u64 = 256 * 1024;
const UNREAD: &str = "the rest of the file was not read";
/// The largest seq: browsers read larger integers inexactly, and databases not at all.
const MAX_SEQ: u64 = (1 << 53) - 1;

/// An import of one file.
pub struct Import {
    writer: ImportWriter,
    store: Store,
    workspace: WorkspaceId,
    run_id: String,
    reader: LogReader,
    header: Header,
    seqs: HashSet<u64>,
    batch: Vec<Event>,
    batch_bytes: usize,
    read_bytes: u64,
    /// A limit was reached: nothing more is read.
    is_full: bool,
    max_events: usize,
    max_file_bytes: u64,
    ended: bool,
    /// The earliest time of the events so far.
    started_at_ms: Option<i64>,
    /// The run's row is stored. It is created with the first batch.
    is_created: bool,
    report: ImportReport,
    /// For the audit log.
    entry: Option<NewAuditEntry>,
}

/// A stored run.
pub struct Imported {
    pub run_id: String,
    pub report: ImportReport,
    /// The entry for the audit log, unless it is stored with the run.
    pub entry: Option<NewAuditEntry>,
}

impl Imported {
    /// As the JSON API responds.
    fn to_json(&self) -> Value {
        json!({ "runId": self.run_id, "url": format!("/runs/{}", self.run_id), "report": self.report })
    }
}

impl Import {
    pub fn new(writer: ImportWriter, workspace: WorkspaceId, source: Option<String>) -> Self {
        let source =
            source.map(|name| protocol::json::preview(name.trim(), 200)).filter(|name| !name.is_empty() && name != "-");
        Self {
            store: writer.store().clone(),
            writer,
            workspace,
            run_id: format!("imported_{}", random::reference()),
            reader: LogReader::default(),
            header: Header::default(),
            seqs: HashSet::new(),
            batch: Vec::new(),
            batch_bytes: 0,
            read_bytes: 0,
            is_full: false,
            max_events: MAX_EVENTS,
            max_file_bytes: MAX_FILE_BYTES,
            ended: false,
            started_at_ms: None,
            is_created: false,
            report: ImportReport { source, imported_at_ms: now_ms(), ..ImportReport::default() },
            entry: None,
        }
    }

    /// Adds an entry about the new run to the audit log.
    pub fn recorded_as(self, entry: NewAuditEntry) -> Self {
        Self { entry: Some(entry.about(&self.run_id)), ..self }
    }

    pub async fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.is_full {
            return Ok(());
        }
        self.read_bytes += bytes.len() as u64;
        if self.read_bytes > self.max_file_bytes {
            self.stop_at_limit(self.reader.line(), &format!("a file may have at most {} bytes", self.max_file_bytes));
            return Ok(());
        }
        let items = self.reader.push(bytes);
        self.add(items).await
    }

    /// Notes in the report that the rest of the file cannot be read.
    fn note_read_error(&mut self, reason: &str) {
        let line = self.reader.line();
        self.report.add(ImportFault { line, reason: format!("the file ended early: {reason}") });
    }

    /// Reads no more of the file, and says so in the report.
    fn stop_at_limit(&mut self, line: u64, limit: &str) {
        self.is_full = true;
        self.reader = LogReader::default();
        self.report.add(ImportFault { line, reason: format!("{UNREAD}: {limit}") });
    }

    /// Finishes the import. Returns the run, or an error when the file has no event.
    pub async fn finish(mut self) -> Result<Imported, Error> {
        let items = std::mem::take(&mut self.reader).finish();
        self.add(items).await?;
        if let Some(log) = self.pack_small_log()? {
            return self.write_small_log(log).await;
        }
        self.write().await?;
        if !self.is_created {
            let first = self.report.faults.first();
            let example = first.map(|fault| format!(" Line {}: {}.", fault.line, fault.reason)).unwrap_or_default();
            let message = format!("No run events found.{example}");
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
        Ok(Imported { run_id: self.run_id, report: self.report, entry: self.entry })
    }

    /// Folds and packs a small log that has ended and of which nothing is stored.
    fn pack_small_log(&mut self) -> Result<Option<NewLog>, Error> {
        if self.is_created || !self.ended || self.read_bytes > MAX_SMALL_BYTES {
            return Ok(None);
        }
        self.batch.sort_by_key(|event| event.seq);
        let timeline = Timeline::from_events(&self.batch);
        let log = NewLog::new(self.store.packer(), &self.batch, &timeline, self.spec())?;
        Ok(log.filter(|log| log.summary.complete))
    }

    async fn write_small_log(mut self, log: NewLog) -> Result<Imported, Error> {
        // The events are not needed while the import waits.
        self.report.events = std::mem::take(&mut self.batch).len() as u64;
        let update = RunUpdate { log: Some(log), ..self.update(RunStatus::Running) };
        let import = NewImport { update, report: self.report.clone(), entry: self.entry };
        self.writer.write(self.workspace, import).await?;
        Ok(Imported { run_id: self.run_id, report: self.report, entry: None })
    }

    async fn add(&mut self, items: Vec<Item>) -> Result<(), Error> {
        for item in items {
            match item {
                _ if self.is_full => break,
                Item::Header(header) => self.set_header(header),
                Item::Unreadable(line) => self.report.add(ImportFault { line: line.line, reason: line.reason }),
                Item::Event(line, event) if event.seq > MAX_SEQ => {
                    let reason = format!("the seq {} is too large; the largest is {MAX_SEQ}", event.seq);
                    self.report.add(ImportFault { line, reason });
                }
                Item::Event(line, _) if self.seqs.len() == self.max_events => {
                    self.stop_at_limit(line, &format!("a run may have at most {} events", self.max_events));
                }
                Item::Event(line, event) if !self.seqs.insert(event.seq) => {
                    let reason = format!("event {} appears twice; the first one is used", event.seq);
                    self.report.add(ImportFault { line, reason });
                }
                Item::Event(_, event) => {
                    self.ended |= event.is_terminal();
                    let at_ms = event.time().map(|time| time.at_ms);
                    self.started_at_ms = self.started_at_ms.into_iter().chain(at_ms).min();
                    self.batch_bytes += event.memory_bytes();
                    self.batch.push(event);
                    if self.batch.len() == BATCH || self.batch_bytes > MAX_BATCH_BYTES {
                        self.write().await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes the run of an export. Metadata beyond the limits of MANTYX are left out.
    fn set_header(&mut self, mut header: Header) {
        let kept = metadata_within_limits(&header.run["metadata"]);
        let count = header.run["metadata"].as_object().map_or(0, serde_json::Map::len);
        if kept.len() < count {
            let reason = format!("{} of {count} metadata entries are beyond MANTYX's limits", count - kept.len());
            self.report.add(ImportFault { line: 1, reason });
        }
        if count > 0 {
            header.run["metadata"] = json!(kept);
        }
        self.header = header;
    }

    async fn write(&mut self) -> Result<(), Error> {
        let batch = std::mem::take(&mut self.batch);
        self.batch_bytes = 0;
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
                waited_ms: None,
                cost_micros: None,
                error_class: None,
                group: None,
                created_at_ms: self.header.run["createdAtMs"]
                    .as_i64()
                    .filter(|created_at_ms| PLAUSIBLE_MS.contains(created_at_ms))
                    .or(self.started_at_ms)
                    // Nothing was created later than it was imported, whatever a file says.
                    .map_or(self.report.imported_at_ms, |at_ms| at_ms.min(self.report.imported_at_ms)),
                metadata: serde_json::from_value(self.header.run["metadata"].clone()).unwrap_or_default(),
                marks: Marks::default(),
                origin: Origin::Imported,
            },
            completed_at_ms: None,
            spec: self.spec().map(Value::to_string),
            log: None,
        }
    }

    /// The spec from the header of an export.
    fn spec(&self) -> Option<&Value> {
        Some(&self.header.spec).filter(|spec| spec.is_object())
    }
}
