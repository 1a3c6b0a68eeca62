//! The result of a tool, in the format of the engine.

use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutput {
    /// The result or the error; the model gets either.
    pub outcome: Result<String, String>,
    /// Name, type, size and address of each file, without its data.
    pub files: Vec<Value>,
}

impl ToolOutput {
    pub fn text(text: impl Into<String>) -> Self {
        Ok(text.into()).into()
    }

    pub fn failure(why: impl Into<String>) -> Self {
        Err(why.into()).into()
    }

    /// Returns success and text for the model, with a line for each file.
    pub fn for_model(&self) -> (bool, String) {
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

/// Returns an entry of `tool_files`.
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
