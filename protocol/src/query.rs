//! The filter bar's language: `status:failed customer:acme -env:dev`.
//!
//! A bare `key:value` that is no reserved word is metadata; `metadata.key:value` always is. Clauses are ANDed. A value
//! with spaces is quoted. What cannot be read is an error with its position, never a filter that matches nothing.

use std::fmt;

use crate::{RunStatus, ids};

/// The longest text read, in bytes.
pub const MAX_QUERY_BYTES: usize = 2_000;
const MAX_CLAUSES: usize = 32;

/// Words that are not metadata keys, whether or not they can be filtered by yet.
const RESERVED: [&str; 19] = [
    "status", "model", "agent", "session", "tool", "error", "is", "has", "id", "duration", "tokens", "cost", "turns",
    "calls", "since", "before", "after", "name", "text",
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub clauses: Vec<Clause>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    pub negated: bool,
    pub term: Term,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    Status(RunStatus),
    Metadata { key: String, value: String },
}

/// What is wrong with a query, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// Byte offsets into the text.
    pub at: std::ops::Range<usize>,
    pub message: String,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at character {})", self.message, self.at.start + 1)
    }
}

impl Query {
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        if text.len() > MAX_QUERY_BYTES {
            return Err(QueryError {
                at: 0..text.len(),
                message: format!("This filter is longer than {MAX_QUERY_BYTES} characters. Remove some of it."),
            });
        }
        let mut clauses = Vec::new();
        let mut rest = Cursor { text, at: 0 };
        while let Some(clause) = rest.clause()? {
            if clauses.len() == MAX_CLAUSES {
                return Err(QueryError {
                    at: rest.at..text.len(),
                    message: format!("A filter may have at most {MAX_CLAUSES} parts."),
                });
            }
            if !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
        Ok(Self { clauses })
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
        let clause = Clause { negated: false, term };
        let mut clauses = self.clauses.clone();
        if !clauses.contains(&clause) {
            clauses.push(clause);
        }
        Self { clauses }
    }

    /// The one status asked for, where exactly one is.
    pub fn status(&self) -> Option<RunStatus> {
        self.clauses.iter().find_map(|clause| match clause.term {
            Term::Status(status) if !clause.negated => Some(status),
            _ => None,
        })
    }
}

impl Term {
    pub fn metadata(key: &str, value: &str) -> Self {
        Self::Metadata { key: key.to_owned(), value: value.to_owned() }
    }

    /// Reads `key:value` as metadata, whatever the key.
    pub fn parse_metadata(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some((key, value)) if ids::is_metadata_key(key.trim()) && !value.trim().is_empty() => {
                Ok(Self::metadata(key.trim(), value.trim()))
            }
            Some((key, _)) if !ids::is_metadata_key(key.trim()) => {
                Err("Metadata keys may use letters, digits, dot, _ and -, at most 64.".to_owned())
            }
            _ => Err("Write metadata as key:value, for example customer:acme.".to_owned()),
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, clause) in self.clauses.iter().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            clause.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negated {
            f.write_str("-")?;
        }
        match &self.term {
            Term::Status(status) => write!(f, "status:{}", status.as_str()),
            Term::Metadata { key, value } => {
                let prefix = if RESERVED.contains(&key.as_str()) || key.starts_with("metadata.") || key.starts_with('-')
                {
                    "metadata."
                } else {
                    ""
                };
                let plain = value.chars().all(|c| !c.is_whitespace() && !matches!(c, '"' | '\\' | ','));
                if plain && !value.is_empty() {
                    write!(f, "{prefix}{key}:{value}")
                } else {
                    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
                    write!(f, "{prefix}{key}:\"{escaped}\"")
                }
            }
        }
    }
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl Cursor<'_> {
    fn clause(&mut self) -> Result<Option<Clause>, QueryError> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        let start = self.at;
        if start == self.text.len() {
            return Ok(None);
        }
        let negated = self.eat('-');
        let key_start = self.at;
        let key = self.take_while(|c| !c.is_whitespace() && !matches!(c, ':' | '"'));
        if !self.eat(':') {
            self.take_while(|c| !c.is_whitespace());
            return Err(self.error(start, "Write each part as key:value, for example status:failed or customer:acme."));
        }
        let value_start = self.at;
        let value = self.value()?;
        if value.is_empty() {
            return Err(self.error(start, format!("`{key}:` needs a value.")));
        }
        let term = match key.strip_prefix("metadata.") {
            Some(name) => self.metadata(key_start, name, value)?,
            None if key == "status" => match RunStatus::parse(&value) {
                Some(status) => Term::Status(status),
                None => {
                    let known = RunStatus::ALL.map(RunStatus::as_str).join(", ");
                    return Err(self.error(value_start, format!("There is no status `{value}`. Use one of {known}.")));
                }
            },
            None if RESERVED.contains(&key.as_str()) => {
                let message = format!(
                    "Filtering by `{key}` is not available. For a metadata key of that name write metadata.{key}:{value}."
                );
                return Err(self.error(key_start, message));
            }
            None => self.metadata(key_start, &key, value)?,
        };
        Ok(Some(Clause { negated, term }))
    }

    fn metadata(&self, start: usize, key: &str, value: String) -> Result<Term, QueryError> {
        if !ids::is_metadata_key(key) {
            return Err(self.error(start, "Metadata keys may use letters, digits, dot, _ and -, at most 64."));
        }
        Ok(Term::Metadata { key: key.to_owned(), value })
    }

    fn value(&mut self) -> Result<String, QueryError> {
        let start = self.at;
        if !self.eat('"') {
            return Ok(self.take_while(|c| !c.is_whitespace()));
        }
        let mut value = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((offset, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += offset + 1;
                    return Ok(value);
                }
                '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
                c => value.push(c),
            }
        }
        self.at = self.text.len();
        Err(self.error(start, "This quotation has no end. Add a closing \"."))
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.text[self.at..].starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> String {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    fn error(&self, start: usize, message: impl Into<String>) -> QueryError {
        QueryError { at: start..self.at, message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_status_and_metadata() {
        let query = Query::parse(r#" status:failed  customer:acme -env:dev note:"two words" metadata.status:x"#);
        let query = query.expect("reads");
        assert_eq!(query.status(), Some(RunStatus::Failed));
        assert_eq!(query.clauses.len(), 5);
        assert_eq!(query.to_string(), r#"status:failed customer:acme -env:dev note:"two words" metadata.status:x"#);
    }

    #[test]
    fn faults_are_explained_at_their_place() {
        let fault = |text: &str| Query::parse(text).expect_err(text);
        assert_eq!(fault("a:b status:bad").at, 11..14);
        assert_eq!(fault("a:b loose").at, 4..9);
        assert_eq!(fault("a:\"open").message, "This quotation has no end. Add a closing \".");
        assert_eq!(fault("a:").message, "`a:` needs a value.");
        assert!(fault("a b:c").message.starts_with("Write each part as key:value"));
        assert!(fault("model:x").message.contains("metadata.model:x"));
        assert!(fault("k/y:x").message.starts_with("Metadata keys"));
        assert!(Query::parse(&"a:b ".repeat(600)).is_err());
    }

    proptest! {
        #[test]
        fn printing_then_reading_is_the_identity(
            clauses in prop::collection::vec(("[A-Za-z0-9._-]{1,12}", "[^\u{0}]{1,12}", any::<bool>()), 0..6)
        ) {
            let mut query = Query::default();
            for (key, value, negated) in clauses {
                let clause = Clause { negated, term: Term::Metadata { key, value } };
                if !query.clauses.contains(&clause) {
                    query.clauses.push(clause);
                }
            }
            prop_assert_eq!(Query::parse(&query.to_string()), Ok(query));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,80}") {
            if let Err(error) = Query::parse(&text) {
                prop_assert!(text.get(error.at.clone()).is_some());
            }
        }
    }
}
