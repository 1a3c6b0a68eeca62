//! The body of every answer that is not 2xx.

use serde_json::Value;

use crate::document::{Document, document};

document! {
    ErrorBody {
        /// A word to act on, such as `invalid_request`; for some refusals a sentence.
        error: text = "error",
        message: text = "message",
        /// What OAuth calls the message.
        error_description: text = "error_description",
        code: text = "code",
        hint: text = "hint",
        /// With `wrong_workspace`: the workspace that the credential belongs to.
        correct_slug: text = "correctSlug",
    }
}

impl ErrorBody {
    /// The word to act on: `code` where there is one beside a sentence in `error`.
    pub fn reason(&self) -> &str {
        self.code().or(self.error()).unwrap_or("")
    }

    /// A sentence for people, if the server wrote one.
    pub fn sentence(&self) -> Option<&str> {
        self.message().or(self.error_description())
    }

    /// With `insufficient_scope`: what is missing. One scope comes as a text, several as a list.
    pub fn required_scopes(&self) -> Vec<&str> {
        texts(self.json().get("required"))
    }

    /// With `invalid_model`: the models that may have been meant.
    pub fn candidates(&self) -> Vec<&str> {
        texts(self.json().get("candidates"))
    }
}

fn texts(json: Option<&Value>) -> Vec<&str> {
    match json {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(items)) => {
            items.iter().filter_map(|item| item.as_str().or_else(|| item.get("id")?.as_str())).collect()
        }
        _ => Vec::new(),
    }
}
