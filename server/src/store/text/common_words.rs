//! Words that very many runs of a workspace have.
//!
//! ```text
//!  searched text   … | 12 345 invoice order        stored   … | 12 345 #1
//! ```
//!
//! The common words of results are stored as one bit each, in the order of the list, six bits a character. They have no order, and
//! as words they would be most of the text.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::words::{RESULTS, words_of};

/// A word that one in this many runs has is common: a walk finds a page of them in some hundred runs.
const RUNS_PER_COMMON: usize = 4;
/// Begins the bits. Words have only letters and digits.
const BITS: char = '#';
const BITS_PER_CHAR: usize = 6;
const FIRST_CHAR: u8 = b'0';

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct CommonWords {
    /// The words, each between spaces.
    text: String,
    words: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl CommonWords {
    /// The words that at least one in [`RUNS_PER_COMMON`] texts has, without some.
    pub fn of<T: AsRef<str>>(texts: &[T], without: &HashSet<String>) -> Self {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for text in texts {
            let words: HashSet<&str> = words_of(text.as_ref()).collect();
            words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
        }
        let is_common =
            |(word, runs): &(&str, usize)| *runs * RUNS_PER_COMMON >= texts.len() && !without.contains(*word);
        let words: String = counts.into_iter().filter(is_common).flat_map(|(word, _)| [" ", word]).collect();
        Self::from_stored(words + " ")
    }

    pub fn from_stored(text: String) -> Self {
        let words: Vec<String> = words_of(&text).map(str::to_owned).collect();
        let numbers = words.iter().enumerate().map(|(number, word)| (word.clone(), number)).collect();
        Self { text, words, numbers }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Takes a word between spaces, or the beginning of one after a space.
    pub fn contain(&self, word: &str) -> bool {
        self.text.contains(word)
    }

    pub fn contain_word(&self, word: &str) -> bool {
        self.numbers.contains_key(word)
    }

    /// The text of a run as it is stored.
    pub fn shorten<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some((parts, results)) = text.split_once(RESULTS) else { return text.into() };
        let mut bits = vec![0; self.words.len().div_ceil(BITS_PER_CHAR)];
        let mut short = format!("{parts}{RESULTS} ");
        for word in words_of(results) {
            if let Some(number) = self.numbers.get(word) {
                bits[number / BITS_PER_CHAR] |= 1 << (number % BITS_PER_CHAR);
            } else {
                short.push_str(word);
                short.push(' ');
            }
        }
        if bits.iter().all(|bits| *bits == 0) {
            return text.into();
        }
        short.push(BITS);
        short.extend(bits.iter().map(|bits: &u8| char::from(FIRST_CHAR + bits)));
        short.into()
    }

    /// The text of a run from what is stored.
    pub fn expand<'a>(&self, stored: &'a str) -> Cow<'a, str> {
        let Some((text, bits)) = stored.split_once(BITS) else { return stored.into() };
        let mut text = text.to_owned();
        for (char, words) in bits.bytes().zip(self.words.chunks(BITS_PER_CHAR)) {
            let bits = char.wrapping_sub(FIRST_CHAR);
            for (_, word) in words.iter().enumerate().filter(|(bit, _)| bits & (1 << bit) != 0) {
                text.push_str(word);
                text.push(' ');
            }
        }
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_common_if_a_quarter_of_the_texts_have_it() {
        let texts = [" order late \n", " order order \n", " order \n| 12 ", " order \n| 12 13 ", " x \n", " y \n"];
        let common = CommonWords::of(&texts, &HashSet::new());
        assert_eq!(common.words, ["12", "order"]);
        assert_eq!(CommonWords::of(&texts, &HashSet::from(["12".to_owned()])).as_str(), " order ");
        assert!(common.contain(" order ") && common.contain(" ord") && !common.contain(" rder "));
        assert!(common.contain_word("order") && !common.contain_word("ord"));
        assert!(!CommonWords::default().contain(" order "));
    }

    #[test]
    fn common_words_of_results_are_stored_as_bits() {
        let common = CommonWords::from_stored(" a b c d e f g h ".to_owned());
        let text = " a b \n\n| 12 c h x ";
        let short = common.shorten(text);
        assert_eq!(short, " a b \n\n| 12 x #42");
        assert_eq!(common.expand(&short), " a b \n\n| 12 x c h ");
        for same in [" a b \n\n| 12 x ", " a b \n\n", ""] {
            assert!(matches!(common.shorten(same), Cow::Borrowed(short) if short == same), "{same}");
            assert!(matches!(common.expand(same), Cow::Borrowed(text) if text == same), "{same}");
        }
        // All of them, and none.
        assert_eq!(common.expand(&common.shorten("| a b c d e f g h ")), "| a b c d e f g h ");
        assert_eq!(CommonWords::default().shorten(text), text);
    }
}
