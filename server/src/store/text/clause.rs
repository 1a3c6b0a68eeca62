//! Conditions on the text of runs.

use protocol::query::words;

use super::indexed_word;
use super::words::Place;
use crate::store::{Engine, WorkspaceId};

/// One of the terms must match, or none of them.
#[derive(Clone, Debug)]
pub(in crate::store) struct TextClause {
    pub negated: bool,
    pub terms: Vec<TextTerm>,
}

/// Words in a place of the text.
#[derive(Clone, Debug)]
pub(in crate::store) struct TextTerm {
    words: Vec<String>,
    /// The last word is the beginning of one.
    ends_with_beginning: bool,
    place: Place,
    /// What the place must contain.
    contained: Vec<String>,
    /// What the whole text contains if the term matches: the words that the index finds.
    indexed: Vec<String>,
}

impl TextClause {
    pub fn matches(&self, text: &str) -> bool {
        self.negated != self.terms.iter().any(|term| term.matches(text))
    }

    /// Returns true if the index finds a run with this text.
    pub fn is_in_index(&self, text: &str) -> bool {
        self.terms.iter().any(|term| contains_all(text, &term.indexed))
    }

    /// Returns true if every run that the index finds matches.
    pub fn is_exact_in_index(&self) -> bool {
        !self.negated && self.terms.iter().all(|term| term.place == Place::Anywhere)
    }

    /// The expression that finds the runs in the word index.
    pub fn expression(&self, engine: Engine, workspace: WorkspaceId) -> String {
        let (and, or) = match engine {
            Engine::Sqlite => (" AND ", " OR "),
            Engine::Postgres => (" & ", " | "),
        };
        let term = |term: &TextTerm| {
            let last = term.words.len().saturating_sub(1);
            let word = |(index, word): (usize, &String)| {
                let word = indexed_word(workspace, word);
                match (engine, term.ends_with_beginning && index == last) {
                    (Engine::Sqlite, false) => format!("\"{word}\""),
                    (Engine::Sqlite, true) => format!("\"{word}\"*"),
                    (Engine::Postgres, false) => format!("'{word}'"),
                    (Engine::Postgres, true) => format!("'{word}':*"),
                }
            };
            format!("({})", term.words.iter().enumerate().map(word).collect::<Vec<_>>().join(and))
        };
        self.terms.iter().filter(|term| !term.words.is_empty()).map(term).collect::<Vec<_>>().join(or)
    }
}

impl TextTerm {
    /// Words anywhere; the last one is the beginning of a word.
    pub fn words(text: &str) -> Self {
        Self::with_beginning(text, Place::Anywhere)
    }

    /// Words of a run's name, like [`TextTerm::words`].
    pub fn name(text: &str) -> Self {
        Self::with_beginning(text, Place::Name)
    }

    /// Words of an agent's id, like [`TextTerm::words`].
    pub fn agent(text: &str) -> Self {
        Self::with_beginning(text, Place::Agent)
    }

    /// Whole words that follow each other.
    pub fn phrase(text: &str) -> Self {
        let words: Vec<String> = words(text).collect();
        let contained = vec![format!(" {} ", words.join(" "))];
        // One word is also found in the results, whose words have no order.
        let place = if words.len() > 1 { Place::Parts } else { Place::Anywhere };
        let indexed = words.iter().map(|word| format!(" {word} ")).collect();
        Self { words, ends_with_beginning: false, place, contained, indexed }
    }

    fn with_beginning(text: &str, place: Place) -> Self {
        let words: Vec<String> = words(text).collect();
        let last = words.len().saturating_sub(1);
        let contained: Vec<String> = words
            .iter()
            .enumerate()
            .map(|(index, word)| if index == last { format!(" {word}") } else { format!(" {word} ") })
            .collect();
        Self { words, ends_with_beginning: true, place, indexed: contained.clone(), contained }
    }

    /// A term without words matches nothing.
    fn matches(&self, text: &str) -> bool {
        !self.words.is_empty() && contains_all(self.place.of(text), &self.contained)
    }
}

fn contains_all(text: &str, parts: &[String]) -> bool {
    !parts.is_empty() && parts.iter().all(|part| text.contains(part.as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::words::{LogWords, SearchedText, Words};
    use super::*;

    fn text() -> String {
        let mut text = SearchedText::new(&Words::of("research-brief"), &Words::of("desk"));
        text.push(&Words::of("Late delivery"));
        text.push(&Words::of("of parcels"));
        text.push_results(&LogWords::new("", "", "", "refund policy A123"));
        text.as_str().to_owned()
    }

    #[test]
    fn words_are_beginnings_and_phrases_are_exact() {
        let text = text();
        for term in ["late", "LAT", "research-bri", "brief-research", "refu", "a12", "parcels late"] {
            assert!(TextTerm::words(term).matches(&text), "{term}");
        }
        for term in ["elivery", "brie-research", "a1234", "—", "late x"] {
            assert!(!TextTerm::words(term).matches(&text), "{term}");
        }
        for (phrase, matches) in [
            ("late delivery", true),
            ("late deliver", false),
            ("delivery of", false),
            ("policy", true),
            ("polic", false),
            ("refund policy", false),
            ("—", false),
        ] {
            assert_eq!(TextTerm::phrase(phrase).matches(&text), matches, "{phrase}");
        }
        assert!(TextTerm::name("bri").matches(&text) && !TextTerm::name("late").matches(&text));
        assert!(TextTerm::agent("desk").matches(&text) && !TextTerm::agent("brief").matches(&text));
    }

    #[test]
    fn the_index_finds_at_least_the_runs_that_match() {
        let text = text();
        let clause = |negated, term: TextTerm| TextClause { negated, terms: vec![term] };
        let phrase = clause(false, TextTerm::phrase("delivery late"));
        assert!(!phrase.matches(&text) && phrase.is_in_index(&text) && !phrase.is_exact_in_index());
        let name = clause(false, TextTerm::name("late"));
        assert!(!name.matches(&text) && name.is_in_index(&text) && !name.is_exact_in_index());
        let word = clause(false, TextTerm::words("late"));
        assert!(word.matches(&text) && word.is_in_index(&text) && word.is_exact_in_index());
        assert!(!clause(true, TextTerm::words("late")).matches(&text));
    }

    #[test]
    fn expressions_are_bound_to_a_workspace() {
        let terms = vec![TextTerm::words("bill-ru"), TextTerm::phrase("in full"), TextTerm::words("—")];
        let clause = TextClause { negated: false, terms };
        let expression = |engine| clause.expression(engine, WorkspaceId(7));
        assert_eq!(expression(Engine::Sqlite), "(\"7§bill\" AND \"7§ru\"*) OR (\"7§in\" AND \"7§full\")");
        assert_eq!(expression(Engine::Postgres), "('7§bill' & '7§ru':*) | ('7§in' & '7§full')");
    }
}
