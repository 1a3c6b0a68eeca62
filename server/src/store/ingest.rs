//! Writing updates of runs: one transaction per batch, idempotent.
//!
//! Rows are merged here and not in SQL, because a run's tags follow from the merged row. The tags to add and to remove are
//! the difference to the tags that the stored row lists.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::RunSummary;
use protocol::messages::Metadata;
use protocol::timeline::{FailureSignature, failure_signature_without_log, first_line};
use protocol::{Event, RunStatus, Timeline};
use serde_json::Value;
use sqlx::AnyConnection;

use super::erasure::{ErasedItems, run_hashes};
use super::failure_groups::GroupChanges;
use super::hour_counts::HourCounts;
use super::insights::{FactsChanges, LogFacts, ToolFacts};
use super::log::without_header_values;
use super::log::write_parts;
use super::log_summary::LogSummary;
use super::pack::{Packer, Part};
use super::prices::{Prices, cost_micros};
use super::run_row::{self, RunRow};
use super::sql::{Arg, execute, rows};
use super::tags::{self, KnownTags, Tag, TagChanges};
use super::text::{self, RunText, SearchedText, Words};
use super::tool_use::ToolUse;
use super::{Engine, Origin, Result, Store, WorkspaceId, list_key, storable};

/// The version of tags and texts that this program writes. Runs with an older version are indexed again.
pub(super) const INDEX_VERSION: i64 = 8;
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

impl RunUpdate {
    /// The size of the compressed log.
    pub fn log_bytes(&self) -> usize {
        self.log.iter().flat_map(|log| &log.parts).map(|part| part.body.len()).sum()
    }

    fn has_whole_log(&self) -> bool {
        self.log.as_ref().is_some_and(|log| log.summary.complete)
    }
}

/// A log's summary and, if the log has ended, its compressed parts.
#[derive(Clone, Debug)]
pub struct NewLog {
    pub summary: LogSummary,
    pub parts: Vec<Part>,
}

impl NewLog {
    /// Packs a whole log whose events are in order, with the timeline that they fold to. Returns `None` for an empty log.
    pub fn new(packer: &Packer, events: &[Event], timeline: &Timeline, spec: Option<&Value>) -> Result<Option<Self>> {
        let summary = LogSummary::of(timeline, spec);
        let parts = packer.pack_log(events).map_err(sqlx::Error::Io)?;
        Ok((!parts.is_empty()).then_some(Self { summary, parts }))
    }
}

impl Store {
    /// Inserts or merges runs. A run that has ended stays ended, even if an older response is merged later.
    pub async fn upsert_runs(&self, workspace: WorkspaceId, updates: &[RunUpdate]) -> Result<()> {
        for chunk in updates.chunks(CHUNK) {
            let stale = loop {
                match self.upsert_chunk(workspace, chunk).await {
                    Ok(stale) => break stale,
                    Err(error) if run_row::is_list_key_conflict(&error) => {}
                    Err(error) => return Err(error),
                }
            };
            for run_id in stale {
                // Boxed, because indexing a run without a log comes back here.
                Box::pin(self.index_log(workspace, &run_id)).await?;
            }
        }
        Ok(())
    }

    /// Returns the runs whose text has to be indexed again with their stored logs.
    async fn upsert_chunk(&self, workspace: WorkspaceId, updates: &[RunUpdate]) -> Result<Vec<String>> {
        let mut tx = self.begin_writing(workspace).await?;
        let updates: Vec<&RunUpdate> = updates.iter().collect();
        let Written { tags, stale } = self.write_updates(&mut tx, workspace, &updates).await?;
        tx.commit().await?;
        self.tag_cache.insert(workspace, &tags);
        Ok(stale)
    }

    /// Writes updates within a transaction. Cache the returned tag ids after the commit.
    pub(super) async fn write_updates(
        &self,
        tx: &mut AnyConnection,
        workspace: WorkspaceId,
        updates: &[&RunUpdate],
    ) -> Result<Written> {
        // MANTYX's list can contain a run twice while new runs arrive: the last one counts.
        let updates: Vec<Cow<'_, RunUpdate>> = updates.iter().map(|update| storable::update(update)).collect();
        let mut latest: BTreeMap<&str, &RunUpdate> =
            updates.iter().map(|update| (update.summary.id.as_str(), update.as_ref())).collect();
        let hashes = || latest.values().flat_map(|update| run_hashes(&update.summary)).collect();
        let erased = ErasedItems::among(tx, workspace, hashes).await?;
        latest.retain(|_, update| !erased.has_run(&update.summary));
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
        let tags = tags::ids(tx, self.engine, &self.tag_cache, workspace, &wanted).await?;
        let stale = self.write_merged(tx, workspace, merged, &tags).await?;
        Ok(Written { tags, stale })
    }

    async fn write_merged(
        &self,
        tx: &mut AnyConnection,
        workspace: WorkspaceId,
        mut merged: Vec<MergedRun<'_>>,
        known: &KnownTags,
    ) -> Result<Vec<String>> {
        let mut changes = TagChanges::default();
        let mut hours = HourCounts::default();
        let mut groups = GroupChanges::default();
        let mut facts = FactsChanges::default();
        let mut changed = Vec::new();
        let mut texts = Vec::new();
        for run in &mut merged {
            let ids = |tags: &BTreeSet<Tag>| tags.iter().filter_map(|tag| known.ids.get(tag).copied()).collect();
            run.row.tags.run = ids(&run.run_tags);
            if let Some(tags) = &run.log_tags {
                run.row.tags.log = ids(tags);
            }
            // A restart indexes it if this process does not get to it.
            run.row.indexed = if run.is_text_stale() { INDEX_VERSION - 1 } else { INDEX_VERSION };
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
            groups.record(before, Some(&run.row), run.failure.as_ref());
            texts.extend(run.text());
            facts.push(&run.row, run.log_facts(known));
            changed.push(&run.row);
        }
        run_row::write(tx, self.engine, workspace, &changed).await?;
        changes.write(tx, self.engine).await?;
        hours.write(tx, self.engine, workspace).await?;
        groups.write(tx, workspace).await?;
        facts.write(tx, self.engine, workspace).await?;
        text::write(tx, self, workspace, &texts).await?;
        let logs = merged.iter().filter_map(|run| Some((run.row.list_key, run.update.log.as_ref()?)));
        let parts: Vec<(i64, &Part)> =
            logs.flat_map(|(list_key, log)| log.parts.iter().map(move |part| (list_key, part))).collect();
        write_parts(tx, self.engine, &parts).await?;
        write_specs(tx, self.engine, &self.packer, &merged).await?;
        Ok(merged.iter().filter(|run| run.is_text_stale()).map(|run| run.row.summary.id.clone()).collect())
    }
}

/// The result of a write.
pub(super) struct Written {
    pub tags: KnownTags,
    /// Ids of runs whose text has to be indexed again with their stored logs.
    stale: Vec<String>,
}

/// A run as it will be stored, with the stored row that it replaces.
struct MergedRun<'a> {
    before: Option<RunRow>,
    row: RunRow,
    update: &'a RunUpdate,
    run_tags: BTreeSet<Tag>,
    /// `None` if the update has no log.
    log_tags: Option<BTreeSet<Tag>>,
    /// The failure group, unless it is known already and the update says nothing about it.
    failure: Option<FailureSignature>,
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
        let failure = match &update.log {
            Some(log) if log.summary.complete => log.summary.failure.clone(),
            _ => row.lacks_end().then(|| failure_signature_without_log(row.summary.error.as_deref())),
        };
        let is_known = before.is_some() && row.log_state == LOG_COMPLETE && !update.has_whole_log();
        if !is_known {
            row.summary.group = failure.as_ref().map(|failure| failure.id.clone());
        }
        if row.summary.reason.is_none() && row.summary.status == RunStatus::Failed {
            row.summary.reason = row.summary.error.as_deref().and_then(first_line);
        }
        if let (Some(tokens), Some(model)) = (row.summary.tokens, row.summary.model.as_deref())
            && let Some(price) = prices.for_run(row.price_id, model)
        {
            row.summary.cost_micros = Some(cost_micros(price, tokens));
            row.price_id = Some(price.id);
        }
        storable::run(&mut row.summary);
        let run_tags = tags::of_run(&row.summary, row.summary.origin);
        let log_tags = update.log.as_ref().map(|log| tags::of_log(&log.summary));
        Self { before, row, update, run_tags, log_tags, failure }
    }

    fn tags(&self) -> impl Iterator<Item = Tag> + '_ {
        self.run_tags.iter().chain(self.log_tags.iter().flatten()).cloned()
    }

    /// How much of its time is known, and how it used its tools, if the update has a log.
    fn log_facts(&self, known: &KnownTags) -> Option<LogFacts> {
        let log = &self.update.log.as_ref()?.summary;
        let tool =
            |(name, used): (&String, &ToolUse)| Some(ToolFacts::new(*known.ids.get(&Tag::new("tool", name))?, used));
        Some((log.observed_ms, log.tool_use.iter().filter_map(tool).collect()))
    }

    /// The row has changed since its text was written with the words of the whole log.
    fn is_text_stale(&self) -> bool {
        self.update.log.is_none() && self.row.log_state == LOG_COMPLETE && !self.is_text_current()
    }

    fn has_no_log(&self) -> bool {
        self.row.tags.log.is_empty() && self.row.log_state != LOG_COMPLETE
    }

    fn is_text_current(&self) -> bool {
        let is_same = |before: &RunRow| shown_text(&before.summary) == shown_text(&self.row.summary);
        self.before.as_ref().is_some_and(|before| before.indexed == INDEX_VERSION && is_same(before))
    }

    /// The text to index, if it changed: with a log all of it, without one the previews.
    fn text(&self) -> Option<RunText> {
        let (run, log) = (&self.row.summary, self.update.log.as_ref().map(|log| &log.summary));
        let is_current = self.is_text_current() && self.update.spec.is_none();
        if log.is_none() && (!self.has_no_log() || is_current) {
            return None;
        }
        let spec = self.update.spec.as_deref().and_then(|spec| serde_json::from_str(spec).ok()).unwrap_or_default();
        let of = |text: &Option<String>| Words::of(text.as_deref().unwrap_or(""));
        let mut parts = [
            Words::of(protocol::spec::prompt_text(&spec)),
            log.map_or_else(Words::default, |log| log.words.answer.clone()),
            log.map_or_else(Words::default, |log| log.words.error.clone()),
        ];
        for (part, shown) in parts.iter_mut().zip([&run.input_preview, &run.output_preview, &run.error]) {
            if part.is_empty() {
                *part = of(shown);
            }
        }
        let mut text = SearchedText::new(&of(&run.name), &of(&run.agent_id));
        parts.iter().chain([&of(&run.reason), &of(&run.model)]).for_each(|part| text.push(part));
        run.metadata.values().for_each(|value| text.push(&Words::of(value)));
        if let Some(log) = log {
            text.push(&log.words.calls);
            text.push_results(&log.words);
        }
        Some(RunText { list_key: self.row.list_key, text })
    }
}

/// The text of a run's row.
fn shown_text(run: &RunSummary) -> ([&Option<String>; 7], &Metadata) {
    let texts =
        [&run.name, &run.agent_id, &run.input_preview, &run.output_preview, &run.error, &run.reason, &run.model];
    (texts, &run.metadata)
}

/// [`RunRow::log_state`]: the stored log ends with its terminal event.
pub(super) const LOG_COMPLETE: i64 = 1;
/// [`RunRow::log_state`]: MANTYX no longer has the log.
pub(super) const LOG_GONE: i64 = 2;

impl RunRow {
    /// The run failed, and the end of its log will never come.
    fn lacks_end(&self) -> bool {
        let will_come = self.summary.origin == Origin::Mirrored && self.log_state != LOG_GONE;
        self.summary.status == RunStatus::Failed && self.log_state != LOG_COMPLETE && !will_come
    }
}

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
    // MANTYX also counts calls that a guard skipped, so the count of a whole log stays.
    if row.log_state != LOG_COMPLETE || run.tool_calls.is_none() {
        run.tool_calls = new.tool_calls.or(run.tool_calls);
    }
    run.duration_ms = new.duration_ms.or(run.duration_ms);
    run.metadata.clone_from(&new.metadata);
    if new.origin == Origin::Mirrored {
        run.origin = Origin::Mirrored;
    }
    row.completed_at_ms = update.completed_at_ms.or(row.completed_at_ms);
    row
}

/// Sets marks, error class, reason, time of waiting and number of calls from the log, and fills in other values that are not known yet.
fn apply_log(row: &mut RunRow, log: &LogSummary) {
    let run = &mut row.summary;
    run.marks = log.marks;
    run.error_class.clone_from(&log.error_class);
    run.reason.clone_from(&log.reason);
    run.waited_ms = log.waited_ms;
    if log.complete || run.tool_calls.is_none() {
        run.tool_calls = Some(log.calls);
    }
    run.tokens = run.tokens.or(log.tokens);
    run.turns = run.turns.or(log.turns);
    // Only the log knows them. MANTYX reports both for its own runs.
    if run.origin == Origin::Imported {
        run.model = run.model.take().or_else(|| log.model.clone());
        run.duration_ms = run.duration_ms.or(log.duration_ms);
    }
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
    let plain: Vec<_> = specs.iter().map(|(_, spec)| without_header_values(spec)).collect();
    let bodies = packer.compress_each(plain.iter().map(|spec| spec.as_bytes())).map_err(sqlx::Error::Io)?;
    let args = specs.iter().zip(bodies).flat_map(|((list_key, _), body)| [Arg::from(*list_key), Arg::from(body)]);
    let sql = format!(
        "INSERT INTO run_spec (n, body) VALUES {} ON CONFLICT (n) DO UPDATE SET body = excluded.body",
        rows(engine, specs.len(), "(?, ?)")
    );
    execute(tx, sql, args.collect()).await.map(drop)
}
