//! Splits text into the words of the text index. Both databases use it, so that they find the same runs.

/// Longer words are encoded data: they are neither indexed nor searched.
pub(super) const MAX_WORD_BYTES: usize = 64;

/// Returns the words of a text in order, in lower case, without those that are too long. In scripts without spaces between
/// words, each character is a word.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut chars = text.chars().peekable();
    let all = std::iter::from_fn(move || {
        while chars.next_if(|c| !c.is_alphanumeric()).is_some() {}
        let first = chars.next()?;
        let mut word: String = first.to_lowercase().collect();
        if is_word(first) {
            return Some(word);
        }
        while let Some(c) = chars.next_if(|c| c.is_alphanumeric() && !is_word(*c)) {
            word.extend(c.to_lowercase());
        }
        Some(word)
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
