//! Texts with and without credentials.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn headers_and_named_secrets_are_hidden_whatever_they_hold() {
    let mut spec = json!({
        "tools": [{ "kind": "mcp", "url": "https://x.test/mcp", "headers": { "X-Team": "blue", "Authorization": "Bearer abc" } }],
        "api_key": "short", "nested": { "clientSecret": "s3", "accessToken": 42, "token": null },
        "budgets": { "maxTokens": 100 }
    });
    redact(&mut spec);
    assert_eq!(
        spec,
        json!({
            "tools": [{ "kind": "mcp", "url": "https://x.test/mcp", "headers": { "X-Team": HIDDEN, "Authorization": HIDDEN } }],
            "api_key": HIDDEN, "nested": { "clientSecret": HIDDEN, "accessToken": HIDDEN, "token": null },
            "budgets": { "maxTokens": 100 }
        })
    );
}

#[test]
fn credentials_are_hidden_inside_text() {
    let cases = [
        ("use sk-abcd1234efgh5678ijkl now", "use • now"),
        ("key=mantyx_at_0123456789abcdef.", "key=•"),
        ("Bearer Zm9vYmFyYmF6cXV4MTIz", "Bearer •"),
        ("Authorization: Bearer Zm9vYmFyYmF6cXV4MTIz", "Authorization: Bearer •"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "•"),
        ("pay with sk_live_51Habcdefghijk or xapp-1-A012-345-abcdef", "pay with • or •"),
        ("hf_AbCdEf0123456789xyz,", "•,"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUt/K7MDENG+bPx", "AWS_SECRET_ACCESS_KEY=•"),
        ("export DB_PASSWORD='hunter2'; go", "export DB_PASSWORD='•'; go"),
        ("password=swordfish", "password=•"),
        ("password: hunter2", "password: •"),
        ("{\"apiKey\": \"a-b-c\", \"n\": 1}", "{\"apiKey\": \"•\", \"n\": 1}"),
        ("{\\\"token\\\":\\\"a1b2\\\"}", "{\\\"token\\\":\\\"•\\\"}"),
        ("https://x.test/mcp?token=0123abcd&page=2", "https://x.test/mcp?token=•&page=2"),
        ("https://x.test/?a=1&key=AbC#top", "https://x.test/?a=1&key=•"),
        ("postgres://app:pa:ss@db.test/x and more", "postgres://app:•@db.test/x and more"),
        ("git clone https://0123456789abcdef0123@git.test/a", "git clone https://•@git.test/a"),
        ("the key q8Zr3Lm0vT5xK1bN7wPd2Yf9Hs6Jc4Ge is", "the key • is"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----.",
            "-----BEGIN RSA PRIVATE KEY-----•-----END RSA PRIVATE KEY-----.",
        ),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY-----•"),
    ];
    for (text, shown) in cases {
        assert_eq!(redact_text(text), Some(shown.replace('•', HIDDEN)), "{text}");
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    let texts = [
        "the bearer of news",
        "sk-iing trip",
        "a-very-long-word-that-is-not-a-key",
        "日本語: 東京",
        "",
        // People search logs for ids and checksums.
        "run_fa7a31cabf7e9b4b3713 of 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "getUserAccountDetailsForTheQuarterlyReportV2",
        "token: the unit that models count in",
        "let token = next_token(input);",
        "send Authorization: Bearer $MANTYX_API_KEY and token=${TOKEN}",
        "maxTokens: 100, max_tokens=4096, tokens: 12",
        "https://example.com/@name/a:b and mail a.person@example.com",
        "-----BEGIN CERTIFICATE-----\nMIIE",
        "if password == other",
    ];
    for text in texts {
        assert_eq!(redact_text(text), None, "{text}");
    }
}

/// If one of these took quadratic time, this test would take minutes.
#[test]
fn long_hostile_texts_are_read_once() {
    for part in
        ["token=", "token:", "-----BEGIN PRIVATE KEY-----", "PRIVATE KEY-----", "-----BEGIN ", "a://b:c@", "token '"]
    {
        let text = part.repeat(2_000_000 / part.len());
        assert!(redact_text(&text).is_none_or(|shown| shown.len() < 5 * text.len()), "{part}");
    }
}

#[test]
fn what_follows_a_hidden_part_is_not_hidden_for_it() {
    let cases = [
        // The word after a bearer's credential is no credential.
        ("Bearer sk-abcd1234efgh5678 responsibilities", "Bearer • responsibilities"),
        // Hiding makes a short name of a user longer.
        ("x://token=a,b@host", "x://token=•,b@host"),
        // The end of a key that follows the name of a secret is still its end.
        (
            "-----BEGIN PRIVATE KEY-----token=-----END PRIVATE KEY----- rest",
            "-----BEGIN PRIVATE KEY-----•-----END PRIVATE KEY----- rest",
        ),
        // An address that seemed to end at the slash.
        ("x://token=a/b,c:d@host", "x://token=•,c:•@host"),
    ];
    for (text, shown) in cases {
        let shown = shown.replace('•', HIDDEN);
        assert_eq!(redact_text(text).as_ref(), Some(&shown), "{text}");
        assert_eq!(redact_text(&shown), None, "{text}");
    }
}

/// Parts of texts that rules look at.
const PARTS: &str = "([a-z:/@= ?&,\"'#]|token|password|https://|Bearer |sk-|aB1cD2eF3gH4iJ5k|abcdefghijklmnop|-----BEGIN |\
    PRIVATE KEY-----|-----END|•|\\PC){0,24}";

proptest! {
    #[test]
    fn hiding_again_changes_nothing(text in PARTS) {
        if let Some(shown) = redact_text(&text) {
            prop_assert_eq!(redact_text(&shown), None, "{:?}", shown);
        }
    }
}
