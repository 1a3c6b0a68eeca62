//! Headers that somebody typed for a peer.

use domain::Headers;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::PeerError;

const MAX_VALUE_BYTES: usize = 8 * 1024;

/// Headers of the connection and of the protocol, which are not for people to set.
const OURS: [&str; 10] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
    "upgrade",
];

/// Checked headers; their values are marked as secret, so that nothing prints them.
pub fn parse(headers: &Headers) -> Result<HeaderMap, PeerError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let bad = |what: &str| PeerError::unusable(format!("The header {} {what}.", name.escape_debug()));
        let parsed: HeaderName = name.parse().map_err(|_| bad("has a name that no header can have"))?;
        if OURS.contains(&parsed.as_str()) {
            return Err(bad("is set by this server and cannot be chosen"));
        }
        if value.len() > MAX_VALUE_BYTES {
            return Err(bad("is longer than 8 KB"));
        }
        let mut value =
            HeaderValue::from_str(value).map_err(|_| bad("has a line break or another control character"))?;
        value.set_sensitive(true);
        map.insert(parsed, value);
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_one(name: &str, value: &str) -> Result<HeaderMap, String> {
        parse(&Headers::from([(name.to_owned(), value.to_owned())])).map_err(|error| error.to_string())
    }

    #[test]
    fn a_header_with_a_line_break_is_refused_and_its_value_is_not_repeated() {
        let error = parse_one("Authorization", "Bearer s3cret\r\nHost: evil.test").expect_err("refused");
        assert!(error.contains("line break") && !error.contains("s3cret"), "{error}");
        assert!(parse_one("X\nY", "a").expect_err("refused").contains("X\\nY"));
        assert!(parse_one("Host", "a").is_err() && parse_one("x", &"a".repeat(8193)).is_err());
    }

    #[test]
    fn values_are_not_printed() {
        let headers = parse_one("Authorization", "Bearer s3cret").expect("fine");
        assert!(!format!("{headers:?}").contains("s3cret"));
        assert_eq!(headers["authorization"], "Bearer s3cret");
    }
}
