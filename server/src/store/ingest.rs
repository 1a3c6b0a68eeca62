//! Taking in what was learnt of runs: one transaction for a batch, and the same outcome however often it is repeated.
//!
//! Rows are merged here rather than in SQL, because a run's tags follow from the merged run: what it gains and loses is the
//! difference to what its row says it had.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::RunSummary;
use protocol::{Event, Timeline};
use sqlx::AnyConnection;

use super::facts::LogFacts;
use super::log::write_parts;
use super::pack::{Packer, Part};
use super::prices::{Prices, cost_micros};
use super::run_row::{self, RunRow};
use super::sql::{Arg, execute, rows};
use super::tags::{self, Tag, TagChanges};
use super::text::{self, RunText};
use super::{Engine, Origin, Result, Store, WorkspaceId, number};

/// The reading of runs and logs that this version does. Raised when tags or texts change; older ones are read again.
pub(super) const INDEX_VERSION: i64 = 1;
/// Runs written at a time.
const CHUNK: usize = 250;

/// What was learnt of a run, from a list row, a snapshot or its log. `None` says nothing.
#[derive(Clone, Debug)]
pub struct RunUpdate {
    pub summary: RunSummary,
    pub completed_at_ms: Option<i64>,
    pub spec: Option<String>,
    pub log: Option<NewLog>,
}

/// What a log tells and, where it is finished, the log itself, packed.
#[derive(Clone, Debug)]
pub struct NewLog {
    pub facts: LogFacts,
    pub parts: Vec<Part>,
}

impl NewLog {
    /// Packs a whole log whose events are in order, with the timeline that they fold to. Returns `None` for an empty log.
    pub fn new(packer: &Packer, events: &[Event], timeline: &Timeline) -> Result<Option<Self>> {
        let facts = LogFacts::of(timeline);
        let parts = packer.pack_log(events).map_err(sqlx::Error::Io)?;
        Ok((!parts.is_empty()).then_some(Self { facts, parts }))
    }
}

impl Store {
    /// Takes in what MANTYX said of runs. A run that has ended stays ended, whatever an older answer says.
    pub async fn upsert_runs(&self, workspace: WorkspaceId, updates: &[RunUpdate]) -> Result<()> {
        for chunk in updates.chunks(CHUNK) {
            while let Err(error) = self.upsert_chunk(workspace, chunk).await {
                if !run_row::lost_a_number(&error) {
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    async fn upsert_chunk(&self, workspace: WorkspaceId, updates: &[RunUpdate]) -> Result<()> {
        let mut tx = self.begin_writing(workspace).await?;
        let tags = self.take_in(&mut tx, workspace, updates).await?;
        tx.commit().await?;
        self.tag_cache.remember(workspace, &tags);
        Ok(())
    }

    /// Writes updates within a transaction. The tags' ids may be remembered once it is committed.
    pub(super) async fn take_in(
        &self,
        tx: &mut AnyConnection,
        workspace: WorkspaceId,
        updates: &[RunUpdate],
    ) -> Result<HashMap<Tag, i64>> {
        // The last word on a run counts; MANTYX's pages can name one twice while runs arrive.
        let latest: BTreeMap<&str, &RunUpdate> =
            updates.iter().map(|update| (update.summary.id.as_str(), update)).collect();
        let ids: Vec<&str> = latest.keys().copied().collect();
        let mut known = run_row::by_ids(tx, workspace, &ids).await?;
        let new: Vec<(i64, &str)> = latest
            .iter()
            .filter(|(id, _)| !known.contains_key(**id))
            .map(|(id, update)| (update.summary.created_at_ms, *id))
            .collect();
        let numbers = number::allocate(tx, &new).await?;
        let mut numbers: HashMap<&str, i64> = new.iter().map(|(_, id)| *id).zip(numbers).collect();
        let prices = Prices::load(tx, workspace).await?;

        let mut merged = Vec::with_capacity(latest.len());
        for (id, update) in latest {
            let before = known.remove(id);
            let n = before.as_ref().map(|row| row.n).or_else(|| numbers.remove(id)).unwrap_or_default();
            merged.push(Merged::new(n, before, update, &prices));
        }
        let wanted: BTreeSet<Tag> = merged.iter().flat_map(Merged::tags).collect();
        let tag_ids = tags::ids(tx, self.engine, &self.tag_cache, workspace, &wanted).await?;
        self.write_merged(tx, workspace, merged, &tag_ids).await?;
        Ok(tag_ids)
    }

    async fn write_merged(
        &self,
        tx: &mut AnyConnection,
        workspace: WorkspaceId,
        mut merged: Vec<Merged<'_>>,
        tag_ids: &HashMap<Tag, i64>,
    ) -> Result<()> {
        let mut changes = TagChanges::default();
        let mut hours = Hours::default();
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
            changes.note(run.row.n, &before.map(|row| row.tags.all()).unwrap_or_default(), &run.row.tags.all());
            hours.note(before.filter(|row| row.indexed > 0), Some(&run.row));
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
                write_parts(tx, run.row.n, &log.parts).await?;
            }
        }
        write_specs(tx, self.engine, &self.packer, &merged).await
    }
}

/// A run as it will be stored.
struct Merged<'a> {
    before: Option<RunRow>,
    row: RunRow,
    update: &'a RunUpdate,
    run_tags: BTreeSet<Tag>,
    /// `None` where nothing new is known of the log.
    log_tags: Option<BTreeSet<Tag>>,
}

impl<'a> Merged<'a> {
    fn new(n: i64, before: Option<RunRow>, update: &'a RunUpdate, prices: &Prices) -> Self {
        let mut row = match &before {
            Some(before) => merge(before.clone(), update),
            None => RunRow::new(n, update),
        };
        if let Some(log) = &update.log {
            learn(&mut row, &log.facts);
        }
        if let (Some(tokens), Some(model)) = (row.summary.tokens, row.summary.model.as_deref())
            && let Some(price) = prices.for_run(row.price_id, model)
        {
            row.summary.cost_micros = Some(cost_micros(price, tokens));
            row.price_id = Some(price.id);
        }
        let run_tags = tags::of_run(&row.summary, row.summary.origin);
        let log_tags = update.log.as_ref().map(|log| tags::of_log(&log.facts));
        Self { before, row, update, run_tags, log_tags }
    }

    fn tags(&self) -> impl Iterator<Item = Tag> + '_ {
        self.run_tags.iter().chain(self.log_tags.iter().flatten()).cloned()
    }

    /// What to find the run by, where that is new: all of it with the log, previews before.
    fn text(&self) -> Option<RunText> {
        let run = &self.row.summary;
        let part = |text: &'a Option<String>| text.as_deref().unwrap_or("");
        let spec = self.update.spec.as_deref().and_then(|spec| serde_json::from_str(spec).ok()).unwrap_or_default();
        let prompt = protocol::spec::prompt_text(&spec);
        let prompt = if prompt.is_empty() { run.input_preview.as_deref().unwrap_or("") } else { prompt };
        if let Some(log) = &self.update.log {
            let error = log.facts.error.as_deref().or(run.error.as_deref()).unwrap_or("");
            return Some(RunText::new(self.row.n, &[prompt, &log.facts.answer, error, &log.facts.call_text]));
        }
        let unread = self.row.tags.log.is_empty() && self.row.log_state != LOG_COMPLETE;
        let shown = |run: &RunSummary| (run.input_preview.clone(), run.output_preview.clone(), run.error.clone());
        let changed = self.before.as_ref().is_none_or(|before| shown(&before.summary) != shown(run));
        let summary = &self.update.summary;
        (unread && (changed || self.update.spec.is_some()))
            .then(|| RunText::new(self.row.n, &[prompt, part(&summary.output_preview), part(&summary.error)]))
    }
}

/// [`RunRow::log_state`]: the stored log ends with its terminal event.
pub(super) const LOG_COMPLETE: i64 = 1;
/// [`RunRow::log_state`]: MANTYX does not have the log any more.
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

/// What the log tells and nobody else did; its marks and its class of error it alone tells.
fn learn(row: &mut RunRow, facts: &LogFacts) {
    let run = &mut row.summary;
    run.marks = facts.marks;
    run.error_class.clone_from(&facts.error_class);
    run.tool_calls = run.tool_calls.or(Some(facts.calls));
    run.tokens = run.tokens.or(facts.tokens);
    run.turns = run.turns.or(facts.turns);
    if run.error.is_none() {
        run.error.clone_from(&facts.error);
    }
    if run.output_preview.is_none() && !facts.answer.is_empty() {
        run.output_preview = Some(protocol::json::preview(&facts.answer, 200));
    }
    if let Some(status) = facts.status.filter(|_| !run.status.is_terminal()) {
        run.status = status;
    }
    row.log_state = if facts.complete { LOG_COMPLETE } else { row.log_state };
}

async fn write_specs(tx: &mut AnyConnection, engine: Engine, packer: &Packer, merged: &[Merged<'_>]) -> Result<()> {
    let specs: Vec<(i64, &String)> =
        merged.iter().filter_map(|run| Some((run.row.n, run.update.spec.as_ref()?))).collect();
    if specs.is_empty() {
        return Ok(());
    }
    let mut args = Vec::with_capacity(specs.len() * 2);
    for (n, spec) in &specs {
        args.extend([Arg::from(*n), packer.compress(spec.as_bytes()).map_err(sqlx::Error::Io)?.into()]);
    }
    let sql = format!(
        "INSERT INTO run_spec (n, body) VALUES {} ON CONFLICT (n) DO UPDATE SET body = excluded.body",
        rows(engine, specs.len(), "(?, ?)")
    );
    execute(tx, sql, args).await.map(drop)
}

/// Changes to the counts by hour.
#[derive(Default)]
pub(super) struct Hours(BTreeMap<(i64, &'static str), i64>);

impl Hours {
    pub fn note(&mut self, before: Option<&RunRow>, after: Option<&RunRow>) {
        let place = |row: &RunRow| (row.summary.created_at_ms.div_euclid(3_600_000), row.summary.status.as_str());
        if let Some(row) = before {
            *self.0.entry(place(row)).or_default() -= 1;
        }
        if let Some(row) = after {
            *self.0.entry(place(row)).or_default() += 1;
        }
    }

    pub async fn write(self, tx: &mut AnyConnection, engine: Engine, workspace: WorkspaceId) -> Result<()> {
        let changed: Vec<_> = self.0.into_iter().filter(|(_, change)| *change != 0).collect();
        if changed.is_empty() {
            return Ok(());
        }
        let args = changed.iter().flat_map(|((hour, status), change)| {
            [Arg::from(workspace.0), Arg::from(*hour), Arg::from(*status), Arg::from(*change)]
        });
        let sql = format!(
            "INSERT INTO run_hour (workspace_id, hour, status, runs) VALUES {} \
             ON CONFLICT (workspace_id, hour, status) DO UPDATE SET runs = run_hour.runs + excluded.runs",
            rows(engine, changed.len(), "(?, ?, ?, ?)")
        );
        execute(tx, sql, args.collect()).await.map(drop)
    }
}
