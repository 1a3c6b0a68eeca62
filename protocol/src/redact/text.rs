//! Finds credentials inside text: by their prefix, by the name before them, or by their place in an address.
//!
//! Ids and checksums look similar to keys, and people search logs for them. So a word without a name is hidden only if it
//! cannot be anything but a key.

use std::ops::Range;

use super::{DOT, HIDDEN, is_secret_name};

/// Prefixes of credentials of well-known services.
const SECRET_PREFIXES: [&str; 44] = [
    "mantyx_",
    "sk-",
    "sk_",
    "pk-",
    "pk_live_",
    "rk-",
    "rk_live_",
    "whsec_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "glsa_",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxe-",
    "xoxr-",
    "xoxs-",
    "xapp-",
    "hf_",
    "gsk_",
    "r8_",
    "xai-",
    "tvly-",
    "npm_",
    "pypi-",
    "dckr_pat_",
    "dop_v1_",
    "shpat_",
    "lin_api_",
    "sntrys_",
    "hvs.",
    "SG.",
    "ATATT",
    "GOCSPX-",
    "ya29.",
    "AKIA",
    "ASIA",
    "AIza",
    "eyJ",
];
/// Shorter words are names, not keys.
const MIN_SECRET_CHARS: usize = 16;
/// A word without a known prefix is a key only with this length; longer ones are files.
const RANDOM_CHARS: Range<usize> = 32..200;
/// Parameters of addresses that are secrets. Elsewhere these names are harmless.
const SECRET_PARAMETERS: [&str; 4] = ["key", "sig", "signature", "auth"];

/// Returns the text with its credentials hidden, or `None` if it has none. What was hidden stays as it is: nothing more is
/// found in the result.
pub fn redact_text(text: &str) -> Option<String> {
    let mut shown = redact_once(text)?;
    // Hiding can reveal more, such as a password in an address that seemed to end before. Each time fewer characters are
    // left to hide.
    while let Some(more) = redact_once(&shown) {
        shown = more;
    }
    Some(shown)
}

/// Finds the secrets of one kind, in order and without overlaps.
type FindSecrets = fn(&str) -> Vec<Range<usize>>;

/// One kind after the other, so that no kind reads what another has hidden.
fn redact_once(text: &str) -> Option<String> {
    let mut shown = None;
    for find in [private_keys, passwords_of_addresses, secret_words] as [FindSecrets; 3] {
        let text = shown.as_deref().unwrap_or(text);
        let hidden = hide(text, find(text));
        shown = hidden.or(shown);
    }
    shown
}

/// Hides parts that are in order and do not overlap, but for those that are hidden already.
fn hide(text: &str, mut secrets: Vec<Range<usize>>) -> Option<String> {
    secrets.retain(|secret| text[secret.clone()].chars().any(|c| c != DOT));
    let mut out = String::new();
    let mut copied = 0;
    for secret in &secrets {
        out.push_str(&text[copied..secret.start]);
        out.push_str(HIDDEN);
        copied = secret.end;
    }
    (!secrets.is_empty()).then(|| out + &text[copied..])
}

fn secret_words(text: &str) -> Vec<Range<usize>> {
    let mut secrets: Vec<Range<usize>> = Vec::new();
    let mut bearer: Option<Range<usize>> = None;
    for word in words(text) {
        if secrets.last().is_some_and(|known| word.start < known.end) {
            continue;
        }
        let token = &text[word.clone()];
        let after_bearer = bearer.is_some_and(|bearer| is_gap(&text[bearer.end..word.start]));
        if looks_secret(token) || (after_bearer && token.len() >= MIN_SECRET_CHARS) {
            secrets.push(word.clone());
        } else {
            secrets.extend(value_of(text, &word));
        }
        let is_bearer = token.eq_ignore_ascii_case("bearer") || token.eq_ignore_ascii_case("basic");
        bearer = is_bearer.then_some(word);
    }
    secrets
}

/// Returns whether two words follow each other: there is no other word between them, and nothing hidden.
fn is_gap(text: &str) -> bool {
    text.chars().all(|c| !c.is_alphanumeric() && c != DOT)
}

/// Splits a text into words of the characters that credentials consist of.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'~');
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes[at..].iter().position(is_part)?;
        let start = at;
        at += bytes[at..].iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len() - at);
        Some(start..at)
    })
}

fn looks_secret(word: &str) -> bool {
    // Names of accounts and clients can have the same prefix; a credential has digits.
    let begins = || SECRET_PREFIXES.iter().any(|prefix| word.starts_with(prefix));
    let has_digit = || word.bytes().any(|byte| byte.is_ascii_digit());
    word.len() >= MIN_SECRET_CHARS && ((begins() && has_digit()) || looks_random(word))
}

/// Returns whether a word mixes lower case, upper case and digits at random. Names have longer runs of each.
fn looks_random(word: &str) -> bool {
    if !RANDOM_CHARS.contains(&word.len()) {
        return false;
    }
    let class = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase(), byte.is_ascii_lowercase());
    let bytes = word.as_bytes();
    let changes = bytes.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    let has = |test: fn(&u8) -> bool| bytes.iter().any(test);
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    mixed && changes * 2 > word.len()
}

/// Returns the value that is assigned to the name of a secret: `password=…`, `"apiKey": "…"`, `?token=…`.
fn value_of(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`' | '\\');
    let rest = text[name.end..].trim_start_matches(is_quote);
    let set = rest.trim_start_matches(' ').strip_prefix(['=', ':'])?;
    let word = &text[name.clone()];
    let is_parameter = text[..name.start].ends_with(['?', '&']) && SECRET_PARAMETERS.contains(&word);
    if !is_parameter && !is_secret_name(word) {
        return None;
    }
    let value = set.trim_start_matches(' ').trim_start_matches(is_quote);
    let start = text.len() - value.len();
    let ends = |c: char| c.is_whitespace() || is_quote(c) || matches!(c, '&' | ',' | ';' | '(' | ')' | '{' | '}' | '<');
    // Placeholders are no secrets, and values after `Bearer` are found elsewhere.
    if value.starts_with(['$', '=', '>', '%', DOT]) {
        return None;
    }
    let value = &value[..value.find(ends).unwrap_or(value.len())];
    if value.is_empty() || value.eq_ignore_ascii_case("bearer") || value.eq_ignore_ascii_case("basic") {
        return None;
    }
    // `token: the unit of text` is prose, `token = next()` is code.
    let is_tight = text[name.end..].starts_with('=') && !set.starts_with(' ');
    let is_plain_word = value.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | '.'));
    (is_tight || !is_plain_word).then(|| start..start + value.len())
}

/// Finds `https://name:password@host`, or a long token alone before the `@`.
fn passwords_of_addresses(text: &str) -> Vec<Range<usize>> {
    let secret = |(at, scheme): (usize, &str)| {
        let start = at + scheme.len();
        let rest = &text[start..];
        let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>' | '`' | '\\');
        let user = rest[..rest.find(ends).unwrap_or(rest.len())].rsplit_once('@')?.0;
        let end = start + user.len();
        match user.split_once(':') {
            Some((name, password)) if !password.is_empty() => Some(start + name.len() + 1..end),
            None if user.replace(DOT, "").len() >= MIN_SECRET_CHARS => Some(start..end),
            _ => None,
        }
    };
    text.match_indices("://").filter_map(secret).collect()
}

/// Finds the contents of PEM keys; of an incomplete one, all the rest.
fn private_keys(text: &str) -> Vec<Range<usize>> {
    const KEY_HEADER: &str = "-----BEGIN ";
    const KEY_HEADER_END: &str = "PRIVATE KEY-----";
    /// `RSA `, `ENCRYPTED ` and similar.
    const KIND_CHARS: usize = 24;
    let mut keys = Vec::new();
    let mut at = 0;
    while let Some(begin) = text[at..].find(KEY_HEADER) {
        at += begin + KEY_HEADER.len();
        let Some(kind) = text.as_bytes()[at..]
            .windows(KEY_HEADER_END.len())
            .take(KIND_CHARS)
            .position(|it| it == KEY_HEADER_END.as_bytes())
        else {
            continue;
        };
        let start = at + kind + KEY_HEADER_END.len();
        at = text[start..].find("-----END").map_or(text.len(), |length| start + length);
        keys.push(start..at);
    }
    keys
}
