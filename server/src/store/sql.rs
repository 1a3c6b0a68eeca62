//! Small pieces that statements are made of.

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, AnyConnection, AssertSqlSafe};

use super::Result;

/// A value to bind, of one of the types that both engines have.
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

impl From<Option<String>> for Arg {
    fn from(text: Option<String>) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u8>> for Arg {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Blob(bytes)
    }
}

/// Rows of a multi-row statement: the first value of each row has the number after `before`.
pub(super) fn placeholders(rows: usize, columns: usize, before: usize) -> String {
    let mut text = String::with_capacity(rows * columns * 5);
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..columns {
            let number = before + row * columns + column + 1;
            text.push_str(if column == 0 { "$" } else { ", $" });
            text.push_str(&number.to_string());
        }
        text.push(')');
    }
    text
}

/// Runs a statement whose text is made of constants and numbered placeholders only.
pub(super) async fn execute(connection: &mut AnyConnection, sql: String, args: Vec<Arg>) -> Result<u64> {
    Ok(bound(sql, args).execute(connection).await?.rows_affected())
}

pub(super) async fn fetch<'e, E>(executor: E, sql: String, args: Vec<Arg>) -> Result<Vec<AnyRow>>
where
    E: sqlx::Executor<'e, Database = Any>,
{
    bound(sql, args).fetch_all(executor).await
}

fn bound<'q>(sql: String, args: Vec<Arg>) -> Query<'q, Any, AnyArguments> {
    args.into_iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, arg| match arg {
        Arg::Int(number) => query.bind(number),
        Arg::Text(text) => query.bind(text),
        Arg::Blob(bytes) => query.bind(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered_row_by_row() {
        assert_eq!(placeholders(2, 3, 1), "($2, $3, $4), ($5, $6, $7)");
    }
}
