//! List keys: the primary key of a run, which sorts runs by creation time. The column is `run.n`.
//!
//! A key is the creation time in milliseconds, times 1,024, plus a slot from the run's id. If the slot is taken, the run
//! gets the next free key; its exact creation time is stored separately.

use std::collections::HashSet;

use sqlx::{AnyConnection, Row};

use super::sql::{Arg, fetch};
use super::{Result, WorkspaceId};

const SLOTS_PER_MS: i64 = 1024;

/// The lowest key of runs created at this time or later.
pub(super) fn first_at(created_at_ms: i64) -> i64 {
    created_at_ms.clamp(i64::MIN / SLOTS_PER_MS, i64::MAX / SLOTS_PER_MS) * SLOTS_PER_MS
}

/// The creation time of a run with this key, accurate to some milliseconds.
pub(super) fn created_at_ms(list_key: i64) -> i64 {
    list_key.div_euclid(SLOTS_PER_MS)
}

/// The key of a stored run.
pub(super) async fn find(connection: &mut AnyConnection, workspace: WorkspaceId, run_id: &str) -> Result<Option<i64>> {
    sqlx::query_scalar("SELECT n FROM run WHERE workspace_id = $1 AND id = $2")
        .bind(workspace.0)
        .bind(run_id)
        .fetch_optional(connection)
        .await
}

/// Free keys for new runs, given as creation time and id. The result has the same order.
pub(super) async fn allocate(connection: &mut AnyConnection, runs: &[(i64, &str)]) -> Result<Vec<i64>> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let mut list_keys: Vec<i64> = runs.iter().map(|(at, id)| first_at(*at) + slot(id)).collect();
    loop {
        let placeholders: Vec<String> = (1..=list_keys.len()).map(|i| format!("${i}")).collect();
        let sql = format!("SELECT n FROM run WHERE n IN ({})", placeholders.join(", "));
        let args = list_keys.iter().map(|list_key| Arg::from(*list_key)).collect();
        let rows = fetch(&mut *connection, sql, args).await?;
        let mut taken: HashSet<i64> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_>>()?;
        let mut moved = false;
        for list_key in &mut list_keys {
            while !taken.insert(*list_key) {
                *list_key += 1;
                moved = true;
            }
        }
        if !moved {
            return Ok(list_keys);
        }
    }
}

/// The slot within a millisecond: an FNV-1a hash of the id, so that two processes rarely choose the same.
fn slot(id: &str) -> i64 {
    let hash = id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    i64::try_from(hash >> 54).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_stay_within_their_millisecond() {
        for id in ["", "run_1", "run_2", "a much longer id"] {
            assert!((0..SLOTS_PER_MS).contains(&slot(id)));
        }
        assert!(first_at(2) > first_at(1) + slot("x"));
        assert_eq!((created_at_ms(first_at(-7) + slot("x")), created_at_ms(first_at(7) + slot("x"))), (-7, 7));
        assert!(first_at(i64::MAX) > 0 && first_at(i64::MIN) < 0);
    }
}
