//! Reading rows into structs by column name.
//!
//! sqlx's derive would do, but its macros compile every driver a second time for the compiler's own use, which costs a
//! cold build a minute.

/// Implements `FromRow` for a struct whose fields are named as the columns.
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
