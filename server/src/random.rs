//! Random values from the operating system.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// # Panics
/// When the operating system provides no randomness.
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system provides randomness");
    bytes
}

/// Returns 256 random bits as URL-safe text.
pub fn token() -> String {
    URL_SAFE_NO_PAD.encode(bytes::<32>())
}

/// Returns a short id for logs and error references.
pub fn reference() -> String {
    URL_SAFE_NO_PAD.encode(bytes::<9>())
}
