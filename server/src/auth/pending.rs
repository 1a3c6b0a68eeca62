//! Sign-ins between `/auth/start` and `/auth/callback`. Each is an encrypted cookie named after its state, so that several tabs
//! can sign in at once and nothing is stored for clients that are not signed in.

use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::vault::Vault;

const PURPOSE: &str = "pending sign-in";
const PREFIX: &str = "runlens_sign_in_";
/// As long as MANTYX accepts a code.
const LIFETIME_MS: i64 = 10 * 60 * 1000;
/// Pending sign-ins of one browser. The oldest makes room.
const MAX_PENDING: usize = 4;
/// Browsers and proxies limit the size of all cookies. A longer address is replaced by the list of runs.
const MAX_RETURN_TO_BYTES: usize = 1_000;

#[derive(Debug, Serialize, Deserialize)]
pub struct PendingSignIn {
    pub state: String,
    pub pkce_verifier: String,
    pub return_to: String,
    pub started_at_ms: i64,
}

impl PendingSignIn {
    /// Returns the `Set-Cookie` headers: for this sign-in, and to remove the oldest ones of a browser with too many.
    pub fn cookies(mut self, vault: &Vault, headers: &HeaderMap, secure: bool) -> Vec<String> {
        if self.return_to.len() > MAX_RETURN_TO_BYTES {
            "/runs".clone_into(&mut self.return_to);
        }
        let mut earlier: Vec<(i64, String)> = pending_cookies(headers)
            .map(|(name, value)| (open(vault, value).map_or(0, |pending| pending.started_at_ms), name.to_owned()))
            .collect();
        earlier.sort();
        let surplus = (earlier.len() + 1).saturating_sub(MAX_PENDING);
        let removed = earlier.into_iter().take(surplus).map(|(_, name)| set_cookie(&name, "", 0, secure));
        let json = serde_json::to_vec(&self).unwrap_or_default();
        let sealed = URL_SAFE_NO_PAD.encode(vault.seal(PURPOSE, &json));
        let own = set_cookie(&cookie_name(&self.state), &sealed, LIFETIME_MS / 1000, secure);
        removed.chain([own]).collect()
    }

    /// Returns the pending sign-in with this state, if this browser started it and it is not too old.
    pub fn find(vault: &Vault, headers: &HeaderMap, state: &str, now_ms: i64) -> Option<Self> {
        let name = cookie_name(state);
        let mut found = pending_cookies(headers).filter(|(known, _)| *known == name);
        let pending = found.find_map(|(_, value)| open(vault, value))?;
        (pending.state == state && now_ms - pending.started_at_ms < LIFETIME_MS).then_some(pending)
    }
}

/// Returns the `Set-Cookie` header that removes a sign-in.
pub fn removal_cookie(state: &str, secure: bool) -> String {
    set_cookie(&cookie_name(state), "", 0, secure)
}

fn open(vault: &Vault, value: &str) -> Option<PendingSignIn> {
    let sealed = URL_SAFE_NO_PAD.decode(value).ok()?;
    serde_json::from_slice(&vault.open_sealed(PURPOSE, &sealed).ok()?).ok()
}

/// Returns the name and value of each cookie of a pending sign-in.
fn pending_cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, value)| name.starts_with(PREFIX) && !value.is_empty())
}

fn cookie_name(state: &str) -> String {
    let hash = Sha256::digest(state.as_bytes());
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(&hash[..12]))
}

fn set_cookie(name: &str, value: &str, max_age_s: i64, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}={value}; Path=/auth; Max-Age={max_age_s}; HttpOnly; SameSite=Lax{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(state: &str, started_at_ms: i64) -> PendingSignIn {
        let return_to = "/runs?q=a".to_owned();
        PendingSignIn { state: state.to_owned(), pkce_verifier: "v".to_owned(), return_to, started_at_ms }
    }

    fn send_back(headers: &mut HeaderMap, cookies: &[String]) {
        for cookie in cookies {
            let pair = cookie.split(';').next().expect("a pair");
            headers.append(COOKIE, pair.parse().expect("a header"));
        }
    }

    #[test]
    fn each_state_finds_its_own_sign_in_until_it_is_too_old() {
        let vault = Vault::new("a key");
        let mut headers = HeaderMap::new();
        for state in ["a", "b"] {
            let cookies = pending(state, 1_000).cookies(&vault, &headers, true);
            assert!(cookies[0].contains("; Secure") && cookies.len() == 1, "{cookies:?}");
            send_back(&mut headers, &cookies);
        }
        let found = |state: &str, now_ms| PendingSignIn::find(&vault, &headers, state, now_ms).map(|found| found.state);
        assert_eq!((found("a", 2_000).as_deref(), found("b", 2_000).as_deref()), (Some("a"), Some("b")));
        assert_eq!((found("c", 2_000), found("a", 1_000 + LIFETIME_MS)), (None, None));
        assert!(PendingSignIn::find(&Vault::new("another key"), &headers, "a", 2_000).is_none());
    }

    #[test]
    fn the_oldest_sign_in_makes_room_and_cookies_stay_small() {
        let vault = Vault::new("a key");
        let mut headers = HeaderMap::new();
        for number in 0..MAX_PENDING {
            let cookies = pending(&number.to_string(), number as i64).cookies(&vault, &headers, false);
            send_back(&mut headers, &cookies);
        }
        let long = PendingSignIn { return_to: format!("/runs?q={}", "x".repeat(3_900)), ..pending("last", 99) };
        let cookies = long.cookies(&vault, &headers, false);
        assert_eq!(cookies[0], removal_cookie("0", false));
        assert!(cookies.len() == 2 && cookies.iter().all(|cookie| cookie.len() < 2_000), "{cookies:?}");
    }
}
