//! Prints a query as text that parses to the same query.

use std::fmt;

use super::{Bound, Clause, Comparison, Has, Query, Term, amount, hints, is_reserved};

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
        if self.or.is_empty() && self.term.needs_no_key() {
            return self.term.write_value(f);
        }
        self.term.write_key(f)?;
        for (i, term) in self.terms().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            term.write_value(f)?;
        }
        Ok(())
    }
}

impl Term {
    /// Returns whether it is parsed as the same without a key before it.
    fn needs_no_key(&self) -> bool {
        match self {
            Self::Word(text) => !text.contains(':') && !text.starts_with('-') && !hints::is_logic_word(text),
            Self::Phrase(_) => true,
            _ => false,
        }
    }

    fn write_key(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(_) => f.write_str("status:"),
            Self::Metadata { key, .. } => {
                let plain = !is_reserved(key) && !key.starts_with("metadata.") && !key.starts_with('-');
                write!(f, "{}{key}:", if plain { "" } else { "metadata." })
            }
            Self::Field { field, .. } => write!(f, "{}:", field.as_str()),
            Self::Is(_) => f.write_str("is:"),
            Self::Has(_) => f.write_str("has:"),
            Self::Compare(comparison) => write!(f, "{}:", comparison.measure.as_str()),
            Self::Since(_) => f.write_str("since:"),
            Self::Before(_) => f.write_str("before:"),
            Self::Word(_) | Self::Phrase(_) => f.write_str("text:"),
        }
    }

    fn write_value(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => f.write_str(status.as_str()),
            Self::Metadata { value, .. } => {
                write_value(f, value, |value| value.starts_with("//") || hints::is_operator(value))
            }
            Self::Field { value, .. } => write_value(f, value, hints::is_operator),
            Self::Word(value) => f.write_str(value),
            Self::Phrase(value) => write_value(f, value, |_| true),
            Self::Is(is) => f.write_str(is.as_str()),
            Self::Has(Has::OrphanCall) => f.write_str("orphan-call"),
            Self::Has(Has::Metadata(key)) => {
                let plain = key != "orphan-call" && !key.starts_with("metadata.");
                write!(f, "{}{key}", if plain { "" } else { "metadata." })
            }
            Self::Compare(comparison) => write!(f, "{comparison}"),
            Self::Since(when) | Self::Before(when) => write!(f, "{when}"),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amount = |number| amount::print(self.measure, number);
        match self.bound {
            Bound::Above(number) => write!(f, ">{}", amount(number)),
            Bound::AtLeast(number) => write!(f, ">={}", amount(number)),
            Bound::Below(number) => write!(f, "<{}", amount(number)),
            Bound::AtMost(number) => write!(f, "<={}", amount(number)),
            Bound::Exactly(number) => write!(f, "={}", amount(number)),
            Bound::Between(from, to) => write!(f, "{}..{}", amount(from), amount(to)),
        }
    }
}

/// Writes a value, in quotes if it would otherwise be parsed as something else.
fn write_value(f: &mut fmt::Formatter<'_>, value: &str, must_quote: impl Fn(&str) -> bool) -> fmt::Result {
    let plain = value.chars().all(|c| !c.is_whitespace() && !matches!(c, '"' | '\\' | ','));
    if plain && !value.is_empty() && !must_quote(value) {
        return f.write_str(value);
    }
    write!(f, "\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}
