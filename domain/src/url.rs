//! URL encoding.

/// Percent-encodes a query value. Spaces become `+`; `:` and the unreserved characters stay readable.
pub fn encode(value: &str) -> String {
    encode_with(value, "+")
}

/// Percent-encodes a path segment, in which `+` would stay a plus sign.
pub fn encode_segment(segment: &str) -> String {
    encode_with(segment, "%20")
}

fn encode_with(text: &str, space: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' | b',' => out.push(byte as char),
            b' ' => out.push_str(space),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_characters_are_encoded_and_colons_stay() {
        assert_eq!(encode("/runs?q=a:b&x=#1+2 %ü"), "%2Fruns%3Fq%3Da:b%26x%3D%231%2B2+%25%C3%BC");
        assert_eq!(encode_segment("a/b c?+"), "a%2Fb%20c%3F%2B");
    }
}
