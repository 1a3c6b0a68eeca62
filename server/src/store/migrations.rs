//! The list of migrations, forward only, with one file per engine. Each file explains its tables.
//!
//! Applied migrations are checked by checksum: never change a file, add one.

use anyhow::{Context, Result, bail};
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyPool, SqlSafeStr};

use super::Engine;

/// Version, name, and the SQL for SQLite and PostgreSQL.
type Step = (i64, &'static str, &'static str, &'static str);

macro_rules! step {
    ($version:literal, $name:literal, $file:literal) => {
        (
            $version,
            $name,
            include_str!(concat!("../../../migrations/sqlite/", $file)),
            include_str!(concat!("../../../migrations/postgres/", $file)),
        )
    };
}

const STEPS: &[Step] = &[
    step!(1, "first tables", "0001_first_tables.sql"),
    step!(2, "browse", "0002_browse.sql"),
    step!(3, "sync", "0003_sync.sql"),
    step!(4, "views and sessions", "0004_views_and_sessions.sql"),
    step!(5, "feedback", "0005_feedback.sql"),
    step!(6, "launch", "0006_launch.sql"),
    step!(7, "imports", "0007_imports.sql"),
    step!(8, "launchers and sessions", "0008_launchers_and_sessions.sql"),
    step!(9, "when events came", "0009_when_events_came.sql"),
    step!(10, "narrow list", "0010_narrow_list.sql"),
    step!(11, "write check", "0011_write_check.sql"),
    step!(12, "session limits", "0012_session_limits.sql"),
    step!(13, "key check", "0013_key_check.sql"),
    step!(14, "consents", "0014_consents.sql"),
    step!(15, "reasons and sorting", "0015_reasons_and_sorting.sql"),
    step!(16, "words", "0016_words.sql"),
    step!(20, "erasure", "0020_erasure.sql"),
    step!(21, "audit", "0021_audit.sql"),
    step!(30, "event times", "0030_event_times.sql"),
    step!(35, "relaunches", "0035_relaunches.sql"),
    step!(36, "made calls", "0036_made_calls.sql"),
    step!(37, "waiting time", "0037_waiting_time.sql"),
    step!(38, "common words", "0038_common_words.sql"),
    step!(40, "insights", "0040_insights.sql"),
    step!(45, "failure groups", "0045_failure_groups.sql"),
    step!(50, "sign-in address", "0050_sign_in_address.sql"),
    step!(60, "call writers", "0060_call_writers.sql"),
    step!(61, "pending erasures", "0061_pending_erasures.sql"),
    step!(62, "known times", "0062_known_times.sql"),
    step!(63, "redaction and own prices", "0063_redaction_and_own_prices.sql"),
    step!(64, "skipped calls", "0064_skipped_calls.sql"),
];

/// Brings the tables up to date. Fails without a change if a newer version of Runlens wrote them.
pub(super) async fn run(engine: Engine, pool: &AnyPool) -> Result<()> {
    match migrator(engine).run(pool).await {
        Err(MigrateError::VersionMissing(version)) => bail!(newer_database(version)),
        done => done.context("the database tables could not be brought up to date"),
    }
}

/// Checks the migrations that were applied to a SQLite database, in order, each with its checksum. Returns the last one.
pub(super) fn check_applied(applied: &[(i64, Vec<u8>)]) -> Result<i64> {
    let known = migrator(Engine::Sqlite);
    let first = known.iter().next().context("there are no migrations")?;
    if !applied.first().is_some_and(|(version, checksum)| *version == first.version && *checksum == *first.checksum) {
        bail!("the file is not a Runlens database");
    }
    if let Some((unknown, _)) = applied.iter().find(|(version, _)| !known.version_exists(*version)) {
        bail!(newer_database(*unknown));
    }
    Ok(applied.last().map_or(0, |(version, _)| *version))
}

fn newer_database(version: i64) -> String {
    let newest = STEPS.last().map_or(0, |(newest, ..)| *newest);
    format!(
        "the database was written by a newer version of Runlens: its tables have migration {version}, and this version \
         (runlens {}) knows migrations up to {newest}. Nothing was changed. Use that version or a newer one, or restore a \
         backup that was made before the upgrade",
        env!("CARGO_PKG_VERSION")
    )
}

fn migrator(engine: Engine) -> Migrator {
    let steps = STEPS.iter().map(|&(version, name, sqlite, postgres)| {
        let sql = match engine {
            Engine::Sqlite => sqlite,
            Engine::Postgres => postgres,
        };
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(steps.collect())
}
