//! Encrypts secrets for the database: tokens, sessions, drafts and tool credentials.

use std::path::Path;

use anyhow::Context;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};

const NONCE_BYTES: usize = 24;

#[derive(Clone)]
pub struct Vault {
    cipher: XChaCha20Poly1305,
}

/// A sealed value cannot be decrypted: the key changed, or the data was altered.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("a stored secret cannot be decrypted with this RUNLENS_SECRET_KEY")]
pub struct Unreadable;

impl Vault {
    pub fn new(secret: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"runlens vault v1\0");
        hash.update(secret.as_bytes());
        Self { cipher: XChaCha20Poly1305::new(&hash.finalize()) }
    }

    /// Uses the configured key, or one that is generated once and stored in the data folder.
    pub fn open(secret: Option<&str>, data_dir: &Path) -> anyhow::Result<Self> {
        if let Some(secret) = secret {
            return Ok(Self::new(secret));
        }
        let path = data_dir.join("secret.key");
        let secret = match std::fs::read_to_string(&path) {
            Ok(secret) => secret,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let secret = crate::random::token();
                write_private(&path, &secret)
                    .with_context(|| format!("the key {} cannot be written", path.display()))?;
                secret
            }
            Err(error) => {
                return Err(error).with_context(|| format!("the key {} cannot be read", path.display()));
            }
        };
        Ok(Self::new(secret.trim()))
    }

    /// Encrypts `plain`. Decryption needs the same `purpose`, so that one kind of secret cannot be used as another.
    pub fn seal(&self, purpose: &str, plain: &[u8]) -> Vec<u8> {
        let nonce = crate::random::bytes::<NONCE_BYTES>();
        let payload = Payload { msg: plain, aad: purpose.as_bytes() };
        let mut sealed = nonce.to_vec();
        match self.cipher.encrypt(&XNonce::from(nonce), payload) {
            Ok(ciphertext) => sealed.extend(ciphertext),
            // The cipher fails only beyond 256 GB. An empty ciphertext cannot be decrypted.
            Err(_) => sealed.clear(),
        }
        sealed
    }

    /// Decrypts a value that was sealed for the same purpose.
    pub fn open_sealed(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, Unreadable> {
        let (nonce, ciphertext) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or(Unreadable)?;
        let payload = Payload { msg: ciphertext, aad: purpose.as_bytes() };
        self.cipher.decrypt(&XNonce::from(*nonce), payload).map_err(|_| Unreadable)
    }
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault(…)")
    }
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
