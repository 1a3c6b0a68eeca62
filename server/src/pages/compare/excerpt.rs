//! Excerpts of two texts around their difference.

use app::model::compare::{Excerpt, Piece};

/// Characters of common text shown before and after the difference.
const AROUND_CHARS: usize = 160;

/// Returns excerpts of both texts around their difference, with at most `chars` characters of it. Short texts are
/// returned as they are.
pub fn excerpts(left: Option<&str>, right: Option<&str>, chars: usize) -> (Option<Excerpt>, Option<Excerpt>) {
    let (Some(one), Some(other)) = (left, right) else {
        let alone = |text: Option<&str>| text.map(|text| whole(text, chars));
        return (alone(left), alone(right));
    };
    if one == other {
        return (Some(whole(one, chars)), Some(whole(other, chars)));
    }
    let before = shared_start(one, other);
    let after = shared_end(&one[before..], &other[before..]);
    (Some(around(one, before, after, chars)), Some(around(other, before, after, chars)))
}

/// Returns the beginning of a text.
pub fn whole(text: &str, chars: usize) -> Excerpt {
    let text = beginning(text, chars);
    Excerpt(if text.is_empty() { Vec::new() } else { vec![Piece { text, differs: false }] })
}

fn around(text: &str, before: usize, after: usize, chars: usize) -> Excerpt {
    let end = text.len() - after;
    let pieces = [
        Piece { text: ending(&text[..before], AROUND_CHARS), differs: false },
        Piece { text: beginning(&text[before..end], chars), differs: true },
        Piece { text: beginning(&text[end..], AROUND_CHARS), differs: false },
    ];
    Excerpt(pieces.into_iter().filter(|piece| !piece.text.is_empty()).collect())
}

/// Returns the length in bytes of the common beginning, which ends before a word.
fn shared_start(one: &str, other: &str) -> usize {
    let differs = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b);
    let end = differs.map_or(one.len().min(other.len()), |((at, _), _)| at);
    // A word that continues in one of the texts is part of the difference.
    let within = [one, other].iter().any(|text| text[end..].starts_with(is_word));
    if within { one[..end].trim_end_matches(is_word).len() } else { end }
}

/// Returns the length in bytes of the common ending, which starts after a word.
fn shared_end(one: &str, other: &str) -> usize {
    let same = one.chars().rev().zip(other.chars().rev()).take_while(|(a, b)| a == b);
    let length: usize = same.map(|(c, _)| c.len_utf8()).sum();
    let within = [one, other].iter().any(|text| text[..text.len() - length].ends_with(is_word));
    if within { one[one.len() - length..].trim_start_matches(is_word).len() } else { length }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn beginning(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn ending(text: &str, chars: usize) -> String {
    match text.char_indices().nth_back(chars) {
        Some((at, c)) => format!("…{}", &text[at + c.len_utf8()..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The excerpts with the difference in brackets.
    fn shown(left: &str, right: &str) -> (String, String) {
        let text = |excerpt: Option<Excerpt>| {
            let pieces = excerpt.unwrap_or_default().0.into_iter();
            pieces.map(|Piece { text, differs }| if differs { format!("[{text}]") } else { text }).collect::<String>()
        };
        let (one, other) = excerpts(Some(left), Some(right), 20);
        (text(one), text(other))
    }

    #[test]
    fn a_late_difference_is_in_the_excerpt() {
        let long = "word ".repeat(200);
        let (one, other) = shown(&format!("{long}Use EUR. {long}"), &format!("{long}Use USD. {long}"));
        assert!(one.starts_with('…') && one.contains("Use [EUR]. word") && one.ends_with('…'), "{one}");
        assert!(other.contains("Use [USD]. word"), "{other}");
    }

    #[test]
    fn whole_words_differ_and_missing_text_is_empty() {
        assert_eq!(shown("total 120", "total 125"), ("total [120]".to_owned(), "total [125]".to_owned()));
        assert_eq!(shown("a c", "a b c"), ("a c".to_owned(), "a [b ]c".to_owned()));
        assert_eq!(shown("aa", "aaa"), ("[aa]".to_owned(), "[aaa]".to_owned()));
        assert_eq!(shown("größer", "größte"), ("[größer]".to_owned(), "[größte]".to_owned()));
        assert_eq!(shown("same", "same"), ("same".to_owned(), "same".to_owned()));
        assert_eq!(shown("", "x"), (String::new(), "[x]".to_owned()));
        let (one, _) = shown(&"x".repeat(50), "y");
        assert_eq!(one, format!("[{}…]", "x".repeat(20)));
    }
}
