//! JSON Schema, as far as tool arguments and structured answers use it: draft 2020-12, and the older spellings
//! `definitions` and a list under `items`.
//!
//! [`compile_errors`] tells whether a schema makes sense, [`check`] whether a value fits it. Judged are `type`, `enum`,
//! `const`, `properties`, `required`, `additionalProperties`, `propertyNames`, `dependentRequired`, `dependentSchemas`,
//! `items`, `prefixItems`, `contains`, `uniqueItems`, all the minima and maxima, `multipleOf`, `anyOf`, `oneOf`, `allOf`,
//! `not`, `if`/`then`/`else`, and `$ref` to a place in the same schema.
//!
//! **Not judged** are `pattern`, `patternProperties` and `format`: they would need a regex engine, which is too large for
//! the browser. Neither are `unevaluatedProperties` and `unevaluatedItems`. A value is called invalid only for a rule that
//! was really applied; that it breaks none of these is not said.
//!
//! Both take time in proportion to what they are given: depth, references and the number of findings are bounded.

mod check;
mod compile;
mod refs;

pub use check::check;
pub use compile::compile_errors;
pub(crate) use refs::resolve;

/// A place that is at fault, as a JSON Pointer, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub path: String,
    pub message: String,
}

/// Nobody mends more than these at once.
const MAX_VIOLATIONS: usize = 100;

/// Schemas and values deeper than this are not followed.
const MAX_DEPTH: usize = 100;

#[cfg(test)]
mod tests;
