//! The tables of both engines, forward only. Each file says why it is there.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

use super::Engine;

/// Number, name, and the text for each engine.
type Step = (i64, &'static str, &'static str, &'static str);

const STEPS: [Step; 3] = [
    (
        1,
        "first tables",
        include_str!("../../../migrations/sqlite/0001_first_tables.sql"),
        include_str!("../../../migrations/postgres/0001_first_tables.sql"),
    ),
    (
        3,
        "feedback",
        include_str!("../../../migrations/sqlite/0003_feedback.sql"),
        include_str!("../../../migrations/postgres/0003_feedback.sql"),
    ),
    (
        6,
        "launch",
        include_str!("../../../migrations/sqlite/0006_launch.sql"),
        include_str!("../../../migrations/postgres/0006_launch.sql"),
    ),
];

pub(super) fn migrator(engine: Engine) -> Migrator {
    let steps = STEPS.map(|(version, name, sqlite, postgres)| {
        let sql = match engine {
            Engine::Sqlite => sqlite,
            Engine::Postgres => postgres,
        };
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(steps.to_vec())
}
