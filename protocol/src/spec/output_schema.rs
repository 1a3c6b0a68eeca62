//! `outputSchema`: the shape that the final answer should have.

use crate::document::document;

document! {
    /// A JSON Schema for the final answer, and how seriously to take it.
    OutputSchema {
        /// How providers are told to call it; `output` where it is absent.
        name: text = "name",
        schema: json = "schema",
        /// `best_effort` or `strict`.
        enforcement: text = "enforcement",
    }
}

impl OutputSchema {
    /// The run fails rather than answer without the schema.
    pub fn is_strict(&self) -> bool {
        self.enforcement() == Some("strict")
    }
}
