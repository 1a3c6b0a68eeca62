//! Parses tokens into clauses.

use super::clause::METADATA_KEY_RULE;
use super::lexer::{Key, Lexer, Token, Value};
use super::{
    Bound, Clause, Comparison, Field, Has, Is, MAX_CLAUSES, MAX_QUERY_BYTES, MAX_WORD_BYTES, Measure, Query,
    SESSION_STATUSES, SyntaxError, Term, When, amount, hints, is_reserved, words,
};
use crate::{RunStatus, ids};

/// The list that is filtered.
#[derive(Clone, Copy)]
pub enum Subject {
    Runs,
    Sessions,
}

pub fn query(text: &str, subject: Subject) -> Result<Query, SyntaxError> {
    let (query, errors) = query_and_errors(text, subject);
    errors.into_iter().next().map_or(Ok(query), Err)
}

/// Parses what is valid, and returns every error in the order of the text. An error ends its part, not the query.
pub fn query_and_errors(text: &str, subject: Subject) -> (Query, Vec<SyntaxError>) {
    let mut query = Query::default();
    if text.len() > MAX_QUERY_BYTES {
        let message = format!("This filter is longer than {MAX_QUERY_BYTES} characters. Shorten it.");
        return (query, vec![SyntaxError { at: 0..text.len(), message }]);
    }
    let mut errors = Vec::new();
    let mut without_words = None;
    let mut lexer = Lexer::new(text);
    loop {
        let token = match lexer.next() {
            Ok(Some(token)) => token,
            Ok(None) => {
                // A sign in a text, as in `12 * 12`, is left out; alone it can't be searched.
                if query.is_empty() && errors.is_empty() {
                    errors.extend(without_words);
                }
                return (query, errors);
            }
            Err(error) => {
                errors.push(error);
                lexer.skip_part();
                continue;
            }
        };
        if query.clauses.len() == MAX_CLAUSES || token.values.len() > MAX_CLAUSES {
            let message = format!("A filter may have at most {MAX_CLAUSES} parts, and a part as many values.");
            errors.push(SyntaxError { at: token.at, message });
            return (query, errors);
        }
        match clause(&token, subject) {
            Ok(clause) => query.push(clause),
            Err(mut found) if is_sign(&token) => without_words = without_words.or(found.pop()),
            Err(mut found) => errors.append(&mut found),
        }
    }
}

/// Returns whether a part is a word without letters and digits.
fn is_sign(token: &Token<'_>) -> bool {
    let without_letters = |value: &Value| !value.quoted && !value.text.contains(char::is_alphanumeric);
    token.key.is_none() && !token.negated && token.values.iter().all(without_letters)
}

fn clause(token: &Token<'_>, subject: Subject) -> Result<Clause, Vec<SyntaxError>> {
    let mut terms = Vec::with_capacity(token.values.len());
    let mut errors = Vec::new();
    for value in &token.values {
        let term = match &token.key {
            None => bare(value),
            Some(key) => keyed(key, value, token.values.len() == 1, subject),
        };
        match term {
            Ok(term) if !terms.contains(&term) => terms.push(term),
            Ok(_) => {}
            Err(error) => errors.push(error),
        }
    }
    let mut terms = terms.into_iter();
    match (errors.is_empty(), terms.next()) {
        (true, Some(term)) => Ok(Clause { negated: token.negated, term, or: terms.collect() }),
        (true, None) => Err(vec![syntax_error(token.at.clone(), "This part is empty.")]),
        (false, _) => Err(errors),
    }
}

fn keyed(key: &Key<'_>, value: &Value, only: bool, subject: Subject) -> Result<Term, SyntaxError> {
    if let Some(name) = key.text.strip_prefix("metadata.") {
        return metadata(key, name, value);
    }
    if !is_reserved(key.text) {
        return metadata(key, key.text, value);
    }
    let word = key.text.to_ascii_lowercase();
    let one_value = || match only {
        true => Ok(()),
        false => Err(syntax_error(value.at.clone(), format!("`{word}:` takes one value, without commas."))),
    };
    if let Some(field) = Field::ALL.into_iter().find(|field| field.as_str() == word) {
        without_operator(&word, value)?;
        return Ok(Term::Field { field, value: value.text.clone() });
    }
    if let Some(measure) = Measure::ALL.into_iter().find(|measure| measure.as_str() == word) {
        one_value()?;
        return Ok(Term::Compare(Comparison { measure, bound: bound(measure, value)? }));
    }
    match word.as_str() {
        "status" => match subject {
            Subject::Runs => Term::status(false, &value.text)
                .ok_or_else(|| unknown(value, "status", "status", &RunStatus::ALL.map(RunStatus::as_str))),
            Subject::Sessions => {
                Term::status(true, &value.text).ok_or_else(|| unknown(value, "status", "status", &SESSION_STATUSES))
            }
        },
        "is" => Is::ALL
            .into_iter()
            .find(|is| is.as_str().eq_ignore_ascii_case(&value.text))
            .map(Term::Is)
            .ok_or_else(|| unknown(value, "is", "state", &Is::ALL.map(Is::as_str))),
        "has" => has(value),
        "text" => free_text(value),
        _ => {
            one_value()?;
            let when = When::parse(&value.text).ok_or_else(|| syntax_error(value.at.clone(), time_help(&word)))?;
            Ok(if word == "before" { Term::Before(when) } else { Term::Since(when) })
        }
    }
}

fn metadata(key: &Key<'_>, name: &str, value: &Value) -> Result<Term, SyntaxError> {
    if !value.quoted && value.text.starts_with("//") {
        return Err(syntax_error(
            key.at.start..value.at.end,
            "Put quotes around an address, for example \"https://…\".",
        ));
    }
    if !ids::is_metadata_key(name) {
        let hint = "Put quotes around text that has a colon in it.";
        return Err(syntax_error(key.at.clone(), format!("{METADATA_KEY_RULE} {hint}")));
    }
    without_operator(name, value)?;
    Ok(Term::metadata(name, &value.text))
}

/// Refuses an operator in a value that is not compared: it would be searched literally and never be found.
fn without_operator(key: &str, value: &Value) -> Result<(), SyntaxError> {
    match hints::operator(key, &value.text).filter(|_| !value.quoted) {
        Some(hint) => Err(syntax_error(value.at.clone(), hint)),
        None => Ok(()),
    }
}

fn bare(value: &Value) -> Result<Term, SyntaxError> {
    match hints::logic_word(&value.text).filter(|_| !value.quoted) {
        Some(hint) => Err(syntax_error(value.at.clone(), hint)),
        None => free_text(value),
    }
}

fn has(value: &Value) -> Result<Term, SyntaxError> {
    let name = value.text.strip_prefix("metadata.").unwrap_or(&value.text);
    if value.text == "orphan-call" {
        Ok(Term::Has(Has::OrphanCall))
    } else if ids::is_metadata_key(name) {
        Ok(Term::Has(Has::Metadata(name.to_owned())))
    } else {
        Err(syntax_error(value.at.clone(), METADATA_KEY_RULE))
    }
}

fn free_text(value: &Value) -> Result<Term, SyntaxError> {
    if words(&value.text).next().is_none() {
        let message = match value.text.contains(char::is_alphanumeric) {
            true => format!("Words can have up to {MAX_WORD_BYTES} letters. Use a shorter one."),
            false => "Enter at least one letter or digit.".to_owned(),
        };
        return Err(syntax_error(value.at.clone(), message));
    }
    Ok(match value.quoted {
        true => Term::Phrase(value.text.clone()),
        false => Term::Word(value.text.clone()),
    })
}

/// `>30s`, `>=3`, `<10k`, `10s..30s`; for whole counts also `3`.
fn bound(measure: Measure, value: &Value) -> Result<Bound, SyntaxError> {
    let name = measure.as_str();
    let example = amount::example(measure);
    let read = |text: &str| {
        amount::parse(measure, text).ok_or_else(|| {
            let instead = format!("Write for example {name}:>{example} or {name}:<={example}.");
            let message = match text {
                "" => format!("Enter both ends of the range. {instead}"),
                text => format!("`{text}` is not an amount. {instead}"),
            };
            syntax_error(value.at.clone(), message)
        })
    };
    let text = value.text.as_str();
    type Make = fn(u64) -> Bound;
    let signs: [(&str, Make); 5] = [
        (">=", Bound::AtLeast),
        ("<=", Bound::AtMost),
        (">", Bound::Above),
        ("<", Bound::Below),
        ("=", Bound::Exactly),
    ];
    for (sign, make) in signs {
        if let Some(rest) = text.strip_prefix(sign) {
            if rest.is_empty() {
                let message =
                    format!("Enter {} after {sign}, for example {name}:{sign}{example}.", amount::noun(measure));
                return Err(syntax_error(value.at.clone(), message));
            }
            return Ok(make(read(rest)?));
        }
    }
    if let Some((from, to)) = text.split_once("..") {
        let (from, to) = (read(from)?, read(to)?);
        if from > to {
            return Err(syntax_error(value.at.clone(), "Write the smaller end of the range first."));
        }
        return Ok(Bound::Between(from, to));
    }
    let number = read(text)?;
    match measure {
        Measure::Turns | Measure::Calls => Ok(Bound::Exactly(number)),
        // Few runs have exactly this duration: a value without a sign is probably a mistake.
        _ => Err(syntax_error(value.at.clone(), format!("Add a comparison: {name}:>{text} or {name}:<{text}."))),
    }
}

fn time_help(word: &str) -> String {
    format!("Write a time as {word}:2h (m, h, d or w ago), {word}:2026-10-01 or {word}:2026-10-01T12:30Z.")
}

/// The error for an unknown value, with the value that is meant if the text is its beginning or similar to it.
fn unknown(value: &Value, key: &str, what: &str, known: &[&str]) -> SyntaxError {
    let text = value.text.to_ascii_lowercase();
    let begun = known.iter().copied().find(|known| known.starts_with(&text));
    let instead = match begun.or_else(|| hints::nearest(&text, known.iter().copied())) {
        Some(meant) => format!("Did you mean {key}:{meant}?"),
        None if key == "status" && text == Is::Incomplete.as_str() => format!("Did you mean is:{text}?"),
        None => format!("Use one of {}.", known.join(", ")),
    };
    syntax_error(value.at.clone(), format!("Unknown {what} `{}`. {instead}", value.text))
}

fn syntax_error(at: std::ops::Range<usize>, message: impl Into<String>) -> SyntaxError {
    SyntaxError { at, message: message.into() }
}
