//! Parses the query of a URL and decodes it once. The router's own map decodes values twice, which corrupts values with
//! a percent sign.

use leptos::prelude::*;
use leptos_router::hooks::use_url;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryString(Vec<(String, String)>);

impl QueryString {
    pub fn parse(text: &str) -> Self {
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        };
        Self(text.split('&').filter(|text| !text.is_empty()).map(pair).collect())
    }

    /// Returns the last value of a parameter.
    pub fn get(&self, name: &str) -> Option<String> {
        self.0.iter().rev().find(|pair| pair.0 == name).map(|pair| pair.1.clone())
    }

    pub fn get_all(&self, name: &str) -> Vec<String> {
        self.0.iter().filter(|pair| pair.0 == name).map(|pair| pair.1.clone()).collect()
    }
}

/// Returns the query of the page's URL.
pub fn use_query_string() -> Memo<QueryString> {
    let url = use_url();
    Memo::new(move |_| url.with(|url| QueryString::parse(url.search())))
}

/// Decodes percent escapes. Invalid escapes are unchanged.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let mut digit = || ahead.next().and_then(|byte| char::from(byte).to_digit(16));
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => match digit().zip(digit()).and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
                Some(escaped) => {
                    bytes.push(escaped);
                    rest = ahead;
                }
                None => bytes.push(byte),
            },
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::url::encode;

    #[test]
    fn values_are_decoded_once() {
        let read = |text: &str| QueryString::parse(text).get("q");
        for text in ["\"50%20off\"", "https://x.test/a?b=c&d=%20+", "ü 東京", "100%", "%zz%4", "a=b"] {
            assert_eq!(read(&format!("x=1&q={}", encode(text))).as_deref(), Some(text));
        }
        assert_eq!(read("q=100%&x").as_deref(), Some("100%"));
        assert_eq!(read("q=a&q=%FF").as_deref(), Some("\u{fffd}"));
        assert_eq!((read(""), read("q")), (None, Some(String::new())));
        assert_eq!(QueryString::parse("set=a&b=1&set=c").get_all("set"), ["a", "c"]);
    }
}
