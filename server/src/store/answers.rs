//! Answers to local tool calls: the runs to answer, leased to one process, and the state of each call.

use domain::{AnswerRecord, AnswerState, Via, from_word, word};
use sqlx::Row;
use sqlx::any::AnyRow;

use super::audit::{self, NewAuditEntry};
use super::sql::{args, execute, fetch, fetch_optional, fetch_value};
use super::{Result, Store, WorkspaceId};

/// A run whose calls this process answers.
#[derive(Clone, Debug)]
pub struct AnswerPlan {
    pub workspace_id: WorkspaceId,
    pub run_id: String,
    pub subject: String,
    pub sealed_answers: Vec<u8>,
    pub after_seq: u64,
    pub created_at_ms: i64,
    /// The process that has the lease.
    pub owner: String,
}

/// One call of a run.
#[derive(Clone, Copy, Debug)]
pub struct CallKey<'a> {
    pub workspace: WorkspaceId,
    pub run_id: &'a str,
    pub tool_use_id: &'a str,
    /// The process that has the lease of the run. Empty when a person answers.
    pub owner: &'a str,
}

/// The result of claiming a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No process has claimed it before.
    Fresh,
    /// Another process claimed it and stopped.
    Interrupted,
    /// An answer is stored but not sent.
    Ready(Vec<u8>),
    /// It is answered already.
    Settled,
}

impl Store {
    /// Leases open runs whose lease has expired, at most `limit`.
    pub async fn claim_answer_plans(
        &self,
        owner: &str,
        now_ms: i64,
        until_ms: i64,
        limit: i64,
    ) -> Result<Vec<AnswerPlan>> {
        // The conditions are there twice: another process may claim a run after the inner query.
        let sql = "UPDATE run_answerer SET owner = $1, lease_until = $2 WHERE state = 'open' AND lease_until < $3 \
                   AND (workspace_id, run_id) IN (SELECT workspace_id, run_id FROM run_answerer WHERE state = 'open' \
                   AND lease_until < $3 ORDER BY lease_until LIMIT $4) \
                   RETURNING workspace_id, run_id, subject, answers, after_seq, created_at, owner";
        let rows = fetch(&self.writer, sql, args![owner, until_ms, now_ms, limit]).await?;
        let plan = |row: &AnyRow| {
            Ok(AnswerPlan {
                workspace_id: WorkspaceId(row.try_get("workspace_id")?),
                run_id: row.try_get("run_id")?,
                subject: row.try_get("subject")?,
                sealed_answers: row.try_get("answers")?,
                after_seq: row.try_get::<i64, _>("after_seq")?.try_into().unwrap_or(0),
                created_at_ms: row.try_get("created_at")?,
                owner: row.try_get("owner")?,
            })
        };
        rows.iter().map(plan).collect()
    }

    /// Extends the lease of a run. Returns false if the lease was lost.
    pub async fn renew_answer_plan(&self, plan: &AnswerPlan, until_ms: i64, after_seq: u64) -> Result<bool> {
        let sql = "UPDATE run_answerer SET lease_until = $1, after_seq = $2 \
                   WHERE workspace_id = $3 AND run_id = $4 AND owner = $5 AND state = 'open'";
        let after_seq = i64::try_from(after_seq).unwrap_or(i64::MAX);
        self.change_one(sql, args![until_ms, after_seq, plan.workspace_id, &plan.run_id, &plan.owner]).await
    }

    /// Closes a run that has ended or cannot be answered, and replaces its answerers with a copy without secrets.
    pub async fn close_answer_plan(&self, plan: &AnswerPlan, without_secrets: &[u8]) -> Result<()> {
        let sql = "UPDATE run_answerer SET state = 'done', answers = $1 \
                   WHERE workspace_id = $2 AND run_id = $3 AND owner = $4";
        self.change(sql, args![without_secrets, plan.workspace_id, &plan.run_id, &plan.owner]).await.map(drop)
    }

    /// The answerers of a run's tools, from its launch.
    pub async fn sealed_answers(&self, workspace: WorkspaceId, run_id: &str) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT answers FROM run_answerer WHERE workspace_id = $1 AND run_id = $2";
        fetch_value(&self.reader, sql, args![workspace, run_id]).await
    }

    /// The person who launched a run and whose answers it gets.
    pub async fn answering_person(&self, workspace: WorkspaceId, run_id: &str) -> Result<Option<String>> {
        let sql = "SELECT subject FROM run_answerer WHERE workspace_id = $1 AND run_id = $2";
        fetch_value(&self.reader, sql, args![workspace, run_id]).await
    }

    /// Claims a call for the process that holds the lease of its run.
    pub async fn claim_answer(
        &self,
        call: CallKey<'_>,
        tool: &str,
        via: Via,
        answered_by: &str,
        now_ms: i64,
    ) -> Result<Claim> {
        let sql = "INSERT INTO run_answer (workspace_id, run_id, tool_use_id, tool, via, answered_by, state, owner, \
                   changed_at) VALUES ($1, $2, $3, $4, $5, $6, 'working', $7, $8) ON CONFLICT DO NOTHING";
        let CallKey { workspace, run_id, tool_use_id, owner } = call;
        let new = args![workspace, run_id, tool_use_id, tool, word(via), answered_by, owner, now_ms];
        if self.change_one(sql, new).await? {
            return Ok(Claim::Fresh);
        }
        let sql = "UPDATE run_answer SET owner = $1, changed_at = $2 WHERE workspace_id = $3 AND run_id = $4 \
                   AND tool_use_id = $5 AND state IN ('working', 'ready') AND owner <> $1 RETURNING state, reply";
        let taken = fetch_optional(&self.writer, sql, args![owner, now_ms, workspace, run_id, tool_use_id]).await?;
        let Some(row) = taken else { return Ok(Claim::Settled) };
        match row.try_get::<Option<Vec<u8>>, _>(1)? {
            Some(reply) if from_word(row.try_get(0)?) == Some(AnswerState::Ready) => Ok(Claim::Ready(reply)),
            _ => Ok(Claim::Interrupted),
        }
    }

    /// Stores an answer until it is sent. Returns false if this process lost the call.
    pub async fn save_reply(&self, call: CallKey<'_>, sealed: &[u8], now_ms: i64) -> Result<bool> {
        let sql = "UPDATE run_answer SET state = 'ready', reply = $1, changed_at = $2 WHERE workspace_id = $3 \
                   AND run_id = $4 AND tool_use_id = $5 AND owner = $6 AND state IN ('working', 'ready')";
        self.change_one(sql, args![sealed, now_ms, call.workspace, call.run_id, call.tool_use_id, call.owner]).await
    }

    /// Records the final state of an answer.
    pub async fn settle_answer(
        &self,
        call: CallKey<'_>,
        state: AnswerState,
        problem: Option<&str>,
        now_ms: i64,
    ) -> Result<()> {
        let sql = "UPDATE run_answer SET state = $1, problem = $2, reply = NULL, changed_at = $3 \
                   WHERE workspace_id = $4 AND run_id = $5 AND tool_use_id = $6 AND owner = $7 \
                   AND state IN ('working', 'ready')";
        let CallKey { workspace, run_id, tool_use_id, owner } = call;
        let args = args![word(state), problem, now_ms, workspace, run_id, tool_use_id, owner];
        self.change(sql, args).await.map(drop)
    }

    /// Abandons a call that has a result. Returns false if an answer is about to be sent.
    pub async fn abandon_answer(&self, call: CallKey<'_>, now_ms: i64) -> Result<bool> {
        let sql = "UPDATE run_answer SET state = 'not_needed', changed_at = $1 WHERE workspace_id = $2 AND run_id = $3 \
                   AND tool_use_id = $4 AND owner = $5 AND state = 'working'";
        self.change(sql, args![now_ms, call.workspace, call.run_id, call.tool_use_id, call.owner]).await?;
        let sql = "SELECT state FROM run_answer WHERE workspace_id = $1 AND run_id = $2 AND tool_use_id = $3";
        let state: Option<String> =
            fetch_value(&self.writer, sql, args![call.workspace, call.run_id, call.tool_use_id]).await?;
        Ok(state.as_deref().and_then(from_word) != Some(AnswerState::Ready))
    }

    /// Records that a person answered a call, even if a process has claimed it.
    pub async fn record_hand_answer(&self, call: CallKey<'_>, email: &str, entry: &NewAuditEntry) -> Result<()> {
        let mut tx = self.begin().await?;
        let sql = "INSERT INTO run_answer (workspace_id, run_id, tool_use_id, tool, via, answered_by, state, owner, \
                   changed_at) VALUES ($1, $2, $3, '', 'hand', $4, 'sent', '', $5) \
                   ON CONFLICT (workspace_id, run_id, tool_use_id) DO UPDATE SET via = 'hand', \
                   answered_by = excluded.answered_by, state = 'sent', owner = '', reply = NULL, problem = NULL, \
                   changed_at = excluded.changed_at WHERE run_answer.state <> 'sent'";
        execute(&mut tx, sql, args![call.workspace, call.run_id, call.tool_use_id, email, entry.at_ms]).await?;
        audit::add(&mut tx, call.workspace, entry).await?;
        tx.commit().await
    }

    pub async fn answer_records(&self, workspace: WorkspaceId, run_id: &str) -> Result<Vec<AnswerRecord>> {
        let sql = "SELECT tool_use_id, tool, via, answered_by, state, changed_at, problem FROM run_answer \
                   WHERE workspace_id = $1 AND run_id = $2 ORDER BY changed_at, tool_use_id";
        let rows = fetch(&self.reader, sql, args![workspace, run_id]).await?;
        rows.iter()
            .map(|row| {
                Ok(AnswerRecord {
                    tool_use_id: row.try_get("tool_use_id")?,
                    tool: row.try_get("tool")?,
                    via: from_word(row.try_get("via")?).unwrap_or(Via::Hand),
                    by: row.try_get("answered_by")?,
                    state: from_word(row.try_get("state")?).unwrap_or(AnswerState::Working),
                    at_ms: row.try_get("changed_at")?,
                    problem: row.try_get("problem")?,
                })
            })
            .collect()
    }
}
