//! Stores tower-sessions records in the database, sealed.

use std::sync::Arc;

use async_trait::async_trait;
use tower_sessions::SessionStore;
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{Error, Result};

use crate::clock::now_ms;
use crate::store::Store;
use crate::vault::Vault;

const PURPOSE: &str = "web session";

#[derive(Clone, Debug)]
pub struct SealedSessionStore {
    pub store: Store,
    pub vault: Arc<Vault>,
}

impl SealedSessionStore {
    fn seal(&self, record: &Record) -> Result<(String, Vec<u8>, i64)> {
        let json = serde_json::to_vec(record).map_err(|error| Error::Encode(error.to_string()))?;
        let expires_at_ms = record.expiry_date.unix_timestamp() * 1000;
        Ok((record.id.to_string(), self.vault.seal(PURPOSE, &json), expires_at_ms))
    }
}

#[async_trait]
impl SessionStore for SealedSessionStore {
    async fn create(&self, record: &mut Record) -> Result<()> {
        loop {
            let (id, sealed, expires_at_ms) = self.seal(record)?;
            if self.store.create_web_session(&id, &sealed, expires_at_ms).await.map_err(backend)? {
                return Ok(());
            }
            record.id = Id::default();
        }
    }

    async fn save(&self, record: &Record) -> Result<()> {
        let (id, sealed, expires_at_ms) = self.seal(record)?;
        self.store.save_web_session(&id, &sealed, expires_at_ms).await.map_err(backend)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let Some(sealed) = self.store.load_web_session(&id.to_string(), now_ms()).await.map_err(backend)? else {
            return Ok(None);
        };
        // A record that this key cannot decrypt counts as missing: its user signs in again.
        let Ok(json) = self.vault.open_sealed(PURPOSE, &sealed) else { return Ok(None) };
        serde_json::from_slice(&json).map(Some).map_err(|error| Error::Decode(error.to_string()))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        self.store.delete_web_session(&id.to_string()).await.map_err(backend)
    }
}

fn backend(error: crate::store::Error) -> Error {
    Error::Backend(error.to_string())
}
