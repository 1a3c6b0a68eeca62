//! Encrypts secrets for the database: tokens, sessions, drafts and tool credentials.
//!
//! There may be several keys: the first encrypts, all decrypt. So a key can be replaced while servers run.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

const NONCE_BYTES: usize = 24;
const KEY_FILE: &str = "secret.key";
/// The shortest key.
pub const MIN_KEY_CHARS: usize = 32;

/// What a sealed value is for. Decryption needs the same purpose, so that one kind of secret cannot be used as another.
pub mod purpose {
    pub const ACCESS_TOKEN: &str = "access token";
    pub const REFRESH_TOKEN: &str = "refresh token";
    pub const TOKEN_TO_REVOKE: &str = "token to revoke";
    pub const WEB_SESSION: &str = "web session";
    pub const ANSWERERS: &str = "answers";
    pub const ANSWER: &str = "answer";
    pub const BATCH: &str = "batch";
    pub const TEMPLATE: &str = "template";
    pub const DRAFT: &str = "draft";
    pub const PENDING_ERASURE: &str = "pending erasure";
    pub const REDACTION_KEY: &str = "redaction key";
    pub const KEY_CHECK: &str = "key check";
}

#[derive(Clone)]
pub struct Vault {
    /// The one that encrypts.
    current: XChaCha20Poly1305,
    /// Those that only decrypt.
    earlier: Vec<XChaCha20Poly1305>,
}

/// A sealed value cannot be decrypted: the key changed, or the data was altered.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("a stored secret cannot be decrypted with this RUNLENS_SECRET_KEY")]
pub struct Unreadable;

impl Vault {
    /// Uses a key, or several that are separated by commas.
    pub fn new(secret: &str) -> Self {
        let mut ciphers = keys(secret).into_iter().map(cipher);
        // There is always a first key.
        let current = ciphers.next().unwrap_or_else(|| cipher(secret));
        Self { current, earlier: ciphers.collect() }
    }

    /// Returns true if a generated key is stored in the data folder, readable or not.
    pub fn has_key_file(data_dir: &Path) -> bool {
        data_dir.join(KEY_FILE).symlink_metadata().is_ok()
    }

    /// Uses the configured key, or one that is generated once and stored in the data folder.
    pub fn open(secret: Option<&str>, data_dir: &Path) -> anyhow::Result<Self> {
        if let Some(secret) = secret {
            return Ok(Self::new(secret));
        }
        let path = data_dir.join(KEY_FILE);
        let secret = match std::fs::read_to_string(&path) {
            Ok(secret) => {
                crate::store::warn_if_others_may_read(&path);
                secret
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let secret = crate::random::token();
                domain::create_private_file(&path)
                    .and_then(|mut file| file.write_all(secret.as_bytes()))
                    .with_context(|| format!("the key {} cannot be written", path.display()))?;
                secret
            }
            Err(error) => {
                return Err(error).with_context(|| format!("the key {} cannot be read", path.display()));
            }
        };
        Ok(Self::new(secret.trim()))
    }

    /// Encrypts `plain` for a purpose.
    pub fn seal(&self, purpose: &str, plain: &[u8]) -> Vec<u8> {
        let nonce = crate::random::bytes::<NONCE_BYTES>();
        let payload = Payload { msg: plain, aad: purpose.as_bytes() };
        let mut sealed = nonce.to_vec();
        match self.current.encrypt(&XNonce::from(nonce), payload) {
            Ok(ciphertext) => sealed.extend(ciphertext),
            // The cipher fails only beyond 256 GB. An empty ciphertext cannot be decrypted.
            Err(_) => sealed.clear(),
        }
        sealed
    }

    /// Decrypts a value that was sealed for the same purpose.
    pub fn open_sealed(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, Unreadable> {
        std::iter::once(&self.current)
            .chain(&self.earlier)
            .find_map(|cipher| decrypt(cipher, purpose, sealed))
            .ok_or(Unreadable)
    }

    pub fn seal_json(&self, purpose: &str, value: &impl Serialize) -> Vec<u8> {
        self.seal(purpose, &serde_json::to_vec(value).unwrap_or_default())
    }

    pub fn open_json<T: DeserializeOwned>(&self, purpose: &str, sealed: &[u8]) -> Result<T, Unreadable> {
        serde_json::from_slice(&self.open_sealed(purpose, sealed)?).map_err(|_| Unreadable)
    }

    /// Encrypts a value with the first key. Returns `None` if it is already.
    pub fn reseal(&self, purpose: &str, sealed: &[u8]) -> Result<Option<Vec<u8>>, Unreadable> {
        if decrypt(&self.current, purpose, sealed).is_some() {
            return Ok(None);
        }
        Ok(Some(self.seal(purpose, &self.open_sealed(purpose, sealed)?)))
    }
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault(…)")
    }
}

/// Splits `new,old`. A text with a part that is too short for a key is one key that contains a comma.
fn keys(secret: &str) -> Vec<&str> {
    let parts: Vec<&str> = secret.split(',').map(str::trim).collect();
    if parts.iter().all(|part| part.len() >= MIN_KEY_CHARS) { parts } else { vec![secret] }
}

fn cipher(key: &str) -> XChaCha20Poly1305 {
    let mut hash = Sha256::new();
    hash.update(b"runlens vault v1\0");
    hash.update(key.as_bytes());
    XChaCha20Poly1305::new(&hash.finalize())
}

fn decrypt(cipher: &XChaCha20Poly1305, purpose: &str, sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, ciphertext) = sealed.split_first_chunk::<NONCE_BYTES>()?;
    let payload = Payload { msg: ciphertext, aad: purpose.as_bytes() };
    cipher.decrypt(&XNonce::from(*nonce), payload).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "an old key of at least 32 characters";
    const NEW: &str = "a new key of at least 32 characters!";

    #[test]
    fn opens_only_with_the_same_key_and_purpose() {
        let vault = Vault::new("one");
        let sealed = vault.seal("access", b"mantyx_at_secret");
        assert_eq!(vault.open_sealed("access", &sealed).expect("opens"), b"mantyx_at_secret");
        assert!(vault.open_sealed("refresh", &sealed).is_err());
        assert!(Vault::new("two").open_sealed("access", &sealed).is_err());
        assert!(vault.open_sealed("access", b"short").is_err());
        assert!(!sealed.windows(9).any(|window| window == b"mantyx_at"));
    }

    #[test]
    fn several_keys_read_and_the_first_one_writes() {
        let (old, both, new) = (Vault::new(OLD), Vault::new(&format!("{NEW},{OLD}")), Vault::new(NEW));
        let before = old.seal("x", b"secret");
        assert_eq!(both.open_sealed("x", &before).expect("opens"), b"secret");
        let after = both.reseal("x", &before).expect("opens").expect("is sealed again");
        assert_eq!(new.open_sealed("x", &after).expect("opens"), b"secret");
        assert!(both.reseal("x", &after).expect("opens").is_none());
        assert!(new.reseal("x", &before).is_err() && old.open_sealed("x", &after).is_err());
    }

    #[test]
    fn one_key_may_contain_a_comma() {
        assert_eq!(keys("a key for tests, long enough to be accepted").len(), 1);
        assert_eq!(keys(&format!("{NEW}, {OLD}")), [NEW, OLD]);
    }
}
