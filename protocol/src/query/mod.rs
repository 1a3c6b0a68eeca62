//! The filter bar's language: `status:failed customer:acme,globex -env:dev duration:>30s since:2h "free text"`.
//!
//! ```text
//!  text ──lexer──▶ pieces (sign, key, values, each with its place) ──parse──▶ Query ──print──▶ text
//! ```
//!
//! Clauses are ANDed; values after commas are alternatives; `-` excludes. A bare `key:value` that is no reserved word is
//! metadata, `metadata.key:value` always is. A word without a colon, or a quotation, is looked for in the text of runs.
//! What cannot be read is an error with its place, never a filter that matches nothing or everything.

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
pub use time::{Unit, When};
pub use words::{MAX_WORD_BYTES, words};

use crate::RunStatus;

/// The longest text read, in bytes.
pub const MAX_QUERY_BYTES: usize = 2_000;
/// The most clauses, and the most alternatives in one.
pub const MAX_CLAUSES: usize = 32;

/// The states that a session can be in.
pub const SESSION_STATUSES: [&str; 2] = ["active", "ended"];

/// Words before a colon that are not metadata keys, in any case of letters.
pub const RESERVED: [&str; 19] = [
    "status", "model", "agent", "session", "tool", "error", "is", "has", "id", "duration", "tokens", "cost", "turns",
    "calls", "since", "before", "after", "name", "text",
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub clauses: Vec<Clause>,
}

/// What is wrong with a query, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// Byte offsets into the text.
    pub at: Range<usize>,
    /// Where that begins as a person counts: in characters, from 1.
    pub character: usize,
    pub message: String,
}

/// What is wrong, before it is known what a person calls the place.
struct Fault {
    at: Range<usize>,
    message: String,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at character {})", self.message, self.character)
    }
}

impl Query {
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        Self::read(text, parse::Subject::Runs)
    }

    /// Reads a filter of sessions, which have states of their own.
    pub fn parse_for_sessions(text: &str) -> Result<Self, QueryError> {
        Self::read(text, parse::Subject::Sessions)
    }

    fn read(text: &str, subject: parse::Subject) -> Result<Self, QueryError> {
        parse::query(text, subject).map_err(|Fault { at, message }| {
            let character = text.get(..at.start).map_or(0, |before| before.chars().count()) + 1;
            QueryError { at, character, message }
        })
    }

    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    /// This query without one of its clauses.
    pub fn without(&self, index: usize) -> Self {
        let mut clauses = self.clauses.clone();
        clauses.remove(index);
        Self { clauses }
    }

    /// This query with a clause more, unless it is there already.
    pub fn with(&self, term: Term) -> Self {
        let mut query = self.clone();
        query.push(Clause::from(term));
        query
    }

    /// The one status asked for, where exactly one is.
    pub fn status(&self) -> Option<RunStatus> {
        self.clauses.iter().find_map(|clause| match clause.term {
            Term::Status(status) if !clause.negated && clause.or.is_empty() => Some(status),
            _ => None,
        })
    }

    fn push(&mut self, clause: Clause) {
        if !self.clauses.contains(&clause) {
            self.clauses.push(clause);
        }
    }
}

/// Whether a word means something other than metadata before a colon.
fn is_reserved(key: &str) -> bool {
    RESERVED.iter().any(|word| word.eq_ignore_ascii_case(key))
}

#[cfg(test)]
mod tests;
