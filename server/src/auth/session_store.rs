//! Stores tower-sessions records in the database, sealed, and ends those that nobody uses.

use std::sync::Arc;

use async_trait::async_trait;
use tower_sessions::SessionStore;
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{Error, Result};

use super::session::{IDLE_LIMIT_MS, USER_KEY};
use crate::clock::now_ms;
use crate::store::{Store, WebSession};
use crate::vault::{Vault, purpose};

/// The last use of a session is stored at most this often.
const TOUCH_EVERY_MS: i64 = 60 * 60 * 1000;
/// Limits for clients that are not signed in: for one of them, and for how long. All of them together are limited too.
pub const MAX_ANONYMOUS_BYTES: usize = 64 * 1024;
const ANONYMOUS_LIFETIME_MS: i64 = 30 * 60 * 1000;

#[derive(Clone, Debug)]
pub struct SealedSessionStore {
    pub store: Store,
    pub vault: Arc<Vault>,
    /// The size of all sessions of clients that are not signed in.
    pub max_anonymous_bytes: usize,
}

/// A session ready to be stored.
struct Sealed {
    id: String,
    record: Vec<u8>,
    expires_at_ms: i64,
    grant_id: Option<String>,
}

impl Sealed {
    fn as_session(&self) -> WebSession<'_> {
        let Self { id, record, expires_at_ms, grant_id } = self;
        WebSession { id, record, expires_at_ms: *expires_at_ms, grant_id: grant_id.as_deref() }
    }
}

impl SealedSessionStore {
    /// Hashes the ids of sessions that an earlier version stored.
    pub async fn hash_old_ids(&self) -> std::result::Result<(), crate::store::Error> {
        for (id, sealed) in self.store.unhashed_web_sessions().await? {
            let grant_id = self.open(&sealed).as_ref().and_then(grant_id);
            self.store.hash_web_session(&id, grant_id.as_deref()).await?;
        }
        Ok(())
    }

    /// A record that this key cannot decrypt counts as missing: its user signs in again.
    fn open(&self, sealed: &[u8]) -> Option<Record> {
        serde_json::from_slice(&self.vault.open_sealed(purpose::WEB_SESSION, sealed).ok()?).ok()
    }

    /// Records the use of a session, in a task: reading a page neither waits for a write nor fails with it.
    fn touch(&self, id: String) {
        let store = self.store.clone();
        tokio::spawn(async move {
            if let Err(error) = store.touch_web_session(&id, now_ms()).await {
                tracing::warn!(%error, "cannot record the use of a session");
            }
        });
    }

    /// Fails if the record of a client that is not signed in exceeds a limit.
    async fn seal(&self, record: &Record) -> Result<Sealed> {
        let json = serde_json::to_vec(record).map_err(|error| Error::Encode(error.to_string()))?;
        let grant_id = grant_id(record);
        let mut expires_at_ms = record.expiry_date.unix_timestamp() * 1000;
        let (id, sealed) = (record.id.to_string(), self.vault.seal(purpose::WEB_SESSION, &json));
        if grant_id.is_none() {
            expires_at_ms = expires_at_ms.min(now_ms() + ANONYMOUS_LIFETIME_MS);
            let others = self.store.anonymous_bytes_except(&id, now_ms()).await.map_err(backend)?;
            let all = usize::try_from(others).unwrap_or(usize::MAX).saturating_add(sealed.len());
            // A form may have its full size; the rest of the record is small.
            if json.len() > 2 * MAX_ANONYMOUS_BYTES || all > self.max_anonymous_bytes {
                return Err(Error::Encode("too much is stored for clients that are not signed in".to_owned()));
            }
        }
        Ok(Sealed { id, record: sealed, expires_at_ms, grant_id })
    }
}

#[async_trait]
impl SessionStore for SealedSessionStore {
    async fn create(&self, record: &mut Record) -> Result<()> {
        loop {
            let sealed = self.seal(record).await?;
            if self.store.create_web_session(sealed.as_session(), now_ms()).await.map_err(backend)? {
                return Ok(());
            }
            record.id = Id::default();
        }
    }

    async fn save(&self, record: &Record) -> Result<()> {
        let sealed = self.seal(record).await?;
        self.store.save_web_session(sealed.as_session(), now_ms()).await.map_err(backend)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let (id, now) = (id.to_string(), now_ms());
        let loaded = self.store.load_web_session(&id, now, now - IDLE_LIMIT_MS).await.map_err(backend)?;
        let Some(loaded) = loaded else { return Ok(None) };
        let record = self.open(&loaded.record);
        if record.is_some() && now - loaded.used_at_ms > TOUCH_EVERY_MS {
            self.touch(id);
        }
        Ok(record)
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        self.store.delete_web_session(&id.to_string()).await.map_err(backend)
    }
}

/// The grant of a session whose user is signed in.
fn grant_id(record: &Record) -> Option<String> {
    record.data.get(USER_KEY)?["grant_id"].as_str().map(str::to_owned)
}

fn backend(error: crate::store::Error) -> Error {
    Error::Backend(error.to_string())
}
