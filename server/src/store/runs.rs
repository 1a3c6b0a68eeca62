//! Runs: lists, single runs, and queries for runs that need syncing.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use domain::{Marks, Origin, RunSort, RunSummary, RunsPage, SortColumn};
use protocol::messages::{RunRow as WireRow, RunSnapshot};
use sqlx::{AssertSqlSafe, Row};

use super::ingest::{LOG_COMPLETE, RunUpdate};
use super::query_plan::{LIST_KEY, PageOrder, PlanRows, QueryPlan};
use super::run_row::{SUMMARY_COLUMNS, read_list_key, read_summary};
use super::sql::fetch;
use super::{Result, Store, WorkspaceId};

const ENDED: &str = "r.status IN ('succeeded', 'failed', 'cancelled')";
const MAX_MISSING_LOGS: i64 = 20_000;

/// A position in the runs list: the list key of the last run before it, with the number that the list is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunCursor {
    /// In a list that is sorted by time.
    Created(i64),
    /// The number, then the list key.
    Number(i64, i64),
    /// Among the runs without the number, which come last.
    WithoutNumber(i64),
}

/// Placeholder for the number in the cursor of a run that has none.
const WITHOUT_NUMBER: &str = "none";

impl RunCursor {
    /// Returns true if a list with this order has such cursors.
    pub fn belongs_to(self, sort: RunSort) -> bool {
        matches!(self, Self::Created(_)) == (sort.column == SortColumn::Created)
    }

    pub(super) fn list_key(self) -> i64 {
        match self {
            Self::Created(list_key) | Self::Number(_, list_key) | Self::WithoutNumber(list_key) => list_key,
        }
    }

    /// The cursor after a run.
    fn after(sort: RunSort, list_key: i64, run: &RunSummary) -> Self {
        let number = match sort.column {
            SortColumn::Created => return Self::Created(list_key),
            SortColumn::Duration => run.duration_ms,
            SortColumn::Tokens => run.tokens.map(|tokens| tokens.input_tokens + tokens.output_tokens),
            SortColumn::Cost => run.cost_micros,
        };
        number.map_or(Self::WithoutNumber(list_key), |number| {
            Self::Number(i64::try_from(number).unwrap_or(i64::MAX), list_key)
        })
    }
}

impl fmt::Display for RunCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Created(list_key) => list_key.fmt(f),
            Self::Number(number, list_key) => write!(f, "{number}.{list_key}"),
            Self::WithoutNumber(list_key) => write!(f, "{WITHOUT_NUMBER}.{list_key}"),
        }
    }
}

impl FromStr for RunCursor {
    type Err = ParseIntError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseIntError> {
        Ok(match text.split_once('.') {
            None => Self::Created(text.parse()?),
            Some((WITHOUT_NUMBER, list_key)) => Self::WithoutNumber(list_key.parse()?),
            Some((number, list_key)) => Self::Number(number.parse()?, list_key.parse()?),
        })
    }
}

impl Store {
    /// A page of matching runs in an order, after `cursor`, which must be one of the same order.
    pub async fn list_runs(
        &self,
        plan: &QueryPlan,
        sort: RunSort,
        cursor: Option<RunCursor>,
        limit: u32,
    ) -> Result<RunsPage> {
        let order = PageOrder { sort, cursor, includes_cursor: false, backwards: false };
        let PlanRows { rows, stopped_early } = plan.page(self, SUMMARY_COLUMNS, order, limit + 1).await?;
        let more = rows.len() > limit as usize;
        let shown = &rows[..rows.len().min(limit as usize)];
        let runs = shown.iter().map(read_summary).collect::<Result<Vec<_>>>()?;
        let next = match shown.last().zip(runs.last()) {
            Some((row, run)) if more => Some(RunCursor::after(sort, read_list_key(row)?, run)),
            _ => stopped_early.map(|stopped| stopped.cursor),
        };
        Ok(RunsPage {
            runs,
            next_cursor: next.map(|cursor| cursor.to_string()),
            scanned: stopped_early.map(|stopped| stopped.scanned),
            now_ms: plan.now_ms,
            ..RunsPage::default()
        })
    }

    /// The cursor of the page before the one at `cursor`. `None` if that is the first page.
    pub async fn cursor_before(
        &self,
        plan: &QueryPlan,
        sort: RunSort,
        cursor: RunCursor,
        limit: u32,
    ) -> Result<Option<RunCursor>> {
        let order = PageOrder { sort: sort.reversed(), cursor: Some(cursor), includes_cursor: true, backwards: true };
        if sort.column == SortColumn::Created {
            let PlanRows { rows, stopped_early } = plan.page(self, LIST_KEY, order, limit + 1).await?;
            return match rows.get(limit as usize) {
                Some(row) => Ok(Some(RunCursor::Created(row.try_get(0)?))),
                None => Ok(stopped_early.map(|stopped| stopped.cursor)),
            };
        }
        let PlanRows { rows, .. } = plan.page(self, SUMMARY_COLUMNS, order, limit + 1).await?;
        let Some(row) = rows.get(limit as usize) else { return Ok(None) };
        Ok(Some(RunCursor::after(sort, read_list_key(row)?, &read_summary(row)?)))
    }

    /// For a query that matches nothing: the indexes of the clauses whose removal would show runs.
    pub async fn excluding_clauses(&self, plan: &QueryPlan) -> Result<Vec<usize>> {
        let mut found = Vec::new();
        // Without its only clause the filter shows all runs, which tells nothing about the clause.
        let clauses = if plan.query.clauses.len() > 1 { plan.query.clauses.len() } else { 0 };
        for index in 0..clauses {
            let without = self.plan(plan.workspace, &plan.query.without(index), plan.now_ms).await?;
            if !self.list_runs(&without, RunSort::default(), None, 1).await?.runs.is_empty() {
                found.push(index);
            }
        }
        Ok(found)
    }

    pub async fn run(&self, workspace: WorkspaceId, id: &str) -> Result<Option<RunSummary>> {
        let sql = format!("SELECT {SUMMARY_COLUMNS} FROM run r WHERE r.workspace_id = $1 AND r.id = $2");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(workspace.0).bind(id).fetch_optional(&self.reader).await?;
        row.as_ref().map(read_summary).transpose()
    }

    /// Returns true if the run is stored with its spec and complete log, or is not from MANTYX.
    pub async fn needs_no_sync(&self, workspace: WorkspaceId, id: &str) -> Result<bool> {
        let found: Option<i64> = sqlx::query_scalar(
            "SELECT r.n FROM run r WHERE r.workspace_id = $1 AND r.id = $2 \
             AND (r.origin <> 0 OR (r.log_state = $3 AND EXISTS (SELECT 1 FROM run_spec s WHERE s.n = r.n)))",
        )
        .bind(workspace.0)
        .bind(id)
        .bind(LOG_COMPLETE)
        .fetch_optional(&self.reader)
        .await?;
        Ok(found.is_some())
    }

    /// A run's spec as JSON, if it is stored, and true if the stored log is complete.
    pub async fn run_spec_and_log_state(&self, workspace: WorkspaceId, id: &str) -> Result<(Option<String>, bool)> {
        let mut connection = self.reader.acquire().await?;
        let row = sqlx::query("SELECT n, log_state FROM run WHERE workspace_id = $1 AND id = $2")
            .bind(workspace.0)
            .bind(id)
            .fetch_optional(&mut *connection)
            .await?;
        let Some(row) = row else { return Ok((None, false)) };
        let spec = self.spec(&mut connection, row.try_get(0)?).await?;
        Ok((spec, row.try_get::<i64, _>(1)? == LOG_COMPLETE))
    }

    /// Ended runs whose log is not stored, newest first.
    pub async fn ended_runs_without_log(&self, workspace: WorkspaceId, limit: u32) -> Result<Vec<String>> {
        let found = self.runs_without_log(workspace, ENDED, None, limit).await?;
        Ok(found.into_iter().map(|(_, id)| id).collect())
    }

    /// Runs that have not ended according to the last sync, with their list keys, newest first, below a list key.
    pub async fn unfinished_runs(
        &self,
        workspace: WorkspaceId,
        below: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, String)>> {
        self.runs_without_log(workspace, "r.status IN ('pending', 'running')", below, limit).await
    }

    async fn runs_without_log(
        &self,
        workspace: WorkspaceId,
        condition: &str,
        below: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, String)>> {
        let sql = format!(
            "SELECT r.n, r.id FROM run r WHERE r.workspace_id = $1 AND r.log_state = 0 AND r.origin = 0 \
             AND {condition} AND r.n < $3 ORDER BY r.n DESC LIMIT $2"
        );
        let args = vec![workspace.0.into(), i64::from(limit).into(), below.unwrap_or(i64::MAX).into()];
        let rows = fetch(&self.reader, sql, args).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }

    /// Counts ended runs of MANTYX: those whose log is stored or gone, and those whose log is missing. The second count is
    /// capped.
    pub async fn count_logs(&self, workspace: WorkspaceId) -> Result<(i64, i64)> {
        // One statement: a run that is stored between two counts would be in one of them only.
        let sql = format!(
            "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM run r WHERE r.workspace_id = $1 AND r.log_state = 0 \
             AND r.origin = 0 AND {ENDED} LIMIT $2) b), \
             (SELECT CAST(COALESCE(SUM(runs), 0) AS BIGINT) FROM tag WHERE workspace_id = $1 AND key = 'status' \
             AND value IN ('succeeded', 'failed', 'cancelled'))"
        );
        let (missing, ended): (i64, i64) =
            sqlx::query_as(AssertSqlSafe(sql)).bind(workspace.0).bind(MAX_MISSING_LOGS).fetch_one(&self.reader).await?;
        Ok(((ended - missing).max(0), missing))
    }

    /// The number of runs from MANTYX: neither imported nor seeded.
    pub async fn count_mirrored_runs(&self, workspace: WorkspaceId) -> Result<i64> {
        let sql = "SELECT CAST(COALESCE(SUM(CASE key WHEN 'status' THEN runs ELSE -runs END), 0) AS BIGINT) FROM tag \
             WHERE workspace_id = $1 AND (key = 'status' OR (key = 'is' AND value IN ('imported', 'seeded')))";
        sqlx::query_scalar(sql).bind(workspace.0).fetch_one(&self.reader).await
    }

    /// The number of runs of a workspace, from the tag counts.
    pub async fn count_runs(&self, workspace: WorkspaceId) -> Result<i64> {
        let sql = "SELECT CAST(COALESCE(SUM(runs), 0) AS BIGINT) FROM tag WHERE workspace_id = $1 AND key = 'status'";
        sqlx::query_scalar(sql).bind(workspace.0).fetch_one(&self.reader).await
    }
}

impl RunUpdate {
    /// `None` if a required field is missing, or if the status is unknown.
    pub fn from_row(row: &WireRow) -> Option<Self> {
        Some(Self {
            completed_at_ms: row.completed_at().and_then(parse_time),
            spec: None,
            log: None,
            summary: RunSummary {
                created_at_ms: parse_time(row.created_at()?)?,
                id: row.id()?.to_owned(),
                session_id: row.session_id().map(str::to_owned),
                status: row.status()?,
                name: row.spec_name().map(str::to_owned),
                agent_id: row.agent_id().map(str::to_owned),
                model: row.model_id().map(str::to_owned),
                input_preview: row.input_preview().map(str::to_owned),
                output_preview: row.output_preview().map(str::to_owned),
                error: row.error().map(str::to_owned),
                reason: None,
                tokens: row.tokens(),
                turns: row.turns(),
                tool_calls: row.tool_call_count(),
                duration_ms: row.duration_ms(),
                waited_ms: None,
                cost_micros: None,
                error_class: None,
                group: None,
                metadata: row.metadata(),
                marks: Marks::default(),
                origin: Origin::Mirrored,
            },
        })
    }

    /// A snapshot has the spec, which a list row lacks. `now_ms` replaces a missing creation time.
    pub fn from_snapshot(snapshot: &RunSnapshot, now_ms: i64) -> Option<Self> {
        use protocol::json::preview;
        let spec = snapshot.json().get("agentSpec").unwrap_or(&serde_json::Value::Null);
        let text = |field: &str| spec[field].as_str().map(str::to_owned);
        let created_at_ms = snapshot.created_at().and_then(parse_time);
        let completed_at_ms = snapshot.completed_at().and_then(parse_time);
        let duration_ms = created_at_ms.zip(completed_at_ms).and_then(|(from, to)| u64::try_from(to - from).ok());
        let prompt = protocol::spec::prompt_text(spec);
        Some(Self {
            completed_at_ms,
            log: None,
            summary: RunSummary {
                created_at_ms: created_at_ms.unwrap_or(now_ms),
                id: snapshot.id()?.to_owned(),
                session_id: snapshot.session_id().map(str::to_owned),
                status: snapshot.status()?,
                name: text("name"),
                agent_id: text("agentId"),
                model: snapshot.model().and_then(|model| model.id()).map(str::to_owned),
                input_preview: (!prompt.is_empty()).then(|| preview(prompt, 200)),
                output_preview: snapshot.final_text().map(|text| preview(text, 200)),
                error: snapshot.error().map(str::to_owned),
                reason: None,
                tokens: snapshot.tokens(),
                turns: snapshot.turns(),
                tool_calls: None,
                duration_ms,
                waited_ms: None,
                cost_micros: None,
                error_class: None,
                group: None,
                metadata: snapshot.metadata(),
                marks: Marks::default(),
                origin: Origin::Mirrored,
            },
            spec: Some(spec.to_string()),
        })
    }
}

/// Parses MANTYX's RFC 3339 time into Unix milliseconds.
pub fn parse_time(text: &str) -> Option<i64> {
    chrono::DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_millis())
}
