//! Compression dictionaries, trained on stored logs, specs and texts.

use serde_json::Value;
use sqlx::{AnyConnection, Row};

use super::pack;
use super::{Result, Store};

/// The id of logs that a dictionary is trained on.
const SAMPLES: i64 = 400;

/// Returns a spec without its metadata, whose values name customers. A log stays as it is.
fn without_metadata(sample: String) -> String {
    let mut spec = serde_json::from_str::<Value>(&sample).unwrap_or_default();
    let removed = spec.as_object_mut().and_then(|spec| spec.remove("metadata"));
    if removed.is_some() { spec.to_string() } else { sample }
}

impl Store {
    /// Trains a dictionary if there is none and enough logs are stored. Returns true if it did.
    pub async fn train_dictionary(&self) -> Result<bool> {
        if self.packer.is_trained() {
            return Ok(false);
        }
        let mut connection = self.reader.acquire().await?;
        let mut samples = Vec::new();
        for table in ["run_log", "run_spec", "searched_text"] {
            let sql = format!("SELECT body FROM {table} ORDER BY n DESC LIMIT {SAMPLES}");
            let bodies: Vec<Vec<u8>> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_all(&mut *connection).await?;
            if table == "run_log" && bodies.len() < usize::try_from(SAMPLES).unwrap_or(usize::MAX) {
                return Ok(false);
            }
            for body in bodies {
                samples.push(without_metadata(self.unpack(&mut connection, &body).await?));
            }
        }
        drop(connection);
        let trained = tokio::task::spawn_blocking(move || pack::train(&samples)).await;
        let dictionary = trained.map_err(|_| sqlx::Error::WorkerCrashed)?.map_err(sqlx::Error::Io)?;
        let id: i64 = sqlx::query_scalar("INSERT INTO pack_dictionary (body) VALUES ($1) RETURNING id")
            .bind(dictionary.clone())
            .fetch_one(&self.writer)
            .await?;
        self.packer.add(u32::try_from(id).unwrap_or(u32::MAX), &dictionary);
        Ok(true)
    }

    pub(super) async fn load_dictionaries(&self) -> Result<()> {
        for row in sqlx::query("SELECT id, body FROM pack_dictionary").fetch_all(&self.reader).await? {
            self.packer
                .add(u32::try_from(row.try_get::<i64, _>(0)?).unwrap_or(u32::MAX), &row.try_get::<Vec<u8>, _>(1)?);
        }
        Ok(())
    }

    /// Decompresses a body, after loading its dictionary if needed.
    pub(super) async fn unpack(&self, connection: &mut AnyConnection, body: &[u8]) -> Result<String> {
        self.load_dictionary_of(connection, body).await?;
        self.packer.decompress(body).map_err(sqlx::Error::Io)
    }

    /// Loads the dictionary of a body if another process has trained it.
    pub(super) async fn load_dictionary_of(&self, connection: &mut AnyConnection, body: &[u8]) -> Result<()> {
        if let Some(id) = self.packer.missing_dictionary(body) {
            let dictionary: Vec<u8> = sqlx::query_scalar("SELECT body FROM pack_dictionary WHERE id = $1")
                .bind(i64::from(id))
                .fetch_one(connection)
                .await?;
            self.packer.add(id, &dictionary);
        }
        Ok(())
    }
}
