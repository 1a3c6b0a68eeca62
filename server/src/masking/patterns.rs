//! Compiled redaction patterns, and how they replace what they match.

use std::ops::Range;

use domain::{RedactionMode, RedactionPattern};
use protocol::redact::HIDDEN;
use regex::{Regex, RegexBuilder};
use sha2::{Digest, Sha256};

pub const MAX_PATTERNS: usize = 20;
const MAX_PATTERN_CHARS: usize = 500;
/// Memory of a compiled pattern. The time to search a text grows with it.
const MAX_COMPILED_BYTES: usize = 1024 * 1024;
/// Groups in groups.
const MAX_NESTING: u32 = 50;

const DOT: char = '•';
/// Around the letters of a hash. Both are as long as a dot.
const OPENS: char = '‹';
const CLOSES: char = '›';
/// Letters of a hash, 48 bits.
const HASH_LETTERS: usize = 12;
/// Texts in which a pattern must not match an empty part.
const PROBES: [&str; 3] = ["", "a", "a 1_-\n"];

#[derive(Clone, Debug, Default)]
pub struct Patterns {
    patterns: Vec<(Regex, RedactionMode)>,
    /// Without a key, hashes are hidden.
    key: Option<Vec<u8>>,
}

/// Why a pattern is refused, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidPattern(String);

impl Patterns {
    pub fn compile(patterns: &[RedactionPattern], key: Option<Vec<u8>>) -> Result<Self, InvalidPattern> {
        let compiled = patterns.iter().map(|it| Ok((compile(&it.pattern)?, it.mode)));
        Ok(Self { patterns: compiled.collect::<Result<_, _>>()?, key })
    }

    /// Hides all texts: for patterns that are unknown.
    pub fn everything() -> Self {
        let every = RedactionPattern { pattern: "(?s).+".to_owned(), mode: RedactionMode::Hide };
        Self::compile(&[every], None).unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Returns the text with all matches replaced, or `None` if there are none. What is replaced already stays as it is, so a
    /// text can be redacted twice.
    pub fn redact_text(&self, text: &str) -> Option<String> {
        let matches = self.matches(text);
        let mut out = String::new();
        let mut copied = 0;
        for (part, mode) in &matches {
            out.push_str(&text[copied..part.start]);
            match (mode, &self.key) {
                (RedactionMode::Hash, Some(key)) => out.push_str(&hash(key, &text[part.clone()])),
                _ => out.push_str(HIDDEN),
            }
            copied = part.end;
        }
        (!matches.is_empty()).then(|| out + &text[copied..])
    }

    /// Returns what is replaced, in order. Overlapping matches are one; it is hidden if one of them is.
    fn matches(&self, text: &str) -> Vec<(Range<usize>, RedactionMode)> {
        let of_pattern = |(regex, mode): &(Regex, RedactionMode)| {
            let mode = *mode;
            regex.find_iter(text).map(|found| found.range()).map(|part| (part, mode)).collect::<Vec<_>>()
        };
        let mut found: Vec<_> =
            self.patterns.iter().flat_map(of_pattern).filter(|(part, _)| !part.is_empty()).collect();
        if found.is_empty() {
            return found;
        }
        found.sort_by_key(|(part, _)| (part.start, part.end));
        let mut merged: Vec<(Range<usize>, RedactionMode)> = Vec::new();
        for (part, mode) in found {
            match merged.last_mut() {
                Some((last, last_mode)) if part.start < last.end => {
                    last.end = last.end.max(part.end);
                    if mode == RedactionMode::Hide {
                        *last_mode = mode;
                    }
                }
                _ => merged.push((part, mode)),
            }
        }
        let marks = marks(text);
        merged
            .into_iter()
            .flat_map(|(part, mode)| without(part, &marks).into_iter().map(move |it| (it, mode)))
            .collect()
    }
}

fn compile(pattern: &str) -> Result<Regex, InvalidPattern> {
    let refuse = |message: &str| Err(InvalidPattern(message.to_owned()));
    if pattern.chars().count() > MAX_PATTERN_CHARS {
        return refuse("A pattern can have up to 500 characters. Shorten it, or use several patterns.");
    }
    let regex = RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .nest_limit(MAX_NESTING)
        .build();
    match regex {
        Ok(regex) if matches_nothing(&regex) => refuse(
            "This pattern also matches an empty text, so it would match everywhere. Use + instead of *, for example.",
        ),
        Ok(regex) => Ok(regex),
        Err(regex::Error::CompiledTooBig(_)) => {
            refuse("This pattern is too large. Use smaller repetitions, or \\d and [a-z] instead of \\w.")
        }
        // Its last line says what is wrong; those before show the pattern.
        Err(error) => {
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ").trim();
            refuse(&format!("This is not a valid regular expression: {reason}."))
        }
    }
}

/// Returns true if the pattern matches an empty part of a text.
fn matches_nothing(regex: &Regex) -> bool {
    PROBES.iter().any(|text| regex.find_iter(text).any(|found| found.is_empty()))
}

/// Begins with a dot, so that it is no value of a secret, and has no digits, so that a number cannot look like a hash.
fn hash(key: &[u8], text: &str) -> String {
    let inner = Sha256::new().chain_update(key).chain_update(text).finalize();
    let digest = Sha256::new().chain_update(key).chain_update(inner).finalize();
    let letters = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]).take(HASH_LETTERS);
    let letters: String = letters.map(|half| char::from(b'a' + half)).collect();
    format!("{DOT}{OPENS}{letters}{CLOSES}")
}

/// Finds what was replaced before: rows of dots, and hashes.
fn marks(text: &str) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find([DOT, OPENS]).map(|found| at + found) {
        let dots = text[start..].len() - text[start..].trim_start_matches(DOT).len();
        let end = start + dots + hash_bytes(&text[start + dots..]);
        // A few dots alone are text.
        if end > start + dots || dots >= HIDDEN.len() {
            marks.push(start..end);
        }
        at = end.max(start + DOT.len_utf8());
    }
    marks
}

/// Returns the length of the hash that the text begins with, without its dot, or 0.
fn hash_bytes(text: &str) -> usize {
    let letters = text.strip_prefix(OPENS).and_then(|rest| rest.get(..HASH_LETTERS));
    let is_hash = letters.is_some_and(|letters| letters.bytes().all(|byte| (b'a'..=b'p').contains(&byte)));
    let bytes = OPENS.len_utf8() + HASH_LETTERS;
    match is_hash && text[bytes..].starts_with(CLOSES) {
        true => bytes + CLOSES.len_utf8(),
        false => 0,
    }
}

/// The parts of a range outside of the marks, which are in order.
fn without(part: Range<usize>, marks: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut rest = Vec::new();
    let mut start = part.start;
    for mark in marks.iter().filter(|mark| mark.start < part.end && part.start < mark.end) {
        rest.push(start..mark.start);
        start = mark.end;
    }
    rest.push(start..part.end);
    rest.retain(|part| part.start < part.end);
    rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn patterns(patterns: &[(&str, RedactionMode)]) -> Patterns {
        let pattern =
            |(pattern, mode): &(&str, RedactionMode)| RedactionPattern { pattern: (*pattern).to_owned(), mode: *mode };
        Patterns::compile(&patterns.iter().map(pattern).collect::<Vec<_>>(), Some(b"key".to_vec())).expect("compiles")
    }

    use RedactionMode::{Hash, Hide};

    #[test]
    fn matches_are_hidden_and_the_rest_stays() {
        let emails = patterns(&[(r"[\w.]+@[\w.]+", Hide)]);
        let shown = emails.redact_text("from ada@acme.test to bob@acme.test.");
        assert_eq!(shown, Some(format!("from {HIDDEN} to {HIDDEN}")));
        assert_eq!(emails.redact_text("nobody"), None);
        assert_eq!(Patterns::default().redact_text("ada@acme.test"), None);
        assert_eq!(Patterns::everything().redact_text("two\nlines"), Some(HIDDEN.to_owned()));
    }

    #[test]
    fn equal_values_have_equal_hashes_of_the_workspace() {
        let numbers = patterns(&[(r"\d+", Hash)]);
        let shown = numbers.redact_text("12 34 12").expect("matches");
        let parts: Vec<&str> = shown.split(' ').collect();
        assert!(parts[0] == parts[2] && parts[0] != parts[1] && !shown.contains("12"), "{shown}");
        let list = [RedactionPattern { pattern: r"\d+".to_owned(), mode: Hash }];
        let other = Patterns::compile(&list, Some(b"another key".to_vec())).expect("compiles");
        assert_ne!(other.redact_text("12 34 12"), Some(shown));
        let keyless = Patterns::compile(&list, None).expect("compiles");
        assert_eq!(keyless.redact_text("12"), Some(HIDDEN.to_owned()));
    }

    #[test]
    fn overlapping_matches_are_one_and_hidden_if_one_of_them_is() {
        let both = patterns(&[("abc", Hash), ("cd", Hide), (r"\d+", Hash)]);
        assert_eq!(both.redact_text("xabcdx"), Some(format!("x{HIDDEN}x")));
    }

    #[test]
    fn a_number_that_looks_like_a_hash_is_hidden() {
        let numbers = patterns(&[(r"\d+", Hide)]);
        assert_eq!(numbers.redact_text("•‹123456789012›"), Some(format!("•‹{HIDDEN}›")));
    }

    #[test]
    fn patterns_that_cannot_be_used_are_refused_with_the_reason() {
        let refusal = |pattern: &str| compile(pattern).map(drop).expect_err("refused").to_string();
        for pattern in ["", "x*", r"\b", "a|", "(?m)^", "$"] {
            assert!(refusal(pattern).contains("empty text"), "{pattern}");
        }
        assert!(refusal("(a").contains("unclosed group"), "{}", refusal("(a"));
        assert!(refusal(r"\w{500}").contains("too large"));
        assert!(refusal(&"x".repeat(501)).contains("500 characters"));
        assert!(refusal(&format!("{}x{}", "(".repeat(60), ")".repeat(60))).contains("not a valid"));
    }

    proptest! {
        #[test]
        fn redacting_again_changes_nothing(text in "([a-p]{1,14}|[0-9]{1,3}|•|‹|›|••••••••|@|\\PC| ){0,20}") {
            for (pattern, mode) in [(r"\d+", Hash), (r"[a-z]+", Hide), (r"\S+", Hash), (r".", Hide), (r"[a-c]", Hash)] {
                let patterns = patterns(&[(pattern, mode), (r"@\w", Hide)]);
                if let Some(shown) = patterns.redact_text(&text) {
                    prop_assert_eq!(patterns.redact_text(&shown), None, "{:?}", shown);
                }
            }
        }
    }
}
