//! Conditions on the text of runs.

use protocol::query::words;

use super::common_words::CommonWords;
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
    place: Place,
    /// What the place must contain. Empty if the term has no words: it matches nothing.
    contained: Vec<String>,
    /// What the whole text contains if the term matches: the words that the index finds.
    indexed: Vec<String>,
    /// Some words of the term are too common for the index.
    has_common_words: bool,
}

impl TextClause {
    pub fn matches(&self, text: &str) -> bool {
        self.negated != self.terms.iter().any(|term| term.matches(text))
    }

    /// Returns false if no text can match a term: `name:—` among more names than are compared one by one.
    pub fn has_words(&self) -> bool {
        self.terms.iter().any(TextTerm::has_words)
    }

    /// Does not look for common words in the index, which lacks them.
    pub fn leave_out(&mut self, common: &CommonWords) {
        for term in &mut self.terms {
            let words = term.indexed.len();
            term.indexed.retain(|word| !common.contain(word));
            term.has_common_words = term.indexed.len() < words;
        }
    }

    /// Returns true if the index finds every run that matches.
    pub fn is_indexed(&self) -> bool {
        !self.negated && self.terms.iter().all(|term| !term.has_words() || !term.indexed.is_empty())
    }

    /// Returns true if the index finds a run with this text.
    pub fn is_in_index(&self, text: &str) -> bool {
        self.terms.iter().any(|term| contains_all(text, &term.indexed))
    }

    /// Returns true if every run that the index finds matches.
    pub fn is_exact_in_index(&self) -> bool {
        !self.negated && self.terms.iter().all(|term| term.place == Place::Anywhere && !term.has_common_words)
    }

    /// The expression that finds the runs in the word index.
    pub fn expression(&self, engine: Engine, workspace: WorkspaceId) -> String {
        let (and, or) = match engine {
            Engine::Sqlite => (" AND ", " OR "),
            Engine::Postgres => (" & ", " | "),
        };
        let term = |term: &TextTerm| {
            let word = |part: &String| {
                let word = indexed_word(workspace, part.trim());
                match (engine, part.ends_with(' ')) {
                    (Engine::Sqlite, true) => format!("\"{word}\""),
                    (Engine::Sqlite, false) => format!("\"{word}\"*"),
                    (Engine::Postgres, true) => format!("'{word}'"),
                    (Engine::Postgres, false) => format!("'{word}':*"),
                }
            };
            format!("({})", term.indexed.iter().map(word).collect::<Vec<_>>().join(and))
        };
        self.terms.iter().filter(|term| !term.indexed.is_empty()).map(term).collect::<Vec<_>>().join(or)
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
        // One word is also found in the results, whose words have no order.
        let place = if words.len() > 1 { Place::Parts } else { Place::Anywhere };
        let indexed: Vec<String> = words.iter().map(|word| format!(" {word} ")).collect();
        let contained = if words.is_empty() { Vec::new() } else { vec![format!(" {} ", words.join(" "))] };
        Self { place, contained, indexed, has_common_words: false }
    }

    fn with_beginning(text: &str, place: Place) -> Self {
        let words: Vec<String> = words(text).collect();
        let last = words.len().saturating_sub(1);
        let contained: Vec<String> = words
            .iter()
            .enumerate()
            .map(|(index, word)| if index == last { format!(" {word}") } else { format!(" {word} ") })
            .collect();
        Self { place, indexed: contained.clone(), contained, has_common_words: false }
    }

    fn has_words(&self) -> bool {
        !self.contained.is_empty()
    }

    fn matches(&self, text: &str) -> bool {
        contains_all(self.place.of(text), &self.contained)
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
        assert!(word.has_words() && !clause(false, TextTerm::name("—")).has_words());
    }

    #[test]
    fn common_words_are_not_looked_for_in_the_index() {
        let common = CommonWords::from_stored(" invoice ".to_owned());
        let clause = |terms: Vec<TextTerm>| {
            let mut clause = TextClause { negated: false, terms };
            clause.leave_out(&common);
            clause
        };
        for word in ["invoice", "invo", "i"] {
            assert!(!clause(vec![TextTerm::words(word)]).is_indexed(), "{word}");
        }
        assert!(!clause(vec![TextTerm::words("refu"), TextTerm::phrase("invoice")]).is_indexed());
        let rare = clause(vec![TextTerm::words("invoices")]);
        assert!(rare.is_indexed() && rare.is_exact_in_index());
        let both = clause(vec![TextTerm::words("refund-invoice")]);
        assert!(both.is_indexed() && !both.is_exact_in_index());
        assert_eq!(both.expression(Engine::Sqlite, WorkspaceId(7)), "(\"7§refund\")");
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
