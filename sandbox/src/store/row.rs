//! A macro that reads rows into structs by column name.
//!
//! Replaces sqlx's derive, whose macros compile every driver a second time, which adds a minute to a cold build.

/// Implements `FromRow` for a struct whose fields have the names of the columns.
macro_rules! from_row {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl sqlx::FromRow<'_, sqlx::sqlite::SqliteRow> for $name {
            fn from_row(row: &sqlx::sqlite::SqliteRow) -> sqlx::Result<Self> {
                use sqlx::Row;
                Ok(Self { $($field: row.try_get(stringify!($field))?),+ })
            }
        }
    };
}

pub(super) use from_row;
