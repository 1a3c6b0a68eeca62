//! Random identifiers and tokens, and their digests.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Returns a secret of 32 random bytes with a prefix for its kind.
pub fn token(prefix: &str) -> anyhow::Result<String> {
    Ok(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(random::<32>()?)))
}

/// Returns a unique identifier: not secret, safe in a path.
pub fn id(prefix: &str) -> anyhow::Result<String> {
    Ok(format!("{prefix}{}", hex(&random::<10>()?)))
}

/// Returns the same identifier for the same seed, for the demonstration.
pub fn seeded_id(prefix: &str, seed: &str) -> String {
    format!("{prefix}{}", hex(&Sha256::digest(seed.as_bytes())[..10]))
}

pub fn sha256(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

/// Returns the PKCE challenge of a verifier.
pub fn s256_challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

fn random<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no randomness from the system: {error}"))?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
