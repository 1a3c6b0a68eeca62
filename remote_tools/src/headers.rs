//! Validation of the headers that a person enters for a remote server.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::RemoteError;

const MAX_VALUE_BYTES: usize = 8 * 1024;

/// Headers of the connection and the protocol, which the clients set themselves.
const RESERVED: [&str; 10] = [
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

/// Validates headers. Values are marked as sensitive, so that debug output hides them; errors name a header without its
/// value.
pub fn parse_headers<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<HeaderMap, RemoteError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let bad = |problem: &str| RemoteError::unusable(format!("The header {} {problem}.", name.escape_debug()));
        let parsed: HeaderName = name.parse().map_err(|_| bad("has a name that no header can have"))?;
        if RESERVED.contains(&parsed.as_str()) {
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
        parse_headers([(name, value)]).map_err(|error| error.to_string())
    }

    #[test]
    fn a_header_with_a_line_break_is_refused_and_its_value_is_not_repeated() {
        let error = parse_one("Authorization", "Bearer s3cret\r\nHost: evil.test").expect_err("refused");
        assert!(error.contains("Authorization") && error.contains("line break"), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
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
