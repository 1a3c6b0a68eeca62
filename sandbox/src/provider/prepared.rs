//! Responses prepared for certain prompts, so that the demonstration's prompts read like real work.

use crate::demo::template::Template;

/// A script for `sandbox/script`, and the prompt that it responds to. Both may have blanks.
pub struct PreparedResponse {
    pub prompt: Template,
    pub script: Template,
}

impl PreparedResponse {
    pub fn new(prompt: &str, script: &[String]) -> Self {
        Self { prompt: Template::parse(prompt), script: Template::parse(&script.join("\n")) }
    }

    /// Returns the script for a prompt.
    pub fn respond(&self, prompt: &str) -> Option<String> {
        self.prompt.read(prompt).map(|values| self.script.fill(&values))
    }
}
