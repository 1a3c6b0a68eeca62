//! The encrypted columns of all tables, for checking and replacing the key. The store itself has no key.

use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use super::sql::{Arg, execute, fetch};
use super::{Result, Store};

/// The columns that hold encrypted values. A new one must be added here, or `runlens rotate-key` leaves it behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealedColumn {
    AccessToken,
    RefreshToken,
    TokenToRevoke,
    WebSession,
    Answerers,
    Answer,
    Template,
    Draft,
    Batch,
    BatchItem,
    PendingErasure,
    RedactionKey,
}

/// The key columns of a row, with their values as text.
pub type RowKey = Vec<String>;

struct Place {
    table: &'static str,
    column: &'static str,
    key: &'static [(&'static str, KeyType)],
}

#[derive(Clone, Copy)]
enum KeyType {
    Number,
    Text,
}

use KeyType::{Number, Text};

impl SealedColumn {
    pub const ALL: [Self; 12] = [
        Self::AccessToken,
        Self::RefreshToken,
        Self::TokenToRevoke,
        Self::WebSession,
        Self::Answerers,
        Self::Answer,
        Self::Template,
        Self::Draft,
        Self::Batch,
        Self::BatchItem,
        Self::PendingErasure,
        Self::RedactionKey,
    ];

    pub fn table(self) -> &'static str {
        self.place().table
    }

    fn place(self) -> Place {
        let (table, column, key): (_, _, &'static [(&'static str, KeyType)]) = match self {
            Self::AccessToken => ("oauth_grant", "access_token", &[("id", Text)]),
            Self::RefreshToken => ("oauth_grant", "refresh_token", &[("id", Text)]),
            Self::TokenToRevoke => ("token_revocation", "token", &[("id", Text)]),
            Self::WebSession => ("web_session", "record", &[("id", Text)]),
            Self::Answerers => ("run_answerer", "answers", &[("workspace_id", Number), ("run_id", Text)]),
            Self::Answer => {
                ("run_answer", "reply", &[("workspace_id", Number), ("run_id", Text), ("tool_use_id", Text)])
            }
            Self::Template => ("launch_template", "content", &[("workspace_id", Number), ("id", Text)]),
            Self::Draft => ("launch_draft", "content", &[("workspace_id", Number), ("subject", Text)]),
            Self::Batch => ("launch_batch", "content", &[("workspace_id", Number), ("id", Text)]),
            Self::PendingErasure => ("pending_erasure", "target", &[("workspace_id", Number), ("target_hash", Text)]),
            Self::BatchItem => {
                ("launch_batch_item", "input", &[("workspace_id", Number), ("batch_id", Text), ("position", Number)])
            }
            Self::RedactionKey => ("redaction_key", "hash_key", &[("workspace_id", Number)]),
        };
        Place { table, column, key }
    }
}

impl Store {
    /// The value that a key is checked with.
    pub async fn key_check(&self) -> Result<Option<Vec<u8>>> {
        sqlx::query_scalar("SELECT sealed FROM key_check WHERE id = 1").fetch_optional(&self.reader).await
    }

    /// Stores the first value. If there is one, it stays.
    pub async fn insert_key_check(&self, sealed: &[u8]) -> Result<()> {
        sqlx::query("INSERT INTO key_check (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO NOTHING")
            .bind(sealed)
            .execute(&self.writer)
            .await
            .map(drop)
    }

    pub async fn replace_key_check(&self, sealed: &[u8]) -> Result<()> {
        sqlx::query(
            "INSERT INTO key_check (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed",
        )
        .bind(sealed)
        .execute(&self.writer)
        .await
        .map(drop)
    }

    /// Some encrypted values of a column.
    pub async fn sealed_samples(&self, column: SealedColumn, limit: i64) -> Result<Vec<Vec<u8>>> {
        let Place { table, column, .. } = column.place();
        let sql = format!("SELECT {column} FROM {table} WHERE length({column}) > 0 LIMIT $1");
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(limit).fetch_all(&self.reader).await
    }

    /// The rows with an encrypted value. A batch that has ended has an empty one.
    pub async fn sealed_rows(&self, column: SealedColumn) -> Result<Vec<RowKey>> {
        let Place { table, column, key } = column.place();
        let columns: Vec<String> = key.iter().map(|(name, _)| format!("CAST({name} AS TEXT)")).collect();
        let sql = format!("SELECT {} FROM {table} WHERE length({column}) > 0", columns.join(", "));
        let rows = fetch(&self.reader, sql, Vec::new()).await?;
        let row_key = |row: &AnyRow| (0..key.len()).map(|i| row.try_get(i)).collect();
        rows.iter().map(row_key).collect()
    }

    pub async fn sealed_value(&self, column: SealedColumn, row: &RowKey) -> Result<Option<Vec<u8>>> {
        let place = column.place();
        let (condition, args) = place.condition(row, 1);
        let sql = format!("SELECT {} FROM {} WHERE {condition}", place.column, place.table);
        let rows = fetch(&self.reader, sql, args).await?;
        rows.first().map(|row| row.try_get::<Option<Vec<u8>>, _>(0)).transpose().map(Option::flatten)
    }

    /// Replaces a value, unless a running server has replaced it meanwhile.
    pub async fn replace_sealed(
        &self,
        column: SealedColumn,
        row: &RowKey,
        before: Vec<u8>,
        after: Vec<u8>,
    ) -> Result<()> {
        let place = column.place();
        let (condition, keys) = place.condition(row, 3);
        let column = place.column;
        let sql = format!("UPDATE {} SET {column} = $1 WHERE {column} = $2 AND {condition}", place.table);
        let args = [Arg::Blob(after), Arg::Blob(before)].into_iter().chain(keys).collect();
        let mut connection = self.writer.acquire().await?;
        execute(&mut connection, sql, args).await.map(drop)
    }

    /// Deletes a row whose value nobody can read any more.
    pub async fn delete_sealed(&self, column: SealedColumn, row: &RowKey) -> Result<()> {
        let place = column.place();
        let (condition, args) = place.condition(row, 1);
        let mut connection = self.writer.acquire().await?;
        execute(&mut connection, format!("DELETE FROM {} WHERE {condition}", place.table), args).await.map(drop)
    }
}

impl Place {
    /// The condition for one row, with its placeholders from `first` on.
    fn condition(&self, row: &RowKey, first: usize) -> (String, Vec<Arg>) {
        let equals = self.key.iter().enumerate().map(|(i, (name, _))| format!("{name} = ${}", first + i));
        let arg = |((_, kind), value): (&(&str, KeyType), &String)| match kind {
            Number => Arg::Int(value.parse().ok()),
            Text => Arg::Text(Some(value.clone())),
        };
        (equals.collect::<Vec<_>>().join(" AND "), self.key.iter().zip(row).map(arg).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Columns with other bytes.
    const OTHERS: [&str; 9] = [
        "rollup.figures",
        "run_facts.body",
        "run_log.body",
        "run_log.times",
        "run_spec.body",
        "searched_text.body",
        "pack_dictionary.body",
        "key_check.sealed",
        "_sqlx_migrations.checksum",
    ];

    #[tokio::test]
    async fn every_column_with_bytes_is_known() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let sql = "SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c \
                   WHERE m.type = 'table' AND c.type = 'BLOB' AND m.name NOT LIKE 'run_word%'";
        let found: Vec<String> = sqlx::query_scalar(sql).fetch_all(&store.reader).await?;
        let sealed = SealedColumn::ALL.map(|column| format!("{}.{}", column.place().table, column.place().column));
        let known: BTreeSet<String> = sealed.into_iter().chain(OTHERS.map(str::to_owned)).collect();
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), known);
        Ok(())
    }
}
