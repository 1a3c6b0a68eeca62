//! Runs: what lists show, and what is known of each.

use app::model::{Marks, RunSummary};
use protocol::messages::{Metadata, RunRow, RunSnapshot, Tokens};
use protocol::{Query, RunStatus};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use super::query_sql::{Arg, Select};
use super::{Result, Store, WorkspaceId};

const COLUMNS: &str = "r.id, r.session_id, r.status, r.name, r.agent_id, r.model, r.input_preview, r.output_preview, \
     r.error, r.input_tokens, r.cached_tokens, r.reasoning_tokens, r.output_tokens, r.turns, r.tool_calls, \
     r.duration_ms, r.created_at, r.metadata, r.marks";

/// Where a page of the list ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub created_at_ms: i64,
    pub id: String,
}

/// What was learnt of a run, from a list row, a snapshot or its log. `None` says nothing.
#[derive(Clone, Debug)]
pub struct RunUpdate {
    pub summary: RunSummary,
    pub completed_at_ms: Option<i64>,
    pub spec: Option<String>,
}

impl Store {
    /// Takes in what MANTYX said of runs. A run that has ended stays ended, whatever an older answer says.
    pub async fn upsert_runs(&self, workspace: WorkspaceId, updates: &[RunUpdate]) -> Result<()> {
        let mut tx = self.writer.begin().await?;
        for update in updates {
            let created_at = upsert_run(&mut tx, workspace, update).await?;
            upsert_metadata(&mut tx, workspace, &update.summary, created_at).await?;
        }
        tx.commit().await
    }

    pub async fn list_runs(
        &self,
        workspace: WorkspaceId,
        query: &Query,
        cursor: Option<&Cursor>,
        limit: u32,
    ) -> Result<Vec<RunSummary>> {
        let select = Select::runs(COLUMNS, workspace, query, cursor, limit);
        let mut rows = sqlx::query(AssertSqlSafe(select.sql));
        for arg in select.args {
            rows = match arg {
                Arg::Int(number) => rows.bind(number),
                Arg::Text(text) => rows.bind(text),
            };
        }
        rows.fetch_all(&self.reader).await?.iter().map(summary).collect()
    }

    pub async fn run(&self, workspace: WorkspaceId, id: &str) -> Result<Option<RunSummary>> {
        let row =
            sqlx::query(AssertSqlSafe(format!("SELECT {COLUMNS} FROM run r WHERE r.workspace_id = $1 AND r.id = $2")))
                .bind(workspace.0)
                .bind(id)
                .fetch_optional(&self.reader)
                .await?;
        row.as_ref().map(summary).transpose()
    }

    /// The spec of a run that was opened, as JSON, and whether its stored log is complete.
    pub async fn run_spec_and_log_state(&self, workspace: WorkspaceId, id: &str) -> Result<(Option<String>, bool)> {
        let row = sqlx::query("SELECT spec, log_complete FROM run WHERE workspace_id = $1 AND id = $2")
            .bind(workspace.0)
            .bind(id)
            .fetch_optional(&self.reader)
            .await?;
        row.map_or(Ok((None, false)), |row| Ok((row.try_get(0)?, row.try_get::<i64, _>(1)? == 1)))
    }

    /// Runs that have ended and whose log is not stored, newest first.
    pub async fn ended_runs_without_log(&self, workspace: WorkspaceId, limit: u32) -> Result<Vec<String>> {
        sqlx::query_scalar(
            "SELECT id FROM run WHERE workspace_id = $1 AND log_complete = 0 \
             AND status IN ('succeeded', 'failed', 'cancelled') ORDER BY created_at DESC LIMIT $2",
        )
        .bind(workspace.0)
        .bind(i64::from(limit))
        .fetch_all(&self.reader)
        .await
    }

    /// Records what the log told.
    pub async fn finish_log(&self, workspace: WorkspaceId, id: &str, marks: Marks, complete: bool) -> Result<()> {
        sqlx::query("UPDATE run SET marks = $1, log_complete = $2 WHERE workspace_id = $3 AND id = $4")
            .bind(marks_to_bits(marks))
            .bind(i64::from(complete))
            .bind(workspace.0)
            .bind(id)
            .execute(&self.writer)
            .await
            .map(drop)
    }
}

async fn upsert_run(tx: &mut AnyConnection, workspace: WorkspaceId, update: &RunUpdate) -> Result<i64> {
    let run = &update.summary;
    let tokens = run.tokens;
    let metadata = serde_json::to_string(&run.metadata).unwrap_or_else(|_| "{}".to_owned());
    sqlx::query_scalar(
        "INSERT INTO run (workspace_id, id, session_id, status, name, agent_id, model, input_preview, output_preview, \
         error, input_tokens, cached_tokens, reasoning_tokens, output_tokens, turns, tool_calls, duration_ms, \
         created_at, completed_at, metadata, spec, marks, log_complete) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, 0, 0) \
         ON CONFLICT (workspace_id, id) DO UPDATE SET \
         session_id = COALESCE(excluded.session_id, run.session_id), \
         status = CASE WHEN run.status IN ('succeeded', 'failed', 'cancelled') THEN run.status \
                  ELSE excluded.status END, \
         name = COALESCE(excluded.name, run.name), \
         agent_id = COALESCE(excluded.agent_id, run.agent_id), \
         model = COALESCE(excluded.model, run.model), \
         input_preview = COALESCE(excluded.input_preview, run.input_preview), \
         output_preview = COALESCE(excluded.output_preview, run.output_preview), \
         error = COALESCE(excluded.error, run.error), \
         input_tokens = COALESCE(excluded.input_tokens, run.input_tokens), \
         cached_tokens = COALESCE(excluded.cached_tokens, run.cached_tokens), \
         reasoning_tokens = COALESCE(excluded.reasoning_tokens, run.reasoning_tokens), \
         output_tokens = COALESCE(excluded.output_tokens, run.output_tokens), \
         turns = COALESCE(excluded.turns, run.turns), \
         tool_calls = COALESCE(excluded.tool_calls, run.tool_calls), \
         duration_ms = COALESCE(excluded.duration_ms, run.duration_ms), \
         completed_at = COALESCE(excluded.completed_at, run.completed_at), \
         metadata = excluded.metadata, \
         spec = COALESCE(excluded.spec, run.spec) \
         RETURNING created_at",
    )
    .bind(workspace.0)
    .bind(&run.id)
    .bind(&run.session_id)
    .bind(run.status.as_str())
    .bind(&run.name)
    .bind(&run.agent_id)
    .bind(&run.model)
    .bind(&run.input_preview)
    .bind(&run.output_preview)
    .bind(&run.error)
    .bind(tokens.map(|tokens| to_i64(tokens.input_tokens)))
    .bind(tokens.map(|tokens| to_i64(tokens.cached_tokens)))
    .bind(tokens.map(|tokens| to_i64(tokens.reasoning_tokens)))
    .bind(tokens.map(|tokens| to_i64(tokens.output_tokens)))
    .bind(run.turns.map(to_i64))
    .bind(run.tool_calls.map(to_i64))
    .bind(run.duration_ms.map(to_i64))
    .bind(run.created_at_ms)
    .bind(update.completed_at_ms)
    .bind(metadata)
    .bind(&update.spec)
    .fetch_one(tx)
    .await
}

/// Metadata is set when a run is created and does not change after.
async fn upsert_metadata(
    tx: &mut AnyConnection,
    workspace: WorkspaceId,
    run: &RunSummary,
    created_at_ms: i64,
) -> Result<()> {
    for (key, value) in &run.metadata {
        sqlx::query(
            "INSERT INTO run_metadata (workspace_id, key, value, created_at, run_id) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT DO NOTHING",
        )
        .bind(workspace.0)
        .bind(key)
        .bind(value)
        .bind(created_at_ms)
        .bind(&run.id)
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

impl RunUpdate {
    pub fn from_row(row: RunRow) -> Option<Self> {
        Some(Self {
            completed_at_ms: row.completed_at.as_deref().and_then(parse_time),
            spec: None,
            summary: RunSummary {
                created_at_ms: parse_time(&row.created_at)?,
                id: row.id,
                session_id: row.session_id,
                status: row.status,
                name: row.spec_name,
                agent_id: row.agent_id,
                model: row.model_id,
                input_preview: row.input_preview,
                output_preview: row.output_preview,
                error: row.error,
                tokens: row.tokens,
                turns: row.turns,
                tool_calls: row.tool_call_count,
                duration_ms: row.duration_ms,
                metadata: row.metadata,
                marks: Marks::default(),
            },
        })
    }

    /// A snapshot tells the spec, which a list row does not. `now_ms` stands in where a server sends no creation time.
    pub fn from_snapshot(snapshot: RunSnapshot, now_ms: i64) -> Self {
        use protocol::json::preview;
        let spec = &snapshot.agent_spec;
        let text = |field: &str| spec[field].as_str().map(str::to_owned);
        let created_at_ms = snapshot.created_at.as_deref().and_then(parse_time);
        let completed_at_ms = snapshot.completed_at.as_deref().and_then(parse_time);
        let duration_ms = created_at_ms.zip(completed_at_ms).and_then(|(from, to)| u64::try_from(to - from).ok());
        let prompt = protocol::spec::prompt_text(spec);
        Self {
            completed_at_ms,
            summary: RunSummary {
                created_at_ms: created_at_ms.unwrap_or(now_ms),
                id: snapshot.id,
                session_id: snapshot.session_id,
                status: snapshot.status,
                name: text("name"),
                agent_id: text("agentId"),
                model: snapshot.model.as_ref().and_then(|model| model["id"].as_str().map(str::to_owned)),
                input_preview: (!prompt.is_empty()).then(|| preview(prompt, 200)),
                output_preview: snapshot.final_text.as_deref().map(|text| preview(text, 200)),
                error: snapshot.error,
                tokens: snapshot.tokens,
                turns: snapshot.turns,
                tool_calls: None,
                duration_ms,
                metadata: snapshot.metadata,
                marks: Marks::default(),
            },
            spec: Some(snapshot.agent_spec.to_string()),
        }
    }
}

fn summary(row: &AnyRow) -> Result<RunSummary> {
    let number = |index: usize| -> Result<Option<u64>> {
        Ok(row.try_get::<Option<i64>, _>(index)?.map(|number| u64::try_from(number).unwrap_or(0)))
    };
    let tokens = match number(9)? {
        Some(input_tokens) => Some(Tokens {
            input_tokens,
            cached_tokens: number(10)?.unwrap_or(0),
            reasoning_tokens: number(11)?.unwrap_or(0),
            output_tokens: number(12)?.unwrap_or(0),
        }),
        None => None,
    };
    let status: String = row.try_get(2)?;
    let metadata: String = row.try_get(17)?;
    Ok(RunSummary {
        id: row.try_get(0)?,
        session_id: row.try_get(1)?,
        status: RunStatus::parse(&status).unwrap_or(RunStatus::Pending),
        name: row.try_get(3)?,
        agent_id: row.try_get(4)?,
        model: row.try_get(5)?,
        input_preview: row.try_get(6)?,
        output_preview: row.try_get(7)?,
        error: row.try_get(8)?,
        tokens,
        turns: number(13)?,
        tool_calls: number(14)?,
        duration_ms: number(15)?,
        created_at_ms: row.try_get(16)?,
        metadata: serde_json::from_str::<Metadata>(&metadata).unwrap_or_default(),
        marks: marks_from_bits(row.try_get(18)?),
    })
}

fn marks_to_bits(marks: Marks) -> i64 {
    i64::from(marks.truncated) | i64::from(marks.looping) << 1 | i64::from(marks.over_budget) << 2
}

fn marks_from_bits(bits: i64) -> Marks {
    Marks { truncated: bits & 1 != 0, looping: bits & 2 != 0, over_budget: bits & 4 != 0 }
}

fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn parse_time(text: &str) -> Option<i64> {
    chrono::DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_millis())
}
