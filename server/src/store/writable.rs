//! Checks whether the database can be written, and recovers when it can be written again.

use std::time::Duration;

use sqlx::Connection;
use sqlx::any::AnyPoolOptions;

use super::{Error, Result, Store};

/// Time that the check waits for other writers.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// Primary codes of SQLite that mean that nothing can be written: read-only, I/O error, full.
const SQLITE_CODES: [i64; 3] = [8, 10, 13];
/// SQLite's I/O errors of reading.
const SQLITE_READ_CODES: [i64; 2] = [266, 522];
/// PostgreSQL's codes: disk full, read-only transaction.
const POSTGRES_CODES: [&str; 2] = ["53100", "25006"];
/// PostgreSQL's codes: shut down by an operator, crashed, not started yet, too many connections.
const POSTGRES_STOPPING: [&str; 4] = ["57P01", "57P02", "57P03", "53300"];

impl Store {
    /// Fails if nothing can be written. It writes a row, because a transaction without a change succeeds on a full disk.
    pub async fn check_writable(&self, now_ms: i64) -> Result<()> {
        let write = sqlx::query(
            "INSERT INTO write_check (id, checked_at) VALUES (1, $1) \
             ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at",
        )
        .bind(now_ms)
        .execute(&self.writer);
        tokio::time::timeout(CHECK_TIMEOUT, write).await.map_err(|_| Error::PoolTimedOut)?.map(drop)
    }
}

/// Returns true if the database cannot be written: its disk is full, read-only or failing.
pub fn cannot_write(error: &Error) -> bool {
    let Error::Database(error) = error else { return false };
    let Some(code) = error.code() else { return false };
    match code.parse::<i64>() {
        // SQLite's extended codes contain the primary code in their lowest byte.
        Ok(number) if code.len() < 5 => SQLITE_CODES.contains(&(number & 0xff)) && !SQLITE_READ_CODES.contains(&number),
        _ => POSTGRES_CODES.contains(&&*code),
    }
}

/// Returns true if the database does not answer: it is stopped, is starting, or the connection broke.
pub fn is_unreachable(error: &Error) -> bool {
    match error {
        Error::Io(_) | Error::Tls(_) | Error::PoolTimedOut | Error::PoolClosed | Error::WorkerCrashed => true,
        // PostgreSQL closes connections with a code of its own.
        Error::Database(error) => error
            .code()
            .is_some_and(|code| code.len() == 5 && (code.starts_with("08") || POSTGRES_STOPPING.contains(&&*code))),
        // A connection that is closed in the middle of an answer.
        Error::Protocol(_) => true,
        _ => false,
    }
}

/// Returns true if a database that does not answer is the cause of an error.
pub fn database_does_not_answer(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<Error>()).any(is_unreachable)
}

/// Discards connections whose last transaction was neither committed nor rolled back. SQLite rolls back by itself when
/// the disk is full; sqlx's own rollback then fails, and it would begin no further transaction on that connection.
pub(super) fn discard_broken(options: AnyPoolOptions) -> AnyPoolOptions {
    options.before_acquire(|connection, _| Box::pin(async move { Ok(!connection.is_in_transaction()) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_connection_is_no_internal_error() {
        let lost = std::io::Error::new(std::io::ErrorKind::ConnectionReset, "reset by peer");
        for error in [Error::Io(lost), Error::PoolTimedOut, Error::Protocol("got 0 bytes at EOF".to_owned())] {
            assert!(is_unreachable(&error) && !cannot_write(&error), "{error}");
        }
        assert!(!is_unreachable(&Error::RowNotFound));
    }
}
