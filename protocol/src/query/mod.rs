//! The query language of the filter bar: `status:failed customer:acme,globex -env:dev duration:>30s since:2h "free text"`.
//!
//! ```text
//!  text ──lexer──▶ tokens (sign, key, values, each with its position) ──parse──▶ Query ──print──▶ text
//! ```
//!
//! Clauses are ANDed; values after commas are alternatives; `-` excludes. A `key:value` whose key is no reserved word is
//! metadata; `metadata.key:value` always is. A word without a colon is the beginning of a word in the text of runs, a quoted
//! text is a phrase in it. Syntax errors are reported with their positions; none ever becomes a filter that matches nothing or
//! everything.
//!
//! To add a word: add it to [`RESERVED`] and a variant to [`Term`], [`Field`], [`Is`], [`Has`] or [`Measure`]; parse it in
//! `parse.rs` and print it in `print.rs`; add it to the tables of `tests.rs`. The compiler then points to the store's SQL.

mod amount;
mod clause;
mod hints;
mod lexer;
mod parse;
mod print;
mod time;
mod words;

use std::fmt;
use std::ops::Range;

pub use clause::{Bound, Clause, Comparison, Field, Has, Is, Measure, Term};
pub use hints::nearest;
pub(crate) use time::moment;
pub use time::{Unit, When};
use words::MAX_WORD_BYTES;
pub use words::words;

/// The longest query, in bytes.
const MAX_QUERY_BYTES: usize = 2_000;
/// The most clauses, and the most alternatives in one.
const MAX_CLAUSES: usize = 32;

/// The statuses of sessions.
pub const SESSION_STATUSES: [&str; 2] = ["active", "ended"];

/// Words before a colon that are not metadata keys, in any case.
pub const RESERVED: [&str; 23] = [
    "status",
    "model",
    "agent",
    "session",
    "tool",
    "error",
    "group",
    "is",
    "has",
    "id",
    "duration",
    "tokens",
    "cost",
    "turns",
    "calls",
    "waited",
    "slowest-tool",
    "failed-tool",
    "since",
    "before",
    "after",
    "name",
    "text",
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub clauses: Vec<Clause>,
}

/// A syntax error in a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// Byte offsets into the text.
    pub at: Range<usize>,
    /// The position for people: in characters, from 1.
    pub character: usize,
    pub message: String,
}

/// A syntax error without the position for people.
struct SyntaxError {
    at: Range<usize>,
    message: String,
}

impl SyntaxError {
    fn in_text(self, text: &str) -> QueryError {
        let Self { at, message } = self;
        let character = text.get(..at.start).map_or(0, |before| before.chars().count()) + 1;
        QueryError { at, character, message }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at character {})", self.message, self.character)
    }
}

impl Query {
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        Self::parse_as(text, parse::Subject::Runs)
    }

    /// Parses a filter of sessions, which have other statuses than runs.
    pub fn parse_for_sessions(text: &str) -> Result<Self, QueryError> {
        Self::parse_as(text, parse::Subject::Sessions)
    }

    /// Returns all errors of a filter of runs, in the order of the text.
    pub fn errors(text: &str) -> Vec<QueryError> {
        Self::errors_as(text, parse::Subject::Runs)
    }

    /// Returns all errors of a filter of sessions, in the order of the text.
    pub fn errors_for_sessions(text: &str) -> Vec<QueryError> {
        Self::errors_as(text, parse::Subject::Sessions)
    }

    /// Parses the parts of a filter of runs that have no error.
    pub fn valid_parts(text: &str) -> Self {
        parse::query_and_errors(text, parse::Subject::Runs).0
    }

    fn parse_as(text: &str, subject: parse::Subject) -> Result<Self, QueryError> {
        parse::query(text, subject).map_err(|error| error.in_text(text))
    }

    fn errors_as(text: &str, subject: parse::Subject) -> Vec<QueryError> {
        let (_, errors) = parse::query_and_errors(text, subject);
        errors.into_iter().map(|error| error.in_text(text)).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    /// Returns the query without one of its clauses.
    pub fn without(&self, index: usize) -> Self {
        let mut clauses = self.clauses.clone();
        clauses.remove(index);
        Self { clauses }
    }

    /// Returns the query with one more clause, unless it has it already.
    pub fn with(&self, term: Term) -> Self {
        let mut query = self.clone();
        query.push(Clause::from(term));
        query
    }

    /// Returns whether a clause that includes runs has this term, alone or as an alternative.
    pub fn includes(&self, term: &Term) -> bool {
        self.clauses.iter().any(|clause| !clause.negated && clause.terms().any(|known| known == term))
    }

    /// Returns the query with a term if it does not include it, else without it. A term of a key that the query has becomes
    /// an alternative of that clause: `env:prod` with `env:dev` is `env:prod,dev`.
    pub fn toggled(&self, term: Term) -> Self {
        let mut query = self.clone();
        if self.includes(&term) {
            for clause in query.clauses.iter_mut().filter(|clause| !clause.negated) {
                let terms: Vec<Term> = clause.terms().filter(|known| **known != term).cloned().collect();
                let mut terms = terms.into_iter();
                if let Some(first) = terms.next() {
                    (clause.term, clause.or) = (first, terms.collect());
                }
            }
            query.clauses.retain(|clause| clause.negated || clause.term != term);
            return query;
        }
        match query.clauses.iter_mut().find(|clause| !clause.negated && clause.term.has_key_of(&term)) {
            Some(clause) => clause.or.push(term),
            None => query.push(Clause::from(term)),
        }
        query
    }

    fn push(&mut self, clause: Clause) {
        if !self.clauses.contains(&clause) {
            self.clauses.push(clause);
        }
    }
}

/// Returns whether a word before a colon is something other than a metadata key.
fn is_reserved(key: &str) -> bool {
    RESERVED.iter().any(|word| word.eq_ignore_ascii_case(key))
}

#[cfg(test)]
mod tests;
