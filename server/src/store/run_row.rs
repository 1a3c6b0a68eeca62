//! Reading and writing rows of the `run` table.

use std::collections::HashMap;

use domain::{Marks, Origin, RunSummary};
use protocol::RunStatus;
use protocol::messages::{Metadata, Tokens};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::ingest::INDEX_VERSION;
use super::sql::{self, Arg, execute, fetch};
use super::tags::TagIds;
use super::{Engine, Result, RunUpdate, WorkspaceId};

/// The list key and the columns of a [`RunSummary`].
pub(super) const SUMMARY_COLUMNS: &str = "r.n, r.id, r.session_id, r.status, r.name, r.agent_id, r.model, \
     r.input_preview, r.output_preview, r.error, r.error_class, r.failure_group, r.reason, r.input_tokens, r.cached_tokens, \
     r.reasoning_tokens, r.output_tokens, r.turns, r.tool_calls, r.duration_ms, r.waited_ms, r.cost_micros, r.created_at, r.metadata, r.marks, r.origin";
const OTHER_COLUMNS: &str = "r.price_id, r.completed_at, r.log_state, r.tags, r.indexed";

#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunRow {
    pub list_key: i64,
    pub summary: RunSummary,
    pub price_id: Option<i64>,
    pub completed_at_ms: Option<i64>,
    pub log_state: i64,
    pub tags: TagIds,
    /// The index version that the tags and the text of this run were written with.
    pub indexed: i64,
}

impl RunRow {
    pub fn new(list_key: i64, update: &RunUpdate) -> Self {
        Self {
            list_key,
            summary: update.summary.clone(),
            price_id: None,
            completed_at_ms: update.completed_at_ms,
            log_state: 0,
            tags: TagIds::default(),
            indexed: 0,
        }
    }

    fn read(row: &AnyRow) -> Result<Self> {
        Ok(Self {
            list_key: read_list_key(row)?,
            summary: read_summary(row)?,
            price_id: row.try_get("price_id")?,
            completed_at_ms: row.try_get("completed_at")?,
            log_state: row.try_get("log_state")?,
            tags: TagIds::parse(row.try_get("tags")?),
            indexed: row.try_get("indexed")?,
        })
    }

    /// Returns true for a row of an earlier version, which is being indexed again.
    pub fn is_indexed_again(&self) -> bool {
        self.indexed < INDEX_VERSION && (self.log_state != 0 || self.summary.origin != Origin::Mirrored)
    }

    /// When the run ended, as far as it is known.
    pub fn ended_at_ms(&self) -> i64 {
        let run = &self.summary;
        let duration_ms = run.duration_ms.and_then(|ms| i64::try_from(ms).ok()).unwrap_or(0);
        self.completed_at_ms.unwrap_or_else(|| run.created_at_ms.saturating_add(duration_ms))
    }

    /// All columns with their values.
    fn columns(&self, workspace: WorkspaceId) -> Vec<(&'static str, Arg)> {
        let run = &self.summary;
        let tokens = |part: fn(Tokens) -> u64| Arg::from(run.tokens.map(|tokens| to_i64(part(tokens))));
        vec![
            ("n", self.list_key.into()),
            ("workspace_id", workspace.0.into()),
            ("id", run.id.as_str().into()),
            ("session_id", run.session_id.clone().into()),
            ("status", run.status.as_str().into()),
            ("name", run.name.clone().into()),
            ("agent_id", run.agent_id.clone().into()),
            ("model", run.model.clone().into()),
            ("input_preview", run.input_preview.clone().into()),
            ("output_preview", run.output_preview.clone().into()),
            ("error", run.error.clone().into()),
            ("error_class", run.error_class.clone().into()),
            ("failure_group", run.group.clone().into()),
            ("reason", run.reason.clone().into()),
            ("input_tokens", tokens(|tokens| tokens.input_tokens)),
            ("cached_tokens", tokens(|tokens| tokens.cached_tokens)),
            ("reasoning_tokens", tokens(|tokens| tokens.reasoning_tokens)),
            ("output_tokens", tokens(|tokens| tokens.output_tokens)),
            ("turns", run.turns.map(to_i64).into()),
            ("tool_calls", run.tool_calls.map(to_i64).into()),
            ("duration_ms", run.duration_ms.map(to_i64).into()),
            ("waited_ms", run.waited_ms.map(to_i64).into()),
            ("cost_micros", run.cost_micros.map(to_i64).into()),
            ("created_at", run.created_at_ms.into()),
            ("metadata", serde_json::to_string(&run.metadata).unwrap_or_else(|_| "{}".to_owned()).into()),
            ("marks", marks_to_bits(run.marks).into()),
            ("origin", origin_to_number(run.origin).into()),
            ("price_id", self.price_id.into()),
            ("completed_at", self.completed_at_ms.into()),
            ("log_state", self.log_state.into()),
            ("tags", self.tags.to_string().into()),
            ("indexed", self.indexed.into()),
        ]
    }
}

/// Rows by run id.
pub(super) async fn by_ids(
    connection: &mut AnyConnection,
    workspace: WorkspaceId,
    ids: &[&str],
) -> Result<HashMap<String, RunRow>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let placeholders: Vec<String> = (0..ids.len()).map(|i| format!("${}", i + 2)).collect();
    let condition = format!("r.workspace_id = $1 AND r.id IN ({})", placeholders.join(", "));
    let args = std::iter::once(Arg::from(workspace.0)).chain(ids.iter().map(|id| Arg::from(*id)));
    let rows = select(connection, &condition, args.collect()).await?;
    Ok(rows.into_iter().map(|row| (row.summary.id.clone(), row)).collect())
}

/// Rows that meet a condition on `r`. The condition contains only constants and placeholders.
pub(super) async fn select(connection: &mut AnyConnection, condition: &str, args: Vec<Arg>) -> Result<Vec<RunRow>> {
    let sql = format!("SELECT {SUMMARY_COLUMNS}, {OTHER_COLUMNS} FROM run r WHERE {condition}");
    fetch(connection, sql, args).await?.iter().map(RunRow::read).collect()
}

/// Inserts or updates rows. List keys are unique across workspaces: on PostgreSQL another workspace may take a key after
/// it was allocated. Then nothing is overwritten, and the error is a [list key conflict](is_list_key_conflict).
pub(super) async fn write(
    connection: &mut AnyConnection,
    engine: Engine,
    workspace: WorkspaceId,
    rows: &[&RunRow],
) -> Result<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let names: Vec<&str> = first.columns(workspace).into_iter().map(|(name, _)| name).collect();
    let changed = names.iter().filter(|name| !["n", "workspace_id"].contains(name));
    let updates: Vec<String> = changed.map(|name| format!("{name} = excluded.{name}")).collect();
    let placeholders = format!("({})", vec!["?"; names.len()].join(", "));
    let text = format!(
        "INSERT INTO run ({}) VALUES {} ON CONFLICT (n) DO UPDATE SET {} \
         WHERE run.workspace_id = excluded.workspace_id",
        names.join(", "),
        sql::rows(engine, rows.len(), &placeholders),
        updates.join(", ")
    );
    let args = rows.iter().flat_map(|row| row.columns(workspace)).map(|(_, value)| value).collect();
    let written = execute(connection, text, args).await?;
    if written == rows.len() as u64 { Ok(()) } else { Err(sqlx::Error::Protocol(LIST_KEY_TAKEN.to_owned())) }
}

const LIST_KEY_TAKEN: &str = "another workspace has taken the list key of a run";

/// Returns true if another workspace took a list key of the transaction. A second attempt finds a free one.
pub(super) fn is_list_key_conflict(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Protocol(message) if message == LIST_KEY_TAKEN)
}

/// Reads the list key from a row with [`SUMMARY_COLUMNS`].
pub(super) fn read_list_key(row: &AnyRow) -> Result<i64> {
    row.try_get("n")
}

/// Reads a run from a row with [`SUMMARY_COLUMNS`].
pub(super) fn read_summary(row: &AnyRow) -> Result<RunSummary> {
    let number = |column: &str| -> Result<Option<u64>> {
        Ok(row.try_get::<Option<i64>, _>(column)?.map(|number| u64::try_from(number).unwrap_or(0)))
    };
    let tokens = match number("input_tokens")? {
        Some(input_tokens) => Some(Tokens {
            input_tokens,
            cached_tokens: number("cached_tokens")?.unwrap_or(0),
            reasoning_tokens: number("reasoning_tokens")?.unwrap_or(0),
            output_tokens: number("output_tokens")?.unwrap_or(0),
        }),
        None => None,
    };
    Ok(RunSummary {
        id: row.try_get("id")?,
        session_id: row.try_get("session_id")?,
        status: RunStatus::parse(row.try_get("status")?).unwrap_or(RunStatus::Pending),
        name: row.try_get("name")?,
        agent_id: row.try_get("agent_id")?,
        model: row.try_get("model")?,
        input_preview: row.try_get("input_preview")?,
        output_preview: row.try_get("output_preview")?,
        error: row.try_get("error")?,
        error_class: row.try_get("error_class")?,
        group: row.try_get("failure_group")?,
        reason: row.try_get("reason")?,
        tokens,
        turns: number("turns")?,
        tool_calls: number("tool_calls")?,
        duration_ms: number("duration_ms")?,
        waited_ms: number("waited_ms")?,
        cost_micros: number("cost_micros")?,
        created_at_ms: row.try_get("created_at")?,
        metadata: serde_json::from_str::<Metadata>(row.try_get("metadata")?).unwrap_or_default(),
        marks: marks_from_bits(row.try_get("marks")?),
        origin: origin_from_number(row.try_get("origin")?),
    })
}

fn marks_to_bits(marks: Marks) -> i64 {
    let bits = [marks.truncated, marks.looping, marks.over_budget, marks.waiting, marks.orphan_call];
    bits.iter().enumerate().map(|(i, set)| i64::from(*set) << i).sum()
}

fn marks_from_bits(bits: i64) -> Marks {
    let set = |bit: i64| bits & bit != 0;
    Marks { truncated: set(1), looping: set(2), over_budget: set(4), waiting: set(8), orphan_call: set(16) }
}

pub(super) fn origin_to_number(origin: Origin) -> i64 {
    match origin {
        Origin::Mirrored => 0,
        Origin::Imported => 1,
        Origin::Seeded => 2,
    }
}

fn origin_from_number(number: i64) -> Origin {
    match number {
        1 => Origin::Imported,
        2 => Origin::Seeded,
        _ => Origin::Mirrored,
    }
}

fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[tokio::test]
    async fn a_list_key_of_another_workspace_is_not_overwritten() {
        let dir = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}", dir.path().join("runlens.db").display());
        let store = Store::open(&url).await.expect("a database");
        let (first, second) = (store.workspace_from_slug("first").await, store.workspace_from_slug("second").await);
        let (first, second) = (first.expect("a workspace"), second.expect("another"));
        let row = |id: &str| {
            let json = serde_json::json!({ "id": id, "status": "running", "createdAt": "2026-10-01T00:00:00Z" });
            let wire = serde_json::from_value(json).expect("a row");
            RunRow::new(7, &RunUpdate::from_row(&wire).expect("a run"))
        };
        let mut connection = store.begin().await.expect("a transaction");
        write(&mut connection, store.engine, first, &[&row("run_a")]).await.expect("written");
        write(&mut connection, store.engine, first, &[&row("run_a")]).await.expect("written again");
        let error = write(&mut connection, store.engine, second, &[&row("run_b")]).await.expect_err("a conflict");
        assert!(is_list_key_conflict(&error), "{error}");
        let stored = select(&mut connection, "r.n = 7", Vec::new()).await.expect("rows");
        assert_eq!(stored[0].summary.id, "run_a");
    }
}
