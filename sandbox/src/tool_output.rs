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

impl From<remote_tools::ToolOutput> for ToolOutput {
    fn from(output: remote_tools::ToolOutput) -> Self {
        let (outcome, found) = output.into_text_and_files();
        let files = found.into_iter().map(|found| {
            let mut file = file(&found.name, &found.mime_type, found.size_bytes);
            if let Some(url) = found.url {
                file["url"] = url.into();
            }
            file
        });
        Self { outcome, files: files.collect() }
    }
}
