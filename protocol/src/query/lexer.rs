//! Splits text into tokens: a sign, a key, and values, each with its position. `parse.rs` decides their meaning.

use std::ops::Range;

use super::SyntaxError;

/// `-key:value,value` or `-text`.
pub struct Token<'a> {
    pub at: Range<usize>,
    pub negated: bool,
    pub key: Option<Key<'a>>,
    /// At least one.
    pub values: Vec<Value>,
}

pub struct Key<'a> {
    pub at: Range<usize>,
    pub text: &'a str,
}

pub struct Value {
    pub at: Range<usize>,
    pub text: String,
    pub quoted: bool,
}

pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub fn next(&mut self) -> Result<Option<Token<'a>>, SyntaxError> {
        self.take_while(char::is_whitespace);
        let start = self.at;
        if self.rest().is_empty() {
            return Ok(None);
        }
        let negated = self.consume('-');
        if negated && self.rest().chars().next().is_none_or(char::is_whitespace) {
            return Err(self.error(start, "Put the filter to exclude right after the minus, for example -env:dev."));
        }
        let word_start = self.at;
        let word = self.take_while(|c| !c.is_whitespace() && !matches!(c, ':' | '"'));
        let (key, values) = if self.rest().starts_with(':') {
            let key = Key { at: word_start..self.at, text: word };
            if word.is_empty() {
                self.at += 1;
                return Err(self.error(start, "Write the key before the colon, for example status:failed."));
            }
            self.at += 1;
            (Some(key), self.values(start, word)?)
        } else if word.is_empty() {
            (None, vec![self.quoted()?])
        } else {
            (None, vec![Value { at: word_start..self.at, text: word.to_owned(), quoted: false }])
        };
        if !self.rest().chars().next().is_none_or(char::is_whitespace) {
            let place = self.at;
            self.take_while(|c| !c.is_whitespace());
            return Err(
                self.error(place, "A quotation begins or ends inside a word. Put quotes around the whole of it.")
            );
        }
        Ok(Some(Token { at: start..self.at, negated, key, values }))
    }

    /// Goes to the end of a part with an error.
    pub fn skip_part(&mut self) {
        self.take_while(|c| !c.is_whitespace());
    }

    fn values(&mut self, start: usize, key: &str) -> Result<Vec<Value>, SyntaxError> {
        let mut values = Vec::new();
        loop {
            let value = if self.rest().starts_with('"') {
                self.quoted()?
            } else {
                let from = self.at;
                let text = self.take_while(|c| !c.is_whitespace() && !matches!(c, ',' | '"')).to_owned();
                Value { at: from..self.at, text, quoted: false }
            };
            if value.text.is_empty() {
                return Err(self.error(start, format!("`{key}:` needs a value.")));
            }
            values.push(value);
            if !self.consume(',') {
                return Ok(values);
            }
        }
    }

    fn quoted(&mut self) -> Result<Value, SyntaxError> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((offset, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += offset + 1;
                    return Ok(Value { at: start..self.at, text, quoted: true });
                }
                '\\' => text.extend(chars.next().map(|(_, escaped)| escaped)),
                c => text.push(c),
            }
        }
        self.at = self.text.len();
        Err(self.error(start, "This quote is not closed. Add a closing \"."))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn consume(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn error(&self, start: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError { at: start..self.at, message: message.into() }
    }
}
