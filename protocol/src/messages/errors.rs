//! The body of every response that is not 2xx.

use serde_json::Value;

use super::document::document;

document! {
    ErrorBody {
        /// A code such as `invalid_request`; in some responses a sentence.
        error: text = "error",
        message: text = "message",
        /// OAuth's name for the message.
        error_description: text = "error_description",
        code: text = "code",
    }
}

impl ErrorBody {
    /// Returns the code. A `code` beside `error` means that `error` is a sentence.
    pub fn reason(&self) -> &str {
        self.code().or(self.error()).unwrap_or("")
    }

    /// Returns the sentence for people, if there is one.
    pub fn sentence(&self) -> Option<&str> {
        self.message().or(self.error_description())
    }

    /// Returns the missing scopes of an `insufficient_scope` error. One comes as a text, several as a list.
    pub fn required_scopes(&self) -> Vec<&str> {
        match self.json().get("required") {
            Some(Value::String(scope)) => vec![scope],
            scopes => crate::json::items(scopes).iter().filter_map(Value::as_str).collect(),
        }
    }
}
