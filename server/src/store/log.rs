//! Logs. Events of a running log are rows, a finished log is compressed parts. Readers see no difference.

use std::borrow::Cow;
use std::collections::HashSet;

use futures::TryStreamExt;
use protocol::redact::remove_header_values;
use protocol::{Event, Timeline};
use serde_json::Value;
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use tokio::sync::OwnedSemaphorePermit;

use super::arrivals::Arrival;
use super::ingest::{INDEX_VERSION, LOG_COMPLETE, LOG_GONE, NewLog, RunUpdate};
use super::log_summary::LogSummary;
use super::pack::{HEAD_BYTES, Part, PartWriter, plain_bytes};
use super::run_row;
use super::sql::{Arg, args, execute, rows};
use super::{Engine, Result, Store, WorkspaceId, list_key};

/// Rows per INSERT: up to six values each, below both engines' limit of bound values.
const INSERT_CHUNK: usize = 500;
/// Events that are folded at a time.
const FOLD_CHUNK: u32 = 1_000;
/// The size of events, as JSON, after which a read stops.
const MAX_READ_BYTES: usize = 8 * 1024 * 1024;
/// Logs larger than this as JSON are indexed a few at a time. A huge one is indexed alone.
const LARGE_LOG_BYTES: u64 = 8 * 1024 * 1024;
const HUGE_LOG_BYTES: u64 = 128 * 1024 * 1024;
pub(super) const LARGE_FOLDS: u32 = 2;
/// A log that keeps changing stays as rows, which readers can read as well.
pub const MAX_RECORD_ATTEMPTS: u32 = 5;

impl Store {
    /// Stores events of a known run. Events that are stored already are not changed.
    pub async fn insert_events(
        &self,
        workspace: WorkspaceId,
        run_id: &str,
        events: &[Event],
        arrival: Arrival,
    ) -> Result<()> {
        let (Some(first), Some(last)) = (events.iter().map(to_seq).min(), events.iter().map(to_seq).max()) else {
            return Ok(());
        };
        let mut tx = self.begin_writing(workspace).await?;
        let list_key = list_key::find(&mut tx, workspace, run_id).await?.ok_or(sqlx::Error::RowNotFound)?;
        let packed = self.packed_seqs(&mut tx, list_key, first, last).await?;
        let new: Vec<&Event> = events.iter().filter(|event| !packed.contains(&event.seq)).collect();
        for chunk in new.chunks(INSERT_CHUNK) {
            let sql = format!(
                "INSERT INTO run_event (n, seq, event, seen_at, live) VALUES {} ON CONFLICT DO NOTHING",
                rows(self.engine, chunk.len(), "(?, ?, ?, ?, ?)")
            );
            let args = chunk.iter().flat_map(|event| {
                let json = serde_json::to_string(event).unwrap_or_default();
                let (at, live) = (Arg::from(arrival.at_ms), Arg::from(i64::from(arrival.live)));
                [Arg::from(list_key), Arg::from(to_seq(event)), Arg::from(json), at, live]
            });
            execute(&mut tx, sql, args.collect()).await?;
        }
        if arrival.live {
            // Stored a moment before by a reader of the log, who does not know that they are live.
            let sql = "UPDATE run_event SET live = 1 WHERE n = $1 AND seq >= $2 AND seq <= $3 AND live = 0".to_owned();
            execute(&mut tx, sql, vec![list_key.into(), first.into(), last.into()]).await?;
        }
        tx.commit().await
    }

    /// Returns at most `limit` events after `seq`, in order.
    pub async fn events_after(&self, workspace: WorkspaceId, run_id: &str, seq: u64, limit: u32) -> Result<Vec<Event>> {
        self.read_after(workspace, run_id, Some(seq), limit).await
    }

    /// The highest stored seq, or 0.
    pub async fn last_seq(&self, workspace: WorkspaceId, run_id: &str) -> Result<u64> {
        let mut connection = self.reader.acquire().await?;
        let Some(list_key) = list_key::find(&mut connection, workspace, run_id).await? else { return Ok(0) };
        let mut last = 0;
        for sql in ["SELECT MAX(seq) FROM run_event WHERE n = $1", "SELECT MAX(last_seq) FROM run_log WHERE n = $1"] {
            let found: Option<i64> = sqlx::query_scalar(sql).bind(list_key).fetch_one(&mut *connection).await?;
            last = last.max(found.unwrap_or(0).try_into().unwrap_or(0));
        }
        Ok(last)
    }

    /// The size of a log as JSON. Reads the beginnings of its parts, which have their sizes.
    pub async fn log_bytes(&self, workspace: WorkspaceId, run_id: &str) -> Result<u64> {
        let mut connection = self.reader.acquire().await?;
        let Some(list_key) = list_key::find(&mut connection, workspace, run_id).await? else { return Ok(0) };
        let sql = "SELECT CAST(COALESCE(SUM(LENGTH(event)), 0) AS BIGINT) FROM run_event WHERE n = $1";
        let rows: i64 = sqlx::query_scalar(sql).bind(list_key).fetch_one(&mut *connection).await?;
        let sql = "SELECT SUBSTR(body, 1, $2), CAST(LENGTH(body) AS BIGINT) FROM run_log WHERE n = $1";
        let heads = sqlx::query_as::<_, (Vec<u8>, i64)>(sql).bind(list_key).bind(HEAD_BYTES).fetch(&mut *connection);
        let parts = heads.try_fold(0, async |sum, (head, stored)| Ok(sum + plain_bytes(&head, to_u64(stored)))).await?;
        Ok(to_u64(rows) + parts)
    }

    /// Folds a stored log and records it. For logs without viewers: viewers share a cached fold. A part of the log is in
    /// memory at a time, beside its timeline.
    pub async fn index_log(&self, workspace: WorkspaceId, run_id: &str) -> Result<()> {
        let _permit = self.fold_permit(self.log_bytes(workspace, run_id).await?).await;
        for _ in 0..MAX_RECORD_ATTEMPTS {
            let has_rows = self.has_rows(workspace, run_id).await?;
            let (mut timeline, mut seqs, mut parts) = (Timeline::default(), Vec::new(), PartWriter::new(&self.packer));
            let mut after = None;
            loop {
                let events = self.read_after(workspace, run_id, after, FOLD_CHUNK).await?;
                let Some(last) = events.last() else { break };
                after = Some(last.seq);
                for event in &events {
                    timeline.apply(event);
                    seqs.push(to_seq(event));
                    if has_rows {
                        parts.push(event).map_err(sqlx::Error::Io)?;
                    }
                }
            }
            if seqs.is_empty() {
                return self.index_run_without_log(workspace, run_id).await;
            }
            let (spec, _) = self.run_spec_and_log_state(workspace, run_id).await?;
            let summary = LogSummary::of(&timeline, parsed(spec.as_deref()).as_ref());
            drop(timeline);
            let parts = if summary.complete { parts.finish().map_err(sqlx::Error::Io)? } else { Vec::new() };
            if self.write_log(workspace, run_id, spec, summary, parts, &seqs).await? {
                break;
            }
        }
        Ok(())
    }

    /// Waits until a log of this size may be folded beside others. `None` for one of the usual size.
    async fn fold_permit(&self, log_bytes: u64) -> Option<OwnedSemaphorePermit> {
        let permits = match log_bytes {
            bytes if bytes > HUGE_LOG_BYTES => LARGE_FOLDS,
            bytes if bytes > LARGE_LOG_BYTES => 1,
            _ => return None,
        };
        // The semaphore is never closed.
        self.large_folds.clone().acquire_many_owned(permits).await.ok()
    }

    async fn index_run_without_log(&self, workspace: WorkspaceId, run_id: &str) -> Result<()> {
        let Some(summary) = self.run(workspace, run_id).await? else { return Ok(()) };
        let (spec, _) = self.run_spec_and_log_state(workspace, run_id).await?;
        self.upsert_runs(workspace, &[RunUpdate { summary, completed_at_ms: None, spec, log: None }]).await
    }

    /// Stores what a folded log says about its run: in the run's row, its tags and the text index. A log that has ended
    /// is packed. Recording the same log again changes nothing.
    ///
    /// Returns false when events were stored since the log was folded and it could not be packed: fold it again.
    pub async fn record_log(
        &self,
        workspace: WorkspaceId,
        run_id: &str,
        events: &[Event],
        timeline: &Timeline,
    ) -> Result<bool> {
        let (spec, _) = self.run_spec_and_log_state(workspace, run_id).await?;
        let summary = LogSummary::of(timeline, parsed(spec.as_deref()).as_ref());
        // Compressed before the transaction begins: a long log takes a while, and other writers wait.
        let packed = match summary.complete && self.has_rows(workspace, run_id).await? {
            true => self.packer.pack_log(events).map_err(sqlx::Error::Io)?,
            false => Vec::new(),
        };
        let seqs: Vec<i64> = events.iter().map(to_seq).collect();
        self.write_log(workspace, run_id, spec, summary, packed, &seqs).await
    }

    /// Writes the summary of a log and, if `packed` has something, replaces the log by its parts. `seqs` are those of the
    /// events that were folded.
    async fn write_log(
        &self,
        workspace: WorkspaceId,
        run_id: &str,
        spec: Option<String>,
        summary: LogSummary,
        packed: Vec<Part>,
        seqs: &[i64],
    ) -> Result<bool> {
        let mut tx = self.begin_writing(workspace).await?;
        let Some(row) = run_row::by_ids(&mut tx, workspace, &[run_id]).await?.remove(run_id) else { return Ok(true) };
        let is_current = !summary.complete || holds_all_stored(&mut tx, row.list_key, seqs).await?;
        let parts = if is_current { packed } else { Vec::new() };
        if !parts.is_empty() {
            execute(&mut tx, "DELETE FROM run_event WHERE n = $1".to_owned(), vec![row.list_key.into()]).await?;
            execute(&mut tx, "DELETE FROM run_log WHERE n = $1".to_owned(), vec![row.list_key.into()]).await?;
        }
        let update = RunUpdate {
            summary: row.summary,
            completed_at_ms: row.completed_at_ms,
            spec,
            log: Some(NewLog { summary, parts }),
        };
        let written = self.write_updates(&mut tx, workspace, &[&update]).await?;
        tx.commit().await?;
        self.tag_cache.insert(workspace, &written.tags);
        Ok(is_current)
    }

    /// Returns at most `limit` events from the beginning of a log.
    pub async fn first_events(&self, workspace: WorkspaceId, run_id: &str, limit: u32) -> Result<Vec<Event>> {
        self.read_after(workspace, run_id, None, limit).await
    }

    /// Returns at most `limit` events after a seq, or the first ones.
    async fn read_after(
        &self,
        workspace: WorkspaceId,
        run_id: &str,
        after: Option<u64>,
        limit: u32,
    ) -> Result<Vec<Event>> {
        let mut connection = self.reader.acquire().await?;
        let from = after.map_or(0, |seq| seq.saturating_add(1));
        match list_key::find(&mut connection, workspace, run_id).await? {
            Some(list_key) => self.read(&mut connection, list_key, from, limit).await,
            None => Ok(Vec::new()),
        }
    }

    /// Returns true while some of the log is stored as rows.
    async fn has_rows(&self, workspace: WorkspaceId, run_id: &str) -> Result<bool> {
        let mut connection = self.reader.acquire().await?;
        let Some(list_key) = list_key::find(&mut connection, workspace, run_id).await? else { return Ok(false) };
        let found: Option<i64> = sqlx::query_scalar("SELECT seq FROM run_event WHERE n = $1 LIMIT 1")
            .bind(list_key)
            .fetch_optional(&mut *connection)
            .await?;
        Ok(found.is_some())
    }

    /// Marks a log that MANTYX does not have, so that it is not requested again.
    pub async fn mark_log_gone(&self, workspace: WorkspaceId, run_id: &str) -> Result<()> {
        let (spec, _) = self.run_spec_and_log_state(workspace, run_id).await?;
        let mut tx = self.begin_writing(workspace).await?;
        let sql = "UPDATE run SET log_state = $1 \
             WHERE workspace_id = $2 AND id = $3 AND log_state <> $4 AND log_state <> $1";
        if execute(&mut tx, sql.to_owned(), args![LOG_GONE, workspace, run_id, LOG_COMPLETE]).await? == 0 {
            return Ok(());
        }
        // Without an end in a log, the row says how the run failed. In the same transaction, so that the run joins its failure
        // group as a new one.
        let Some(row) = run_row::by_ids(&mut tx, workspace, &[run_id]).await?.remove(run_id) else { return Ok(()) };
        let update = RunUpdate { summary: row.summary, completed_at_ms: row.completed_at_ms, spec, log: None };
        let written = self.write_updates(&mut tx, workspace, &[&update]).await?;
        tx.commit().await?;
        self.tag_cache.insert(workspace, &written.tags);
        Ok(())
    }

    /// Runs of any workspace that an older version indexed differently, or not at all, newest first.
    pub async fn unindexed_runs(&self, limit: u32) -> Result<Vec<(WorkspaceId, String)>> {
        // The number is part of the text, so that the partial index of these runs is used.
        let sql = format!("SELECT workspace_id, id FROM run WHERE indexed < {INDEX_VERSION} ORDER BY n DESC LIMIT $1");
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(i64::from(limit)).fetch_all(&self.reader).await?;
        rows.iter().map(|row| Ok((WorkspaceId(row.try_get(0)?), row.try_get(1)?))).collect()
    }

    /// A run's spec as JSON.
    pub(super) async fn spec(&self, connection: &mut AnyConnection, list_key: i64) -> Result<Option<String>> {
        let body: Option<Vec<u8>> = sqlx::query_scalar("SELECT body FROM run_spec WHERE n = $1")
            .bind(list_key)
            .fetch_optional(&mut *connection)
            .await?;
        match body {
            // Earlier versions stored header values too.
            Some(body) => {
                self.unpack(connection, &body).await.map(|spec| Some(without_header_values(&spec).into_owned()))
            }
            None => Ok(None),
        }
    }

    /// Returns at most `limit` events, in order, beginning with the seq `from`. Fewer if they are large: then the rest comes
    /// with the next read.
    async fn read(&self, connection: &mut AnyConnection, list_key: i64, from: u64, limit: u32) -> Result<Vec<Event>> {
        // Larger seqs are stored as `i64::MAX`, so nothing comes after that.
        let Ok(first) = i64::try_from(from) else { return Ok(Vec::new()) };
        let (rows, rows_until) = read_rows(connection, list_key, first, limit).await?;
        let limit = limit as usize;
        let (mut events, parts_until) = self.read_parts(connection, list_key, from, limit).await?;
        if !rows.is_empty() {
            // Late events of a compressed log, or all events of a running one.
            events.extend(rows);
            events.sort_by_key(|event| event.seq);
            events.dedup_by_key(|event| event.seq);
        }
        // The source that reached its limit may have more events: later ones of the other wait for them.
        let until = rows_until.min(parts_until);
        events.retain(|event| event.seq <= until);
        events.truncate(limit);
        Ok(events)
    }

    /// Reads compressed events, part by part until there are enough, by number or by size. Returns also the seq up to which
    /// it has read all.
    async fn read_parts(
        &self,
        connection: &mut AnyConnection,
        list_key: i64,
        from: u64,
        limit: usize,
    ) -> Result<(Vec<Event>, u64)> {
        let (mut events, mut bytes): (Vec<Event>, usize) = (Vec::new(), 0);
        let mut after = i64::try_from(from).unwrap_or(i64::MAX) - 1;
        while events.len() < limit {
            if bytes >= MAX_READ_BYTES && !events.is_empty() {
                return Ok((events, u64::try_from(after).unwrap_or(0)));
            }
            let row = sqlx::query(
                "SELECT last_seq, body, times FROM run_log WHERE n = $1 AND last_seq > $2 ORDER BY first_seq LIMIT 1",
            )
            .bind(list_key)
            .bind(after)
            .fetch_optional(&mut *connection)
            .await?;
            let Some(row) = row else { break };
            after = row.try_get(0)?;
            let (body, times): (Vec<u8>, Vec<u8>) = (row.try_get(1)?, row.try_get(2)?);
            self.load_dictionary_of(connection, &body).await?;
            let (part, part_bytes) = self.packer.unpack_events(&body, &times, from).map_err(sqlx::Error::Io)?;
            bytes += part_bytes;
            events.extend(part);
        }
        Ok((events, u64::MAX))
    }

    /// The seqs in a range that are compressed already.
    async fn packed_seqs(
        &self,
        connection: &mut AnyConnection,
        list_key: i64,
        first: i64,
        last: i64,
    ) -> Result<HashSet<u64>> {
        let bodies: Vec<Vec<u8>> =
            sqlx::query_scalar("SELECT body FROM run_log WHERE n = $1 AND last_seq >= $2 AND first_seq <= $3")
                .bind(list_key)
                .bind(first)
                .bind(last)
                .fetch_all(&mut *connection)
                .await?;
        let mut seqs = HashSet::new();
        for body in bodies {
            self.load_dictionary_of(connection, &body).await?;
            let (events, _) = self.packer.unpack_events(&body, &[], 0).map_err(sqlx::Error::Io)?;
            seqs.extend(events.iter().map(|event| event.seq));
        }
        Ok(seqs)
    }
}

/// Reads events that are rows. Returns also the seq up to which it has read all.
async fn read_rows(connection: &mut AnyConnection, list_key: i64, first: i64, limit: u32) -> Result<(Vec<Event>, u64)> {
    let mut rows =
        sqlx::query("SELECT event, seen_at, live FROM run_event WHERE n = $1 AND seq >= $2 ORDER BY seq LIMIT $3")
            .bind(list_key)
            .bind(first)
            .bind(i64::from(limit))
            .fetch(&mut *connection);
    let (mut events, mut bytes): (Vec<Event>, usize) = (Vec::new(), 0);
    while let Some(row) = rows.try_next().await? {
        let json: String = row.try_get("event")?;
        bytes += json.len();
        let mut event = parse(&json)?;
        let is_live = row.try_get::<i64, _>("live")? == 1;
        event.observed_at_ms = is_live.then(|| row.try_get("seen_at")).transpose()?;
        events.push(event);
        if bytes >= MAX_READ_BYTES {
            let last = events.last().map_or(u64::MAX, |event| event.seq);
            return Ok((events, last));
        }
    }
    Ok((events, u64::MAX))
}

/// Returns true when the folded events, given by their seqs in order, include every event that is stored.
async fn holds_all_stored(connection: &mut AnyConnection, list_key: i64, seqs: &[i64]) -> Result<bool> {
    let rows: Vec<i64> =
        sqlx::query_scalar("SELECT seq FROM run_event WHERE n = $1").bind(list_key).fetch_all(&mut *connection).await?;
    let packed: i64 = sqlx::query_scalar("SELECT CAST(COALESCE(SUM(events), 0) AS BIGINT) FROM run_log WHERE n = $1")
        .bind(list_key)
        .fetch_one(&mut *connection)
        .await?;
    let is_folded = |seq: &i64| seqs.binary_search(seq).is_ok();
    Ok(rows.iter().all(is_folded) && usize::try_from(packed).is_ok_and(|packed| packed <= seqs.len()))
}

fn parsed(spec: Option<&str>) -> Option<Value> {
    spec.and_then(|spec| serde_json::from_str(spec).ok())
}

/// Stores parts of finished logs, each with the list key of its run, replacing existing ones.
pub(super) async fn write_parts(connection: &mut AnyConnection, engine: Engine, parts: &[(i64, &Part)]) -> Result<()> {
    for chunk in parts.chunks(INSERT_CHUNK) {
        let sql = format!(
            "INSERT INTO run_log (n, first_seq, last_seq, events, body, times) VALUES {} \
             ON CONFLICT (n, first_seq) DO UPDATE SET \
             last_seq = excluded.last_seq, events = excluded.events, body = excluded.body, times = excluded.times",
            rows(engine, chunk.len(), "(?, ?, ?, ?, ?, ?)")
        );
        let args = chunk.iter().flat_map(|(list_key, part)| {
            let numbers = [*list_key, part.first_seq, part.last_seq, part.events].map(Arg::from);
            numbers.into_iter().chain([Arg::from(part.body.clone()), Arg::from(part.times.clone())])
        });
        execute(connection, sql, args.collect()).await?;
    }
    Ok(())
}

fn parse(json: &str) -> Result<Event> {
    Event::parse(json).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

fn to_u64(size: i64) -> u64 {
    u64::try_from(size).unwrap_or(0)
}

fn to_seq(event: &Event) -> i64 {
    i64::try_from(event.seq).unwrap_or(i64::MAX)
}

/// Returns a spec without the header values of its tools, which are credentials.
pub(super) fn without_header_values(spec: &str) -> Cow<'_, str> {
    if !spec.contains("\"headers\"") {
        return Cow::Borrowed(spec);
    }
    match serde_json::from_str::<Value>(spec) {
        Ok(mut spec) => {
            remove_header_values(&mut spec);
            Cow::Owned(spec.to_string())
        }
        Err(_) => Cow::Borrowed(spec),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::seed::Seeder;

    #[tokio::test]
    async fn a_large_log_is_indexed_after_the_others() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let update = RunUpdate { log: None, ..Seeder::new(1, 1, 1_790_000_000_000, store.packer().clone()).run(0)?.0 };
        store.upsert_runs(workspace, std::slice::from_ref(&update)).await?;
        let id = update.summary.id.as_str();
        let large = Event::new(1, "result", json!({ "text": "x".repeat(9_000_000) }));
        store.insert_events(workspace, id, &[large], Arrival { at_ms: 0, live: false }).await?;
        let others = store.fold_permit(HUGE_LOG_BYTES + 1).await;
        let index = store.index_log(workspace, id);
        let mut index = std::pin::pin!(index);
        assert!(tokio::time::timeout(Duration::from_millis(500), &mut index).await.is_err(), "others are folded");
        drop(others);
        index.await?;
        Ok(())
    }
}
