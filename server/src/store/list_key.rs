//! List keys: the primary key of a run, which sorts runs by creation time. The column is `run.n`.
//!
//! A key is the creation time in milliseconds, times 1,024, plus a slot from the run's id. If the slot is taken, the run
//! gets the next free key; its exact creation time is stored separately.

use std::collections::HashSet;

use sqlx::{AnyConnection, Row};

use super::sql::{Arg, fetch};
use super::{Result, WorkspaceId};

const SLOTS_PER_MS: i64 = 1024;
/// The years 1 to 9999. Runs of other times sort as if they were from the first or the last one, and the difference of two
/// keys fits a number.
const TIMES_MS: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

/// The lowest key of runs created at this time or later.
pub(super) fn first_at(created_at_ms: i64) -> i64 {
    created_at_ms.clamp(*TIMES_MS.start(), *TIMES_MS.end()) * SLOTS_PER_MS
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
    let wanted: Vec<i64> = runs.iter().map(|(at, id)| first_at(*at) + slot(id)).collect();
    let placeholders: Vec<String> = (1..=wanted.len()).map(|i| format!("${i}")).collect();
    let sql = format!("SELECT n FROM run WHERE n IN ({})", placeholders.join(", "));
    let args = wanted.iter().map(|list_key| Arg::from(*list_key)).collect();
    let rows = fetch(&mut *connection, sql, args).await?;
    let taken: HashSet<i64> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_>>()?;
    let mut given = HashSet::new();
    let mut list_keys = Vec::with_capacity(wanted.len());
    for mut key in wanted {
        let mut is_free = !taken.contains(&key);
        while !is_free || given.contains(&key) {
            while given.contains(&key) {
                key += 1;
            }
            key = first_free(connection, key).await?;
            is_free = true;
        }
        given.insert(key);
        list_keys.push(key);
    }
    Ok(list_keys)
}

/// The first key from `list_key` on that no stored run has.
async fn first_free(connection: &mut AnyConnection, list_key: i64) -> Result<i64> {
    sqlx::query_scalar(
        "SELECT CAST(CASE WHEN EXISTS (SELECT 1 FROM run WHERE n = $1) \
         THEN (SELECT r.n + 1 FROM run r WHERE r.n >= $1 \
         AND NOT EXISTS (SELECT 1 FROM run s WHERE s.n = r.n + 1) ORDER BY r.n LIMIT 1) ELSE $1 END AS BIGINT)",
    )
    .bind(list_key)
    .fetch_one(connection)
    .await
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
    use crate::seed::Seeder;
    use crate::store::Store;

    #[tokio::test]
    async fn runs_of_one_moment_get_the_next_free_keys() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let mut update = Seeder::new(1, 1, 1_790_000_000_000, store.packer().clone()).run(0)?.0;
        store.upsert_runs(workspace, std::slice::from_ref(&update)).await?;
        let first: i64 = sqlx::query_scalar("SELECT n FROM run").fetch_one(&store.reader).await?;
        // Keys that are taken in a row, with a gap after them.
        for n in (1..2_000).chain(2_001..2_010) {
            let sql = "INSERT INTO run (workspace_id, n, id, status, created_at, metadata, marks, origin, log_state, tags, \
                       indexed) SELECT workspace_id, $1, $2, status, created_at, metadata, marks, origin, log_state, tags, \
                       indexed FROM run WHERE n = $3";
            let insert = sqlx::query(sql).bind(first + n).bind(format!("taken {n}")).bind(first);
            insert.execute(&store.writer).await?;
        }
        let at_ms = update.summary.created_at_ms;
        let id = std::mem::take(&mut update.summary.id);
        let mut connection = store.reader.acquire().await?;
        let keys = allocate(&mut connection, &[(at_ms, &id), (at_ms, &id), (at_ms, &id)]).await?;
        assert_eq!(keys, [first + 2_000, first + 2_010, first + 2_011]);
        Ok(())
    }

    #[test]
    fn slots_stay_within_their_millisecond() {
        for id in ["", "run_1", "run_2", "a much longer id"] {
            assert!((0..SLOTS_PER_MS).contains(&slot(id)));
        }
        assert!(first_at(2) > first_at(1) + slot("x"));
        assert_eq!((created_at_ms(first_at(-7) + slot("x")), created_at_ms(first_at(7) + slot("x"))), (-7, 7));
        assert!(first_at(i64::MAX).checked_sub(first_at(i64::MIN)).is_some());
    }
}
