//! Texts as words, in the form in which they are searched.
//!
//! ```text
//!  name ⏎ agent ⏎ part ⏎ part … | words of tool results      each word between spaces: « late delivery »
//! ```
//!
//! So a phrase, a word or the beginning of a word is one substring: `" late delivery "`, `" late "`, `" la"`.

use std::collections::HashSet;

use protocol::query::words;

use crate::store::log_summary::truncate;

/// Indexed of each part of a run's text. The log has the rest.
const MAX_PART_BYTES: usize = 32 * 1024;
/// Indexed of all parts together.
const MAX_PARTS_BYTES: usize = 192 * 1024;
const END_OF_PART: char = '\n';
/// Begins the words of results.
pub(super) const RESULTS: char = '|';

/// The words of a text, each between spaces. Empty if there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct Words(String);

impl Words {
    pub fn of(text: &str) -> Self {
        let mut line = String::new();
        for word in words(truncate(text, MAX_PART_BYTES)) {
            line.push(' ');
            line.push_str(&word);
        }
        if !line.is_empty() {
            line.push(' ');
        }
        Self(line)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split(' ').filter(|word| !word.is_empty())
    }
}

/// The words of a log. They are split before the transaction that writes them, because other writers wait for it.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct LogWords {
    pub answer: Words,
    pub error: Words,
    /// Names and arguments of tool calls.
    pub calls: Words,
    /// The beginnings of tool results: each word once, without those of answer and calls.
    results: String,
}

impl LogWords {
    pub fn new(answer: &str, error: &str, calls: &str, results: &str) -> Self {
        let (answer, error, calls) = (Words::of(answer), Words::of(error), Words::of(calls));
        let known: HashSet<&str> = answer.iter().chain(calls.iter()).collect();
        let mut new: Vec<String> = words(results).filter(|word| !known.contains(word.as_str())).collect();
        new.sort_unstable();
        new.dedup();
        let results = new.iter().flat_map(|word| [" ", word]).collect();
        Self { answer, error, calls, results }
    }
}

/// The words of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct SearchedText(String);

impl SearchedText {
    pub fn new(name: &Words, agent: &Words) -> Self {
        let mut text = Self(String::new());
        text.push(name);
        text.push(agent);
        text
    }

    /// Adds a part. No phrase spans two parts.
    pub fn push(&mut self, part: &Words) {
        if self.0.len() + part.0.len() <= MAX_PARTS_BYTES {
            self.0.push_str(&part.0);
            self.0.push(END_OF_PART);
        }
    }

    /// Adds the words of the results. Nothing can be added after them.
    pub fn push_results(&mut self, log: &LogWords) {
        if !log.results.is_empty() {
            self.0.push(RESULTS);
            self.0.push_str(&log.results);
            self.0.push(' ');
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn words(&self) -> impl Iterator<Item = &str> {
        words_of(&self.0)
    }
}

pub(super) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', END_OF_PART, RESULTS]).filter(|word| !word.is_empty())
}

/// A part of a searched text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Anywhere,
    /// In all but the results of tools.
    Parts,
    Name,
    Agent,
}

impl Place {
    pub fn of(self, text: &str) -> &str {
        let parts = || text.split(END_OF_PART);
        match self {
            Self::Anywhere => text,
            Self::Parts => text.split(RESULTS).next().unwrap_or(""),
            Self::Name => parts().next().unwrap_or(""),
            Self::Agent => parts().nth(1).unwrap_or(""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_its_places() {
        let mut text = SearchedText::new(&Words::of("Bill-run"), &Words::of(""));
        text.push(&Words::of("Invoice #12"));
        text.push(&Words::of("—"));
        text.push(&Words::of("paid"));
        let log = LogWords::new("Paid in full.", "", "list_invoices 345", "345 open, 12 paid, 7 open");
        text.push_results(&log);
        assert_eq!(text.as_str(), " bill run \n\n invoice 12 \n\n paid \n| 12 7 open ");
        assert_eq!(text.words().collect::<Vec<_>>(), ["bill", "run", "invoice", "12", "paid", "12", "7", "open"]);
        let place = |place: Place| place.of(text.as_str());
        assert_eq!((place(Place::Name), place(Place::Agent)), (" bill run ", ""));
        assert_eq!(place(Place::Parts), " bill run \n\n invoice 12 \n\n paid \n");
    }

    #[test]
    fn long_texts_are_limited() {
        let long = Words::of(&"word ".repeat(20_000));
        let mut text = SearchedText::new(&Words::of("name"), &Words::of(""));
        for _ in 0..20 {
            text.push(&long);
        }
        text.push(&Words::of("end"));
        assert!(text.as_str().len() < MAX_PARTS_BYTES && text.as_str().ends_with(" end \n"));
    }
}
