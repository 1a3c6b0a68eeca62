//! Excerpts of two texts around their difference.

use app::model::compare::{Excerpt, Piece};

use crate::masking::masked;

/// Characters of common text shown before and after the difference.
const AROUND_CHARS: usize = 160;

/// Compared words of one text times those of the other. Between longer texts everything differs.
const MAX_COMPARISONS: usize = 2_000 * 2_000;

/// Texts of at least so many words are only marked if they have much in common. Otherwise nearly everything would be.
const MANY_WORDS: usize = 8;

/// Returns excerpts of both texts around their differences, with at most `chars` characters from the first one on. Short
/// texts are returned as they are.
pub fn excerpts(left: Option<&str>, right: Option<&str>, chars: usize) -> (Option<Excerpt>, Option<Excerpt>) {
    let (left, right) = (left.map(masked), right.map(masked));
    let (Some(one), Some(other)) = (left.as_deref(), right.as_deref()) else {
        let alone = |text: Option<&str>| text.map(|text| whole(text, chars));
        return (alone(left.as_deref()), alone(right.as_deref()));
    };
    if one == other {
        return (Some(whole(one, chars)), Some(whole(other, chars)));
    }
    let before = shared_start(one, other);
    let after = shared_end(&one[before..], &other[before..]);
    let between = |text: &str| beginning(&text[before..text.len() - after], chars);
    let (left, right) = compare_words(&between(one), &between(other));
    (Some(around(one, before, after, left)), Some(around(other, before, after, right)))
}

/// Returns the beginning of a text.
pub fn whole(text: &str, chars: usize) -> Excerpt {
    let text = beginning(&masked(text), chars);
    Excerpt(if text.is_empty() { Vec::new() } else { vec![Piece { text, differs: false }] })
}

fn around(text: &str, before: usize, after: usize, between: Vec<Piece>) -> Excerpt {
    let start = Piece { text: ending(&text[..before], AROUND_CHARS), differs: false };
    let end = Piece { text: beginning(&text[text.len() - after..], AROUND_CHARS), differs: false };
    let pieces = [start].into_iter().chain(between).chain([end]);
    Excerpt(pieces.filter(|piece| !piece.text.is_empty()).collect())
}

/// Divides both texts into pieces that differ and pieces that they have in common, by their longest common sequence of
/// words.
fn compare_words(one: &str, other: &str) -> (Vec<Piece>, Vec<Piece>) {
    let (left, right) = (split_words(one), split_words(other));
    let (mut left_differs, mut right_differs) = (vec![true; left.len()], vec![true; right.len()]);
    if left.len() * right.len() <= MAX_COMPARISONS {
        let is_same = |i: usize, j: usize| left[i].trim_end() == right[j].trim_end();
        // The length of the longest common sequence of the words from `i` and from `j` on.
        let width = right.len() + 1;
        let mut lengths = vec![0_u32; (left.len() + 1) * width];
        for i in (0..left.len()).rev() {
            for j in (0..right.len()).rev() {
                lengths[i * width + j] = match is_same(i, j) {
                    true => lengths[(i + 1) * width + j + 1] + 1,
                    false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < left.len() && j < right.len() {
            if is_same(i, j) {
                (left_differs[i], right_differs[j]) = (false, false);
                (i, j) = (i + 1, j + 1);
            } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    let shared = left_differs.iter().filter(|differs| !**differs).count();
    let (fewest, most) = (left.len().min(right.len()), left.len().max(right.len()));
    if fewest >= MANY_WORDS && shared * 2 < most {
        (left_differs, right_differs) = (vec![false; left.len()], vec![false; right.len()]);
    }
    (joined(&left, &left_differs), joined(&right, &right_differs))
}

/// Joins neighbours that both differ, or both don't.
fn joined(words: &[&str], differs: &[bool]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (word, differs) in words.iter().zip(differs) {
        match pieces.last_mut().filter(|piece| piece.differs == *differs) {
            Some(piece) => piece.text.push_str(word),
            None => pieces.push(Piece { text: (*word).to_owned(), differs: *differs }),
        }
    }
    pieces
}

/// Splits a text before each word.
fn split_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut in_word) = (0, false);
    for (at, c) in text.char_indices() {
        if is_word(c) && !in_word && at > start {
            words.push(&text[start..at]);
            start = at;
        }
        in_word = is_word(c);
    }
    words.push(&text[start..]);
    words.retain(|word| !word.is_empty());
    words
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
    fn common_words_between_differences_are_not_marked() {
        assert_eq!(
            shown("Pay 10 EUR on Monday at noon", "Pay 20 EUR on Friday at noon"),
            ("Pay [10 ]EUR on [Monday] at noon".to_owned(), "Pay [20 ]EUR on [Friday] at noon".to_owned())
        );
        assert_eq!(shown("x a b y", "z b c w"), ("[x a ]b [y]".to_owned(), "[z ]b [c w]".to_owned()));
    }

    #[test]
    fn long_texts_with_little_in_common_are_not_marked() {
        let one = "Memory has no exception for Stark Industries, so the general policy applies";
        let other = "This is severity two: a team is blocked, no data is lost, answer within two hours";
        let (left, right) = excerpts(Some(one), Some(other), 200);
        let marked = |excerpt: Option<Excerpt>| excerpt.unwrap_or_default().0.into_iter().any(|piece| piece.differs);
        assert!(!marked(left) && !marked(right));
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
