//! A run's row: how it is read and written.

use std::collections::HashMap;

use domain::{Marks, Origin, RunSummary};
use protocol::RunStatus;
use protocol::messages::{Metadata, Tokens};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::sql::{self, Arg, execute, fetch};
use super::tags::TagIds;
use super::{Engine, Result, RunUpdate, WorkspaceId};

/// What a list shows. The number comes first, so that a page's last row tells where the next begins.
pub(super) const SUMMARY_COLUMNS: &str = "r.n, r.id, r.session_id, r.status, r.name, r.agent_id, r.model, \
     r.input_preview, r.output_preview, r.error, r.error_class, r.input_tokens, r.cached_tokens, r.reasoning_tokens, \
     r.output_tokens, r.turns, r.tool_calls, r.duration_ms, r.cost_micros, r.created_at, r.metadata, r.marks, r.origin";
const OTHER_COLUMNS: &str = "r.price_id, r.completed_at, r.log_state, r.tags, r.indexed";
const COLUMN_COUNT: usize = 29;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunRow {
    pub n: i64,
    pub summary: RunSummary,
    pub price_id: Option<i64>,
    pub completed_at_ms: Option<i64>,
    pub log_state: i64,
    pub tags: TagIds,
    pub indexed: i64,
}

impl RunRow {
    pub fn new(n: i64, update: &RunUpdate) -> Self {
        Self {
            n,
            summary: update.summary.clone(),
            price_id: None,
            completed_at_ms: update.completed_at_ms,
            log_state: 0,
            tags: TagIds::default(),
            indexed: 0,
        }
    }

    fn read(row: &AnyRow) -> Result<Self> {
        let tags: String = row.try_get(26)?;
        Ok(Self {
            n: row.try_get(0)?,
            summary: summary(row)?,
            price_id: row.try_get(23)?,
            completed_at_ms: row.try_get(24)?,
            log_state: row.try_get(25)?,
            tags: TagIds::parse(&tags),
            indexed: row.try_get(27)?,
        })
    }
}

pub(super) async fn by_ids(
    connection: &mut AnyConnection,
    workspace: WorkspaceId,
    ids: &[&str],
) -> Result<HashMap<String, RunRow>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let list: Vec<String> = (0..ids.len()).map(|i| format!("${}", i + 2)).collect();
    let condition = format!("r.workspace_id = $1 AND r.id IN ({})", list.join(", "));
    let args = std::iter::once(Arg::from(workspace.0)).chain(ids.iter().map(|id| Arg::from(*id)));
    let rows = select(connection, &condition, args.collect()).await?;
    Ok(rows.into_iter().map(|row| (row.summary.id.clone(), row)).collect())
}

/// Rows that meet a condition on `r`, which is made of constants and placeholders.
pub(super) async fn select(connection: &mut AnyConnection, condition: &str, args: Vec<Arg>) -> Result<Vec<RunRow>> {
    let sql = format!("SELECT {SUMMARY_COLUMNS}, {OTHER_COLUMNS} FROM run r WHERE {condition}");
    fetch(connection, sql, args).await?.iter().map(RunRow::read).collect()
}

/// Writes rows, new ones under the numbers that they were given. Numbers are of all workspaces, and on PostgreSQL another
/// workspace can take one meanwhile: then nothing may be written over it, and [`lost_a_number`] tells that error.
pub(super) async fn write(
    connection: &mut AnyConnection,
    engine: Engine,
    workspace: WorkspaceId,
    rows: &[&RunRow],
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = format_columns().collect();
    let updates: Vec<String> =
        names.iter().filter(|name| **name != "n").map(|name| format!("{name} = excluded.{name}")).collect();
    let text = format!(
        "INSERT INTO run ({}, workspace_id) VALUES {} ON CONFLICT (n) DO UPDATE SET {} \
         WHERE run.workspace_id = excluded.workspace_id",
        names.join(", "),
        sql::rows(engine, rows.len(), &format!("({})", ["?"; COLUMN_COUNT].join(", "))),
        updates.join(", ")
    );
    let mut args = Vec::with_capacity(rows.len() * COLUMN_COUNT);
    for row in rows {
        push_args(row, &mut args);
        args.push(workspace.0.into());
    }
    let written = execute(connection, text, args).await?;
    if written == rows.len() as u64 { Ok(()) } else { Err(sqlx::Error::Protocol(NUMBER_TAKEN.to_owned())) }
}

const NUMBER_TAKEN: &str = "another workspace has taken the number of a run";

/// Whether a transaction failed because another workspace took a number; made again, it finds a free one.
pub(super) fn lost_a_number(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Protocol(what) if what == NUMBER_TAKEN)
}

fn format_columns() -> impl Iterator<Item = &'static str> {
    let names = SUMMARY_COLUMNS.split(", ").chain(OTHER_COLUMNS.split(", "));
    names.map(|name| name.trim_start_matches("r."))
}

fn push_args(row: &RunRow, args: &mut Vec<Arg>) {
    let run = &row.summary;
    let tokens = |part: fn(Tokens) -> u64| Arg::from(run.tokens.map(|tokens| to_i64(part(tokens))));
    args.extend([
        row.n.into(),
        run.id.as_str().into(),
        run.session_id.clone().into(),
        run.status.as_str().into(),
        run.name.clone().into(),
        run.agent_id.clone().into(),
        run.model.clone().into(),
        run.input_preview.clone().into(),
        run.output_preview.clone().into(),
        run.error.clone().into(),
        run.error_class.clone().into(),
        tokens(|tokens| tokens.input_tokens),
        tokens(|tokens| tokens.cached_tokens),
        tokens(|tokens| tokens.reasoning_tokens),
        tokens(|tokens| tokens.output_tokens),
        run.turns.map(to_i64).into(),
        run.tool_calls.map(to_i64).into(),
        run.duration_ms.map(to_i64).into(),
        run.cost_micros.map(to_i64).into(),
        run.created_at_ms.into(),
        serde_json::to_string(&run.metadata).unwrap_or_else(|_| "{}".to_owned()).into(),
        marks_to_bits(run.marks).into(),
        origin_to_number(run.origin).into(),
        row.price_id.into(),
        row.completed_at_ms.into(),
        row.log_state.into(),
        row.tags.to_string().into(),
        row.indexed.into(),
    ]);
}

/// Reads [`SUMMARY_COLUMNS`].
pub(super) fn summary(row: &AnyRow) -> Result<RunSummary> {
    let number = |index: usize| -> Result<Option<u64>> {
        Ok(row.try_get::<Option<i64>, _>(index)?.map(|number| u64::try_from(number).unwrap_or(0)))
    };
    let tokens = match number(11)? {
        Some(input_tokens) => Some(Tokens {
            input_tokens,
            cached_tokens: number(12)?.unwrap_or(0),
            reasoning_tokens: number(13)?.unwrap_or(0),
            output_tokens: number(14)?.unwrap_or(0),
        }),
        None => None,
    };
    let status: String = row.try_get(3)?;
    let metadata: String = row.try_get(20)?;
    Ok(RunSummary {
        id: row.try_get(1)?,
        session_id: row.try_get(2)?,
        status: RunStatus::parse(&status).unwrap_or(RunStatus::Pending),
        name: row.try_get(4)?,
        agent_id: row.try_get(5)?,
        model: row.try_get(6)?,
        input_preview: row.try_get(7)?,
        output_preview: row.try_get(8)?,
        error: row.try_get(9)?,
        error_class: row.try_get(10)?,
        tokens,
        turns: number(15)?,
        tool_calls: number(16)?,
        duration_ms: number(17)?,
        cost_micros: number(18)?,
        created_at_ms: row.try_get(19)?,
        metadata: serde_json::from_str::<Metadata>(&metadata).unwrap_or_default(),
        marks: marks_from_bits(row.try_get(21)?),
        origin: origin_from_number(row.try_get(22)?),
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
    async fn a_number_that_another_workspace_has_is_not_written_over() {
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
        let error = write(&mut connection, store.engine, second, &[&row("run_b")]).await.expect_err("not theirs");
        assert!(lost_a_number(&error), "{error}");
        let kept = select(&mut connection, "r.n = 7", Vec::new()).await.expect("rows");
        assert_eq!(kept[0].summary.id, "run_a");
    }
}
