//! Dictionaries for packing, trained on what is stored.

use sqlx::{AnyConnection, Row};

use super::pack;
use super::{Result, Store};

/// Logs that a dictionary is trained on, once so many are there.
const SAMPLES: i64 = 400;

impl Store {
    /// Trains a dictionary once enough logs are stored and none is there. `false` where there was nothing to do.
    pub async fn train_dictionary(&self) -> Result<bool> {
        if self.packer.is_trained() {
            return Ok(false);
        }
        let mut connection = self.reader.acquire().await?;
        let mut samples = Vec::new();
        for table in ["run_log", "run_spec"] {
            let sql = format!("SELECT body FROM {table} ORDER BY n DESC LIMIT {SAMPLES}");
            let bodies: Vec<Vec<u8>> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_all(&mut *connection).await?;
            if table == "run_log" && bodies.len() < usize::try_from(SAMPLES).unwrap_or(usize::MAX) {
                return Ok(false);
            }
            for body in bodies {
                samples.push(self.unpack(&mut connection, &body).await?);
            }
        }
        drop(connection);
        let trained = tokio::task::spawn_blocking(move || pack::train(&samples)).await;
        let dictionary = trained.map_err(|_| sqlx::Error::WorkerCrashed)?.map_err(sqlx::Error::Io)?;
        let number: i64 = sqlx::query_scalar("INSERT INTO pack_dictionary (body) VALUES ($1) RETURNING id")
            .bind(dictionary.clone())
            .fetch_one(&self.writer)
            .await?;
        self.packer.add(u32::try_from(number).unwrap_or(u32::MAX), &dictionary);
        Ok(true)
    }

    pub(super) async fn load_dictionaries(&self) -> Result<()> {
        for row in sqlx::query("SELECT id, body FROM pack_dictionary").fetch_all(&self.reader).await? {
            self.packer
                .add(u32::try_from(row.try_get::<i64, _>(0)?).unwrap_or(u32::MAX), &row.try_get::<Vec<u8>, _>(1)?);
        }
        Ok(())
    }

    /// A body as text, with whatever dictionary it needs.
    pub(super) async fn unpack(&self, connection: &mut AnyConnection, body: &[u8]) -> Result<String> {
        self.provide_dictionary(connection, body).await?;
        self.packer.decompress(body).map_err(sqlx::Error::Io)
    }

    /// Makes sure of the dictionary that a body needs: another process may have trained it.
    pub(super) async fn provide_dictionary(&self, connection: &mut AnyConnection, body: &[u8]) -> Result<()> {
        if let Some(number) = self.packer.missing(body) {
            let dictionary: Vec<u8> = sqlx::query_scalar("SELECT body FROM pack_dictionary WHERE id = $1")
                .bind(i64::from(number))
                .fetch_one(connection)
                .await?;
            self.packer.add(number, &dictionary);
        }
        Ok(())
    }
}
