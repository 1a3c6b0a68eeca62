//! Writing updates of runs: one transaction per batch, idempotent.
//!
//! Rows are merged here and not in SQL, because a run's tags follow from the merged row. The tags to add and to remove are
//! the difference to the tags that the stored row lists.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::RunSummary;
use protocol::{Event, Timeline};
use sqlx::AnyConnection;

use super::hour_counts::HourCounts;
use super::log::write_parts;
use super::log_summary::LogSummary;
use super::pack::{Packer, Part};
use super::prices::{Prices, cost_micros};
use super::run_row::{self, RunRow};
use super::sql::{Arg, execute, rows};
use super::tags::{self, Tag, TagChanges};
use super::text::{self, RunText};
use super::{Engine, Origin, Result, Store, WorkspaceId, list_key};

/// The version of tags and texts that this program writes. Runs with an older version are indexed again.
pub(super) const INDEX_VERSION: i64 = 1;
/// Runs per transaction.
const CHUNK: usize = 250;

/// New data about a run, from a list row, a snapshot or its log. `None` leaves the stored value as it is.
#[derive(Clone, Debug)]
pub struct RunUpdate {
    pub summary: RunSummary,
    pub completed_at_ms: Option<i64>,
    pub spec: Option<String>,
    pub log: Option<NewLog>,
}

/// A log's summary and, if the log has ended, its compressed parts.
#[derive(Clone, Debug)]
pub struct NewLog {
    pub summary: LogSummary,
    pub parts: Vec<Part>,
}

impl NewLog {
    /// Packs a whole log whose events are in order, with the timeline that they fold to. Returns `None` for an empty log.
    pub fn new(packer: &Packer, events: &[Event], timeline: &Timeline) -> Result<Option<Self>> {
        let summary = LogSummary::of(timeline);
        let parts = packer.pack_log(events).map_err(sqlx::Error::Io)?;
        Ok((!parts.is_empty()).then_some(Self { summary, parts }))
    }
}

impl Store {
    /// Inserts or merges runs. A run that has ended stays ended, even if an older response is merged later.
    pub async fn upsert_runs(&self, workspace: WorkspaceId, updates: &[RunUpdate]) -> Result<()> {
        for chunk in updates.chunks(CHUNK) {
            while let Err(error) = self.upsert_chunk(workspace, chunk).await {
                if !run_row::is_list_key_conflict(&error) {
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    async fn upsert_chunk(&self, workspace: WorkspaceId, updates: &[RunUpdate]) -> Result<()> {
        let mut tx = self.begin_writing(workspace).await?;
        let tags = self.write_updates(&mut tx, workspace, updates).await?;
        tx.commit().await?;
        self.tag_cache.insert(workspace, &tags);
        Ok(())
    }

    /// Writes updates within a transaction. Cache the returned tag ids after the commit.
    pub(super) async fn write_updates(
        &self,
        tx: &mut AnyConnection,
        workspace: WorkspaceId,
        updates: &[RunUpdate],
    ) -> Result<HashMap<Tag, i64>> {
        // MANTYX's list can contain a run twice while new runs arrive: the last one counts.
        let latest: BTreeMap<&str, &RunUpdate> =
            updates.iter().map(|update| (update.summary.id.as_str(), update)).collect();
        let ids: Vec<&str> = latest.keys().copied().collect();
        let mut known = run_row::by_ids(tx, workspace, &ids).await?;
        let new: Vec<(i64, &str)> = latest
            .iter()
            .filter(|(id, _)| !known.contains_key(**id))
            .map(|(id, update)| (update.summary.created_at_ms, *id))
            .collect();
        let list_keys = list_key::allocate(tx, &new).await?;
        let mut list_keys: HashMap<&str, i64> = new.iter().map(|(_, id)| *id).zip(list_keys).collect();
        let prices = Prices::load(tx, workspace).await?;

        let mut merged = Vec::with_capacity(latest.len());
        for (id, update) in latest {
            let before = known.remove(id);
            let stored = before.as_ref().map(|row| row.list_key);
            let list_key = stored.or_else(|| list_keys.remove(id)).unwrap_or_default();
            merged.push(MergedRun::new(list_key, before, update, &prices));
        }
        let wanted: BTreeSet<Tag> = merged.iter().flat_map(MergedRun::tags).collect();
        let tag_ids = tags::ids(tx, self.engine, &self.tag_cache, workspace, &wanted).await?;
        self.write_merged(tx, workspace, merged, &tag_ids).await?;
        Ok(tag_ids)
    }

    async fn write_merged(
        &self,
        tx: &mut AnyConnection,
        workspace: WorkspaceId,
        mut merged: Vec<MergedRun<'_>>,
        tag_ids: &HashMap<Tag, i64>,
    ) -> Result<()> {
        let mut changes = TagChanges::default();
        let mut hours = HourCounts::default();
        let mut changed = Vec::new();
        let mut texts = Vec::new();
        for run in &mut merged {
            let ids = |tags: &BTreeSet<Tag>| tags.iter().filter_map(|tag| tag_ids.get(tag).copied()).collect();
            run.row.tags.run = ids(&run.run_tags);
            if let Some(tags) = &run.log_tags {
                run.row.tags.log = ids(tags);
            }
            run.row.indexed = INDEX_VERSION;
            let before = run.before.as_ref();
            if before == Some(&run.row) && run.update.spec.is_none() && run.update.log.is_none() {
                continue;
            }
            changes.record(
                run.row.list_key,
                &before.map(|row| row.tags.all()).unwrap_or_default(),
                &run.row.tags.all(),
            );
            hours.record(before.filter(|row| row.indexed > 0), Some(&run.row));
            texts.extend(run.text());
            changed.push(&run.row);
        }
        run_row::write(tx, self.engine, workspace, &changed).await?;
        changes.write(tx, self.engine).await?;
        hours.write(tx, self.engine, workspace).await?;
        text::write(tx, self.engine, workspace, &texts).await?;
        for run in &merged {
            if let Some(log) = &run.update.log
                && !log.parts.is_empty()
            {
                write_parts(tx, run.row.list_key, &log.parts).await?;
            }
        }
        write_specs(tx, self.engine, &self.packer, &merged).await
    }
}

/// A run as it will be stored, with the stored row that it replaces.
struct MergedRun<'a> {
    before: Option<RunRow>,
    row: RunRow,
    update: &'a RunUpdate,
    run_tags: BTreeSet<Tag>,
    /// `None` if the update has no log.
    log_tags: Option<BTreeSet<Tag>>,
}

impl<'a> MergedRun<'a> {
    fn new(list_key: i64, before: Option<RunRow>, update: &'a RunUpdate, prices: &Prices) -> Self {
        let mut row = match &before {
            Some(before) => merge(before.clone(), update),
            None => RunRow::new(list_key, update),
        };
        if let Some(log) = &update.log {
            apply_log(&mut row, &log.summary);
        }
        if let (Some(tokens), Some(model)) = (row.summary.tokens, row.summary.model.as_deref())
            && let Some(price) = prices.for_run(row.price_id, model)
        {
            row.summary.cost_micros = Some(cost_micros(price, tokens));
            row.price_id = Some(price.id);
        }
        let run_tags = tags::of_run(&row.summary, row.summary.origin);
        let log_tags = update.log.as_ref().map(|log| tags::of_log(&log.summary));
        Self { before, row, update, run_tags, log_tags }
    }

    fn tags(&self) -> impl Iterator<Item = Tag> + '_ {
        self.run_tags.iter().chain(self.log_tags.iter().flatten()).cloned()
    }

    /// The text to index, if it changed: with a log all of it, without one the previews.
    fn text(&self) -> Option<RunText> {
        let run = &self.row.summary;
        let part = |text: &'a Option<String>| text.as_deref().unwrap_or("");
        let spec = self.update.spec.as_deref().and_then(|spec| serde_json::from_str(spec).ok()).unwrap_or_default();
        let prompt = protocol::spec::prompt_text(&spec);
        let prompt = if prompt.is_empty() { run.input_preview.as_deref().unwrap_or("") } else { prompt };
        if let Some(log) = &self.update.log {
            let error = log.summary.error.as_deref().or(run.error.as_deref()).unwrap_or("");
            return Some(RunText::new(
                self.row.list_key,
                &[prompt, &log.summary.answer, error, &log.summary.call_text],
            ));
        }
        let has_no_log = self.row.tags.log.is_empty() && self.row.log_state != LOG_COMPLETE;
        let shown = |run: &RunSummary| (run.input_preview.clone(), run.output_preview.clone(), run.error.clone());
        let changed = self.before.as_ref().is_none_or(|before| shown(&before.summary) != shown(run));
        let summary = &self.update.summary;
        (has_no_log && (changed || self.update.spec.is_some()))
            .then(|| RunText::new(self.row.list_key, &[prompt, part(&summary.output_preview), part(&summary.error)]))
    }
}

/// [`RunRow::log_state`]: the stored log ends with its terminal event.
pub(super) const LOG_COMPLETE: i64 = 1;
/// [`RunRow::log_state`]: MANTYX no longer has the log.
pub(super) const LOG_GONE: i64 = 2;

fn merge(mut row: RunRow, update: &RunUpdate) -> RunRow {
    let (run, new) = (&mut row.summary, &update.summary);
    let keep = |old: &mut Option<String>, new: &Option<String>| {
        if new.is_some() {
            old.clone_from(new);
        }
    };
    keep(&mut run.session_id, &new.session_id);
    keep(&mut run.name, &new.name);
    keep(&mut run.agent_id, &new.agent_id);
    keep(&mut run.model, &new.model);
    keep(&mut run.input_preview, &new.input_preview);
    keep(&mut run.output_preview, &new.output_preview);
    keep(&mut run.error, &new.error);
    if !run.status.is_terminal() {
        run.status = new.status;
    }
    run.tokens = new.tokens.or(run.tokens);
    run.turns = new.turns.or(run.turns);
    run.tool_calls = new.tool_calls.or(run.tool_calls);
    run.duration_ms = new.duration_ms.or(run.duration_ms);
    run.metadata.clone_from(&new.metadata);
    if new.origin == Origin::Mirrored {
        run.origin = Origin::Mirrored;
    }
    row.completed_at_ms = update.completed_at_ms.or(row.completed_at_ms);
    row
}

/// Sets marks and error class from the log, and fills in other values that are not known yet.
fn apply_log(row: &mut RunRow, log: &LogSummary) {
    let run = &mut row.summary;
    run.marks = log.marks;
    run.error_class.clone_from(&log.error_class);
    run.tool_calls = run.tool_calls.or(Some(log.calls));
    run.tokens = run.tokens.or(log.tokens);
    run.turns = run.turns.or(log.turns);
    if run.error.is_none() {
        run.error.clone_from(&log.error);
    }
    if run.output_preview.is_none() && !log.answer.is_empty() {
        run.output_preview = Some(protocol::json::preview(&log.answer, 200));
    }
    if let Some(status) = log.status.filter(|_| !run.status.is_terminal()) {
        run.status = status;
    }
    row.log_state = if log.complete { LOG_COMPLETE } else { row.log_state };
}

async fn write_specs(tx: &mut AnyConnection, engine: Engine, packer: &Packer, merged: &[MergedRun<'_>]) -> Result<()> {
    let specs: Vec<(i64, &String)> =
        merged.iter().filter_map(|run| Some((run.row.list_key, run.update.spec.as_ref()?))).collect();
    if specs.is_empty() {
        return Ok(());
    }
    let mut args = Vec::with_capacity(specs.len() * 2);
    for (list_key, spec) in &specs {
        args.extend([Arg::from(*list_key), packer.compress(spec.as_bytes()).map_err(sqlx::Error::Io)?.into()]);
    }
    let sql = format!(
        "INSERT INTO run_spec (n, body) VALUES {} ON CONFLICT (n) DO UPDATE SET body = excluded.body",
        rows(engine, specs.len(), "(?, ?)")
    );
    execute(tx, sql, args).await.map(drop)
}
