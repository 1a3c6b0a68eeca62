//! JSON Schema, as tool arguments and structured answers use it.
//!
//! [`compile_errors`] finds mistakes in a schema, `check` finds where a value breaks its rules.
//!
//! `check` uses the `jsonschema` crate and needs the feature `json-schema`, which the server and the sandbox enable. That
//! crate brings a regex engine and is too large for the browser, which checks a schema while a person types:
//! `compile_errors` is written by hand for that reason.

#[cfg(any(test, feature = "json-schema"))]
mod check;
mod compile;
#[cfg(any(test, feature = "json-schema"))]
mod cost;
mod refs;

#[cfg(any(test, feature = "json-schema"))]
pub use check::check;
pub use compile::compile_errors;
pub(crate) use refs::resolve;

/// A mistake: its place as a JSON Pointer, and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub path: String,
    pub message: String,
}

/// More are not reported: nobody corrects so many at once.
const MAX_VIOLATIONS: usize = 100;

#[cfg(test)]
mod tests;
