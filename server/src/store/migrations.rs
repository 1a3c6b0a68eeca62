//! The list of migrations, forward only, with one file per engine. Each file explains its tables.
//!
//! Applied migrations are checked by checksum: never change a file, add one.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

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
    step!(17, "relaunches", "0017_relaunches.sql"),
];

pub(super) fn migrator(engine: Engine) -> Migrator {
    let steps = STEPS.iter().map(|&(version, name, sqlite, postgres)| {
        let sql = match engine {
            Engine::Sqlite => sqlite,
            Engine::Postgres => postgres,
        };
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(steps.collect())
}
