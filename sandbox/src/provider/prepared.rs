//! Responses prepared for certain prompts, so that the demonstration's prompts read like real work.

use crate::demo::template::Template;

/// A script for `sandbox/script`, and the prompt that it responds to. Both may have blanks.
pub struct PreparedResponse {
    pub prompt: Template,
    pub script: Template,
    /// Only models with a context of this size respond so.
    pub min_context: u64,
}

impl PreparedResponse {
    pub fn new(prompt: &str, script: &[String], min_context: u64) -> Self {
        Self { prompt: Template::parse(prompt), script: Template::parse(&script.join("\n")), min_context }
    }

    /// Returns the script for a prompt, if a model with this context responds so.
    pub fn respond(&self, prompt: &str, context: u64) -> Option<String> {
        if context < self.min_context {
            return None;
        }
        self.prompt.read(prompt).map(|values| self.script.fill(&values))
    }
}
