//! The rules that values must follow.

use serde_json::{Map, Value};

use crate::validate::Report;

/// A check of a text, and the code and the message of the error.
pub type Format = (fn(&str) -> bool, &'static str, &'static str);

#[derive(Clone, Copy)]
pub enum Rule {
    /// No rule.
    Any,
    /// A text, and for a format as in [`Rule::Is`].
    Text { required: bool, format: Option<Format> },
    /// A list of texts: what a value of another type should be, and what an empty text should be.
    Texts(&'static str, &'static str),
    /// A whole number.
    Number { min: u64, max: u64 },
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A value that the function accepts; otherwise the code and the message of the error.
    Is(fn(&Value) -> bool, &'static str, &'static str),
    /// As [`Rule::Is`], and a value is required.
    Must(fn(&Value) -> bool, &'static str, &'static str),
    /// A list or an object: what another value should be, the most entries, and what to do with more.
    Entries(fn(&Value) -> bool, &'static str, usize, &'static str),
    /// A JSON Schema of an object. The text, if any, says why it is required.
    Schema(Option<&'static str>),
    /// Returns whether the parts of the value are checked too.
    Check(fn(&Context<'_>, &mut Report) -> bool),
}

/// A field to check.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The name of the field, or the key of a map's entry. Empty for an item of a list.
    pub name: &'a str,
    /// `None` if it is absent or `null`.
    pub value: Option<&'a Value>,
    /// The object around it.
    pub object: &'a Map<String, Value>,
    pub spec: &'a Map<String, Value>,
    pub body: Body,
}

/// The request that has the spec as its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// `POST /agent-runs`.
    Run,
    /// `POST /agent-sessions`: a spec without a prompt.
    Session,
    /// `POST /agent-sessions/{id}/messages`. Identity comes from the session.
    Message,
}

impl Rule {
    pub const TEXT: Self = Self::Text { required: false, format: None };
    pub const FLAG: Self = Self::Is(Value::is_boolean, "type", "Choose yes (true) or no (false).");
    pub const REQUIRED_TEXT: Self = Self::Text { required: true, format: None };

    pub const fn object(what: &'static str) -> Self {
        Self::Is(Value::is_object, "type", what)
    }

    pub const fn formatted(
        required: bool,
        is_valid: fn(&str) -> bool,
        code: &'static str,
        message: &'static str,
    ) -> Self {
        Self::Text { required, format: Some((is_valid, code, message)) }
    }
}
