//! What a tool gave back, whoever ran it.

use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutput {
    /// The answer, or why there is none; both are told to the model.
    pub outcome: Result<String, String>,
    /// What is known of the files that came along, never their bytes: name, type, size, address.
    pub files: Vec<Value>,
}

impl ToolOutput {
    pub fn text(text: impl Into<String>) -> Self {
        Ok(text.into()).into()
    }

    pub fn failure(why: impl Into<String>) -> Self {
        Err(why.into()).into()
    }

    /// As the model reads it: files are named after the text.
    pub fn told(&self) -> (bool, String) {
        let (ok, mut text) = match &self.outcome {
            Ok(text) => (true, text.clone()),
            Err(why) => (false, why.clone()),
        };
        for file in &self.files {
            let name = file["filename"].as_str().unwrap_or("file");
            let kind = file["mimeType"].as_str().unwrap_or("unknown type");
            text.push_str(&format!("\n[file: {name}, {kind}, {} bytes]", file["sizeBytes"]));
        }
        (ok, text)
    }
}

impl From<Result<String, String>> for ToolOutput {
    fn from(outcome: Result<String, String>) -> Self {
        Self { outcome, files: Vec::new() }
    }
}

/// What `tool_files` says about one file.
pub fn file(filename: &str, mime_type: &str, size_bytes: usize) -> Value {
    json!({ "filename": filename, "mimeType": mime_type, "sizeBytes": size_bytes })
}

/// How many bytes a base64 text stands for.
pub fn decoded_size(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}
