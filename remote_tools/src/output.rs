//! The result of a remote tool: text, and files without their bytes.

#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutput {
    pub(crate) failed: bool,
    pub(crate) parts: Vec<OutputPart>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OutputPart {
    Text(String),
    File(OutputFile),
}

#[derive(Clone, Debug, PartialEq)]
pub struct OutputFile {
    /// `image`, `audio`, `resource` or `file`.
    pub(crate) kind: &'static str,
    pub name: String,
    pub mime_type: String,
    pub size_bytes: usize,
    pub url: Option<String>,
}

impl ToolOutput {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { failed: false, parts: vec![OutputPart::Text(text.into())] }
    }

    pub(crate) fn failure(message: impl Into<String>) -> Self {
        Self { failed: true, parts: vec![OutputPart::Text(message.into())] }
    }

    /// Converts to plain text, with a placeholder for each file. `Err` if the tool failed.
    pub fn into_text(self) -> Result<String, String> {
        let lines = self.parts.into_iter().map(|part| match part {
            OutputPart::Text(text) => text,
            OutputPart::File(file) => format!("[{}, not shown as text]", file.kind),
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        if self.failed { Err(text) } else { Ok(text) }
    }

    /// Separates the text from the files. The text is an `Err` if the tool failed.
    pub fn into_text_and_files(self) -> (Result<String, String>, Vec<OutputFile>) {
        let (mut texts, mut files) = (Vec::new(), Vec::new());
        for part in self.parts {
            match part {
                OutputPart::Text(text) => texts.push(text),
                OutputPart::File(file) => files.push(file),
            }
        }
        let text = texts.join("\n");
        (if self.failed { Err(text) } else { Ok(text) }, files)
    }
}

impl OutputFile {
    pub(crate) fn new(kind: &'static str, name: &str, mime_type: &str, base64: &str) -> Self {
        let (name, mime_type) = (name.to_owned(), mime_type.to_owned());
        Self { kind, name, mime_type, size_bytes: decoded_size(base64), url: None }
    }
}

/// Returns the number of bytes that a base64 text encodes.
pub fn decoded_size(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}
