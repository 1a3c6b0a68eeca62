//! Answers to local tool calls: the runs to answer, leased to one process, and the state of each call.

use domain::{AnswerRecord, AnswerState, Via};
use sqlx::Row;

use super::audit::{self, NewAuditEntry};
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
}

/// One call of a run.
#[derive(Clone, Copy, Debug)]
pub struct CallKey<'a> {
    pub workspace: WorkspaceId,
    pub run_id: &'a str,
    pub tool_use_id: &'a str,
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
    /// Leases open runs whose lease has expired.
    pub async fn claim_answer_plans(
        &self,
        owner: &str,
        now_ms: i64,
        lease_until_ms: i64,
        limit: u32,
    ) -> Result<Vec<AnswerPlan>> {
        let free = sqlx::query(
            "SELECT workspace_id, run_id, subject, answers, after_seq, created_at FROM run_answerer \
             WHERE state = 'open' AND lease_until < $1 ORDER BY lease_until LIMIT $2",
        )
        .bind(now_ms)
        .bind(i64::from(limit))
        .fetch_all(&self.writer)
        .await?;
        let mut claimed = Vec::new();
        for row in free {
            let plan = AnswerPlan {
                workspace_id: WorkspaceId(row.try_get("workspace_id")?),
                run_id: row.try_get("run_id")?,
                subject: row.try_get("subject")?,
                sealed_answers: row.try_get("answers")?,
                after_seq: row.try_get::<i64, _>("after_seq")?.try_into().unwrap_or(0),
                created_at_ms: row.try_get("created_at")?,
            };
            // Another process may have claimed it between the two statements.
            let taken = sqlx::query(
                "UPDATE run_answerer SET owner = $1, lease_until = $2 \
                 WHERE workspace_id = $3 AND run_id = $4 AND state = 'open' AND lease_until < $5",
            )
            .bind(owner)
            .bind(lease_until_ms)
            .bind(plan.workspace_id.0)
            .bind(&plan.run_id)
            .bind(now_ms)
            .execute(&self.writer)
            .await?;
            if taken.rows_affected() == 1 {
                claimed.push(plan);
            }
        }
        Ok(claimed)
    }

    /// Extends the lease of a run. Returns false if the lease was lost.
    pub async fn renew_answer_plan(
        &self,
        plan: &AnswerPlan,
        owner: &str,
        lease_until_ms: i64,
        after_seq: u64,
    ) -> Result<bool> {
        let renewed = sqlx::query(
            "UPDATE run_answerer SET lease_until = $1, after_seq = $2 \
             WHERE workspace_id = $3 AND run_id = $4 AND owner = $5 AND state = 'open'",
        )
        .bind(lease_until_ms)
        .bind(i64::try_from(after_seq).unwrap_or(i64::MAX))
        .bind(plan.workspace_id.0)
        .bind(&plan.run_id)
        .bind(owner)
        .execute(&self.writer)
        .await?;
        Ok(renewed.rows_affected() == 1)
    }

    /// Closes a run that has ended or cannot be answered, and replaces its answerers with a copy without secrets.
    pub async fn close_answer_plan(&self, plan: &AnswerPlan, owner: &str, without_secrets: &[u8]) -> Result<()> {
        sqlx::query(
            "UPDATE run_answerer SET state = 'done', answers = $1 \
             WHERE workspace_id = $2 AND run_id = $3 AND owner = $4",
        )
        .bind(without_secrets)
        .bind(plan.workspace_id.0)
        .bind(&plan.run_id)
        .bind(owner)
        .execute(&self.writer)
        .await
        .map(drop)
    }

    /// The answerers of a run's tools, from its launch.
    pub async fn sealed_answers(&self, workspace: WorkspaceId, run_id: &str) -> Result<Option<Vec<u8>>> {
        sqlx::query_scalar("SELECT answers FROM run_answerer WHERE workspace_id = $1 AND run_id = $2")
            .bind(workspace.0)
            .bind(run_id)
            .fetch_optional(&self.reader)
            .await
    }

    /// The person who launched a run and whose answers it gets.
    pub async fn answering_person(&self, workspace: WorkspaceId, run_id: &str) -> Result<Option<String>> {
        sqlx::query_scalar("SELECT subject FROM run_answerer WHERE workspace_id = $1 AND run_id = $2")
            .bind(workspace.0)
            .bind(run_id)
            .fetch_optional(&self.reader)
            .await
    }

    /// Claims a call for the process that holds the lease of its run.
    pub async fn claim_answer(
        &self,
        call: CallKey<'_>,
        tool: &str,
        via: Via,
        answered_by: &str,
        owner: &str,
        now_ms: i64,
    ) -> Result<Claim> {
        let fresh = sqlx::query(
            "INSERT INTO run_answer (workspace_id, run_id, tool_use_id, tool, via, answered_by, state, owner, \
             changed_at) VALUES ($1, $2, $3, $4, $5, $6, 'working', $7, $8) ON CONFLICT DO NOTHING",
        )
        .bind(call.workspace.0)
        .bind(call.run_id)
        .bind(call.tool_use_id)
        .bind(tool)
        .bind(via.as_str())
        .bind(answered_by)
        .bind(owner)
        .bind(now_ms)
        .execute(&self.writer)
        .await?;
        if fresh.rows_affected() == 1 {
            return Ok(Claim::Fresh);
        }
        let taken = sqlx::query(
            "UPDATE run_answer SET owner = $1, changed_at = $2 WHERE workspace_id = $3 AND run_id = $4 \
             AND tool_use_id = $5 AND state IN ('working', 'ready') AND owner <> $1 RETURNING state, reply",
        )
        .bind(owner)
        .bind(now_ms)
        .bind(call.workspace.0)
        .bind(call.run_id)
        .bind(call.tool_use_id)
        .fetch_optional(&self.writer)
        .await?;
        let Some(row) = taken else { return Ok(Claim::Settled) };
        match row.try_get::<Option<Vec<u8>>, _>(1)? {
            Some(reply) if row.try_get::<String, _>(0)? == AnswerState::Ready.as_str() => Ok(Claim::Ready(reply)),
            _ => Ok(Claim::Interrupted),
        }
    }

    /// Stores an answer until it is sent. Returns false if this process lost the call.
    pub async fn save_reply(&self, call: CallKey<'_>, owner: &str, sealed: &[u8], now_ms: i64) -> Result<bool> {
        let saved = sqlx::query(
            "UPDATE run_answer SET state = 'ready', reply = $1, changed_at = $2 WHERE workspace_id = $3 \
             AND run_id = $4 AND tool_use_id = $5 AND owner = $6 AND state IN ('working', 'ready')",
        )
        .bind(sealed)
        .bind(now_ms)
        .bind(call.workspace.0)
        .bind(call.run_id)
        .bind(call.tool_use_id)
        .bind(owner)
        .execute(&self.writer)
        .await?;
        Ok(saved.rows_affected() == 1)
    }

    /// Records the final state of an answer.
    pub async fn settle_answer(
        &self,
        call: CallKey<'_>,
        owner: &str,
        state: AnswerState,
        problem: Option<&str>,
        now_ms: i64,
    ) -> Result<()> {
        sqlx::query(
            "UPDATE run_answer SET state = $1, problem = $2, reply = NULL, changed_at = $3 WHERE workspace_id = $4 \
             AND run_id = $5 AND tool_use_id = $6 AND owner = $7 AND state IN ('working', 'ready')",
        )
        .bind(state.as_str())
        .bind(problem)
        .bind(now_ms)
        .bind(call.workspace.0)
        .bind(call.run_id)
        .bind(call.tool_use_id)
        .bind(owner)
        .execute(&self.writer)
        .await
        .map(drop)
    }

    /// Abandons a call that has a result. Returns false if an answer is about to be sent.
    pub async fn abandon_answer(&self, call: CallKey<'_>, owner: &str, now_ms: i64) -> Result<bool> {
        sqlx::query(
            "UPDATE run_answer SET state = 'not_needed', changed_at = $1 WHERE workspace_id = $2 AND run_id = $3 \
             AND tool_use_id = $4 AND owner = $5 AND state = 'working'",
        )
        .bind(now_ms)
        .bind(call.workspace.0)
        .bind(call.run_id)
        .bind(call.tool_use_id)
        .bind(owner)
        .execute(&self.writer)
        .await?;
        let state: Option<String> = sqlx::query_scalar(
            "SELECT state FROM run_answer WHERE workspace_id = $1 AND run_id = $2 AND tool_use_id = $3",
        )
        .bind(call.workspace.0)
        .bind(call.run_id)
        .bind(call.tool_use_id)
        .fetch_optional(&self.writer)
        .await?;
        Ok(state.as_deref() != Some(AnswerState::Ready.as_str()))
    }

    /// Records that a person answered a call, even if a process has claimed it.
    pub async fn record_hand_answer(&self, call: CallKey<'_>, email: &str, entry: &NewAuditEntry) -> Result<()> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "INSERT INTO run_answer (workspace_id, run_id, tool_use_id, tool, via, answered_by, state, owner, \
             changed_at) VALUES ($1, $2, $3, '', 'hand', $4, 'sent', '', $5) \
             ON CONFLICT (workspace_id, run_id, tool_use_id) DO UPDATE SET via = 'hand', \
             answered_by = excluded.answered_by, state = 'sent', owner = '', reply = NULL, problem = NULL, \
             changed_at = excluded.changed_at WHERE run_answer.state <> 'sent'",
        )
        .bind(call.workspace.0)
        .bind(call.run_id)
        .bind(call.tool_use_id)
        .bind(email)
        .bind(entry.at_ms)
        .execute(&mut *tx)
        .await?;
        audit::add(&mut tx, call.workspace, entry).await?;
        tx.commit().await
    }

    pub async fn answer_records(&self, workspace: WorkspaceId, run_id: &str) -> Result<Vec<AnswerRecord>> {
        let rows = sqlx::query(
            "SELECT tool_use_id, tool, via, answered_by, state, changed_at, problem FROM run_answer \
             WHERE workspace_id = $1 AND run_id = $2 ORDER BY changed_at, tool_use_id",
        )
        .bind(workspace.0)
        .bind(run_id)
        .fetch_all(&self.reader)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(AnswerRecord {
                    tool_use_id: row.try_get("tool_use_id")?,
                    tool: row.try_get("tool")?,
                    via: Via::parse(row.try_get("via")?).unwrap_or(Via::Hand),
                    by: row.try_get("answered_by")?,
                    state: AnswerState::parse(row.try_get("state")?).unwrap_or(AnswerState::Working),
                    at_ms: row.try_get("changed_at")?,
                    problem: row.try_get("problem")?,
                })
            })
            .collect()
    }
}
