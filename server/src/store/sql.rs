//! Helpers for building and running statements.

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, AnyConnection, AssertSqlSafe, Decode, Row, Type};

use super::{Engine, Result, Store, WorkspaceId, storable};

/// A value to bind, of a type that both engines support.
#[derive(Clone, Debug)]
pub(super) enum Arg {
    Int(Option<i64>),
    Text(Option<String>),
    Blob(Vec<u8>),
}

impl From<i64> for Arg {
    fn from(number: i64) -> Self {
        Self::Int(Some(number))
    }
}

impl From<Option<i64>> for Arg {
    fn from(number: Option<i64>) -> Self {
        Self::Int(number)
    }
}

impl From<&str> for Arg {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<String> for Arg {
    fn from(text: String) -> Self {
        Self::Text(Some(text))
    }
}

impl From<&String> for Arg {
    fn from(text: &String) -> Self {
        Self::Text(Some(text.clone()))
    }
}

impl From<Option<String>> for Arg {
    fn from(text: Option<String>) -> Self {
        Self::Text(text)
    }
}

impl From<Option<&str>> for Arg {
    fn from(text: Option<&str>) -> Self {
        Self::Text(text.map(str::to_owned))
    }
}

impl From<Vec<u8>> for Arg {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Blob(bytes)
    }
}

impl From<&Vec<u8>> for Arg {
    fn from(bytes: &Vec<u8>) -> Self {
        Self::Blob(bytes.clone())
    }
}

impl From<&[u8]> for Arg {
    fn from(bytes: &[u8]) -> Self {
        Self::Blob(bytes.to_vec())
    }
}

impl From<WorkspaceId> for Arg {
    fn from(workspace: WorkspaceId) -> Self {
        Self::Int(Some(workspace.0))
    }
}

/// The values of a statement, in the order of their numbers.
macro_rules! args {
    ($($value:expr),*) => { vec![$($crate::store::sql::Arg::from($value)),*] };
}
pub(super) use args;

impl Store {
    /// Changes rows. Returns their number.
    pub(super) async fn change(&self, sql: &'static str, args: Vec<Arg>) -> Result<u64> {
        Ok(bound(sql.to_owned(), args).execute(&self.writer).await?.rows_affected())
    }

    /// Changes one row. Returns false if there is no such row.
    pub(super) async fn change_one(&self, sql: &'static str, args: Vec<Arg>) -> Result<bool> {
        Ok(self.change(sql, args).await? == 1)
    }
}

/// The values of a statement that is put together piece by piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Args(Vec<Arg>);

impl Args {
    /// Adds a value and returns its placeholder.
    pub fn bind(&mut self, arg: impl Into<Arg>) -> String {
        self.0.push(arg.into());
        format!("${}", self.0.len())
    }

    pub fn into_vec(self) -> Vec<Arg> {
        self.0
    }
}

/// Rows of a multi-row statement, each like `(?, ?, 0)`; values are bound in the order of the text.
///
/// SQLite treats `$1` as a name and searches names linearly, which makes large statements quadratic, so it gets `?`.
/// PostgreSQL supports numbers only.
pub(super) fn rows(engine: Engine, count: usize, row: &str) -> String {
    let mut text = String::with_capacity(count * (row.len() + 2));
    let mut number = 0;
    for index in 0..count {
        text.push_str(if index == 0 { "" } else { ", " });
        match engine {
            Engine::Sqlite => text.push_str(row),
            Engine::Postgres => {
                for c in row.chars() {
                    if c == '?' {
                        number += 1;
                        text.push_str(&format!("${number}"));
                    } else {
                        text.push(c);
                    }
                }
            }
        }
    }
    text
}

/// Runs a statement whose text contains only constants and placeholders. Returns the number of changed rows.
pub(super) async fn execute(connection: &mut AnyConnection, sql: impl Into<String>, args: Vec<Arg>) -> Result<u64> {
    Ok(bound(sql.into(), args).execute(connection).await?.rows_affected())
}

pub(super) async fn fetch<'e, E>(executor: E, sql: impl Into<String>, args: Vec<Arg>) -> Result<Vec<AnyRow>>
where
    E: sqlx::Executor<'e, Database = Any>,
{
    bound(sql.into(), args).fetch_all(executor).await
}

pub(super) async fn fetch_optional<'e, E>(executor: E, sql: &'static str, args: Vec<Arg>) -> Result<Option<AnyRow>>
where
    E: sqlx::Executor<'e, Database = Any>,
{
    bound(sql.to_owned(), args).fetch_optional(executor).await
}

/// Returns the first column of all rows.
pub(super) async fn fetch_column<'e, E, T>(executor: E, sql: &'static str, args: Vec<Arg>) -> Result<Vec<T>>
where
    E: sqlx::Executor<'e, Database = Any>,
    T: for<'r> Decode<'r, Any> + Type<Any>,
{
    fetch(executor, sql, args).await?.iter().map(|row| row.try_get(0)).collect()
}

/// Returns the first column of the only row, if there is one.
pub(super) async fn fetch_value<'e, E, T>(executor: E, sql: &'static str, args: Vec<Arg>) -> Result<Option<T>>
where
    E: sqlx::Executor<'e, Database = Any>,
    T: for<'r> Decode<'r, Any> + Type<Any>,
{
    fetch_optional(executor, sql, args).await?.map(|row| row.try_get(0)).transpose()
}

fn bound<'q>(sql: String, args: Vec<Arg>) -> Query<'q, Any, AnyArguments> {
    args.into_iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, arg| match arg {
        Arg::Int(number) => query.bind(number),
        Arg::Text(text) => query.bind(text.map(storable::owned_text)),
        Arg::Blob(bytes) => query.bind(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_bound_in_the_order_of_the_text() {
        assert_eq!(rows(Engine::Postgres, 2, "(?, ?, 0)"), "($1, $2, 0), ($3, $4, 0)");
        assert_eq!(rows(Engine::Sqlite, 2, "(?, ?)"), "(?, ?), (?, ?)");
    }
}
