//! Splits text into the words of the text index. Both databases use it, so that they find the same runs.

/// Longer words are encoded data: they are neither indexed nor searched.
pub(super) const MAX_WORD_BYTES: usize = 64;

/// Returns the words of a text in order, in lower case, without those that are too long. In scripts without spaces between
/// words, each character is a word.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut rest = text;
    let all = std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let first = rest.chars().next()?;
        let end = match is_word(first) {
            true => first.len_utf8(),
            false => rest.find(|c: char| !c.is_alphanumeric() || is_word(c)).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        // Most words are ASCII, and every text is split before it is stored.
        Some(match word.is_ascii() {
            true => word.to_ascii_lowercase(),
            false => word.chars().flat_map(char::to_lowercase).collect(),
        })
    });
    all.filter(|word| word.len() <= MAX_WORD_BYTES)
}

/// Kana, Han and Thai.
fn is_word(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3134f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_separated_by_other_characters() {
        let read = |text| words(text).collect::<Vec<_>>().join(" ");
        assert_eq!(read("  GPT-5.5: Überprüfung_x  "), "gpt 5 5 überprüfung x");
        assert_eq!(read("東京 tower"), "東 京 tower");
        assert_eq!(read("--- !"), "");
        assert_eq!(read(&format!("a {} b {}", "x".repeat(64), "x".repeat(65))), format!("a {} b", "x".repeat(64)));
    }
}
