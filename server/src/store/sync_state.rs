//! The sync progress of each workspace.

use sqlx::{AnyConnection, Row};

use super::audit::{self, NewAuditEntry};
use super::{Result, Store, WorkspaceId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncState {
    /// Runs are complete from this creation time down to where the history sync is. 0 before the first sync.
    pub known_until_ms: i64,
    pub history: History,
    pub history_runs: i64,
    /// The number of missing runs when the history sync was last restarted.
    pub history_gap: i64,
    pub sessions: SessionsState,
    pub total: Option<i64>,
    pub total_at_ms: Option<i64>,
    pub paused: bool,
    pub can_list: bool,
    pub synced_at_ms: i64,
    /// Runs created earlier were deleted by retention and are not synced again.
    pub keep_after_ms: i64,
    pub last_error: Option<String>,
}

/// The sync progress of the sessions list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionsState {
    /// Sessions are complete from this time of last use down to where the history sync is. 0 before the first sync.
    pub known_until_ms: i64,
    pub history: History,
}

/// The position of the history sync, which fetches older pages until the oldest run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum History {
    NotBegun,
    After(String),
    Complete,
}

impl Default for SyncState {
    fn default() -> Self {
        Self {
            known_until_ms: 0,
            history: History::NotBegun,
            history_runs: 0,
            history_gap: 0,
            sessions: SessionsState { known_until_ms: 0, history: History::NotBegun },
            total: None,
            total_at_ms: None,
            paused: false,
            can_list: true,
            synced_at_ms: 0,
            keep_after_ms: 0,
            last_error: None,
        }
    }
}

impl Store {
    pub async fn sync_state(&self, workspace: WorkspaceId) -> Result<SyncState> {
        let mut connection = self.reader.acquire().await?;
        read(&mut connection, workspace).await
    }

    /// Changes a workspace's state in a transaction, so that concurrent changes are not lost.
    pub async fn update_sync_state(
        &self,
        workspace: WorkspaceId,
        change: impl FnOnce(&mut SyncState) + Send,
    ) -> Result<SyncState> {
        let mut tx = self.begin_writing(workspace).await?;
        let mut state = read(&mut tx, workspace).await?;
        let before = state.clone();
        change(&mut state);
        if state != before {
            write(&mut tx, workspace, &state).await?;
        }
        tx.commit().await?;
        Ok(state)
    }

    /// Pauses or resumes the sync of older runs.
    pub async fn set_sync_paused(&self, workspace: WorkspaceId, paused: bool, entry: &NewAuditEntry) -> Result<()> {
        let mut tx = self.begin_writing(workspace).await?;
        let mut state = read(&mut tx, workspace).await?;
        if state.paused != paused {
            state.paused = paused;
            write(&mut tx, workspace, &state).await?;
            audit::add(&mut tx, workspace, entry).await?;
        }
        tx.commit().await
    }
}

async fn read(connection: &mut AnyConnection, workspace: WorkspaceId) -> Result<SyncState> {
    let row = sqlx::query(
        "SELECT known_until, history, history_cursor, history_runs, total, total_at, paused, can_list, synced_at, \
         keep_after, last_error, history_gap, sessions_until, sessions_history, sessions_cursor \
         FROM sync_state WHERE workspace_id = $1",
    )
    .bind(workspace.0)
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(SyncState::default()) };
    let history = |state: &str, cursor: &str| -> Result<History> {
        Ok(match (row.try_get::<i64, _>(state)?, row.try_get::<Option<String>, _>(cursor)?) {
            (1, Some(cursor)) => History::After(cursor),
            (2, _) => History::Complete,
            _ => History::NotBegun,
        })
    };
    Ok(SyncState {
        known_until_ms: row.try_get("known_until")?,
        history: history("history", "history_cursor")?,
        history_runs: row.try_get("history_runs")?,
        history_gap: row.try_get("history_gap")?,
        sessions: SessionsState {
            known_until_ms: row.try_get("sessions_until")?,
            history: history("sessions_history", "sessions_cursor")?,
        },
        total: row.try_get("total")?,
        total_at_ms: row.try_get("total_at")?,
        paused: row.try_get::<i64, _>("paused")? != 0,
        can_list: row.try_get::<i64, _>("can_list")? != 0,
        synced_at_ms: row.try_get("synced_at")?,
        keep_after_ms: row.try_get("keep_after")?,
        last_error: row.try_get("last_error")?,
    })
}

async fn write(connection: &mut AnyConnection, workspace: WorkspaceId, state: &SyncState) -> Result<()> {
    let (history, cursor) = to_columns(&state.history);
    let (sessions_history, sessions_cursor) = to_columns(&state.sessions.history);
    sqlx::query(
        "INSERT INTO sync_state (workspace_id, known_until, history, history_cursor, history_runs, total, total_at, \
         paused, can_list, synced_at, keep_after, last_error, history_gap, sessions_until, sessions_history, \
         sessions_cursor) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
         ON CONFLICT (workspace_id) DO UPDATE SET known_until = excluded.known_until, history = excluded.history, \
         history_cursor = excluded.history_cursor, history_runs = excluded.history_runs, total = excluded.total, \
         total_at = excluded.total_at, paused = excluded.paused, can_list = excluded.can_list, \
         synced_at = excluded.synced_at, keep_after = excluded.keep_after, last_error = excluded.last_error, \
         history_gap = excluded.history_gap, sessions_until = excluded.sessions_until, \
         sessions_history = excluded.sessions_history, sessions_cursor = excluded.sessions_cursor",
    )
    .bind(workspace.0)
    .bind(state.known_until_ms)
    .bind(history)
    .bind(cursor)
    .bind(state.history_runs)
    .bind(state.total)
    .bind(state.total_at_ms)
    .bind(i64::from(state.paused))
    .bind(i64::from(state.can_list))
    .bind(state.synced_at_ms)
    .bind(state.keep_after_ms)
    .bind(&state.last_error)
    .bind(state.history_gap)
    .bind(state.sessions.known_until_ms)
    .bind(sessions_history)
    .bind(sessions_cursor)
    .execute(connection)
    .await
    .map(drop)
}

fn to_columns(history: &History) -> (i64, Option<String>) {
    match history {
        History::NotBegun => (0, None),
        History::After(cursor) => (1, Some(cursor.clone())),
        History::Complete => (2, None),
    }
}
