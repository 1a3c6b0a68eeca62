//! Words as the text index knows them. Both databases are given these, so that they find the same runs.

/// Longer words are encodings of something, not words: they are neither kept nor looked for.
pub const MAX_WORD_BYTES: usize = 64;

/// The words of a text in order, in small letters, without those that are too long. Scripts that do not put spaces between words count by character.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut chars = text.chars().peekable();
    let all = std::iter::from_fn(move || {
        while chars.next_if(|c| !c.is_alphanumeric()).is_some() {}
        let first = chars.next()?;
        let mut word: String = first.to_lowercase().collect();
        if stands_alone(first) {
            return Some(word);
        }
        while let Some(c) = chars.next_if(|c| c.is_alphanumeric() && !stands_alone(*c)) {
            word.extend(c.to_lowercase());
        }
        Some(word)
    });
    all.filter(|word| word.len() <= MAX_WORD_BYTES)
}

/// Kana, Han and Thai.
fn stands_alone(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3134f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_stands_between_other_signs() {
        let read = |text| words(text).collect::<Vec<_>>().join(" ");
        assert_eq!(read("  GPT-5.5: Überprüfung_x  "), "gpt 5 5 überprüfung x");
        assert_eq!(read("東京 tower"), "東 京 tower");
        assert_eq!(read("--- !"), "");
        assert_eq!(read(&format!("a {} b {}", "x".repeat(64), "x".repeat(65))), format!("a {} b", "x".repeat(64)));
    }
}
