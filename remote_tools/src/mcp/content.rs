//! Conversion of MCP tool results.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::output::{OutputFile, OutputPart, ToolOutput};

pub(super) fn to_output(result: CallToolResult) -> ToolOutput {
    let blocks = result.content.into_iter().enumerate();
    let mut parts: Vec<OutputPart> = blocks.filter_map(|(i, block)| part(i, block)).collect();
    // A server may return structured content only.
    if let (true, Some(structured)) = (parts.is_empty(), result.structured_content) {
        parts.push(OutputPart::Text(structured.to_string()));
    }
    ToolOutput { failed: result.is_error == Some(true), parts }
}

fn part(position: usize, block: ContentBlock) -> Option<OutputPart> {
    match block {
        ContentBlock::Text(text) => Some(OutputPart::Text(text.text)),
        ContentBlock::Image(image) => Some(unnamed("image", position, &image.mime_type, &image.data)),
        ContentBlock::Audio(audio) => Some(unnamed("audio", position, &audio.mime_type, &audio.data)),
        ContentBlock::Resource(resource) => match resource.resource {
            ResourceContents::TextResourceContents { text, .. } => Some(OutputPart::Text(text)),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let name = uri.rsplit('/').next().unwrap_or(&uri);
                let mime_type = mime_type.as_deref().unwrap_or("application/octet-stream");
                Some(OutputPart::File(OutputFile::new("resource", name, mime_type, &blob)))
            }
            _ => None,
        },
        ContentBlock::ResourceLink(link) => Some(OutputPart::Text(format!("{}: {}", link.name, link.uri))),
        _ => None,
    }
}

/// Blocks have no names: position and type make one.
fn unnamed(kind: &'static str, position: usize, mime_type: &str, base64: &str) -> OutputPart {
    let extension = mime_type.rsplit('/').next().unwrap_or("bin");
    let name = format!("file-{}.{extension}", position + 1);
    OutputPart::File(OutputFile::new(kind, &name, mime_type, base64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_and_files_keep_their_order_and_structured_content_is_the_fallback() {
        let mixed =
            CallToolResult::success(vec![ContentBlock::text("Drawn."), ContentBlock::image("aGVsbG8=", "image/png")]);
        let output = to_output(mixed);
        assert_eq!(output.clone().into_text().as_deref(), Ok("Drawn.\n[image, not shown as text]"));
        let (text, files) = output.into_text_and_files();
        assert_eq!((text.as_deref(), files[0].name.as_str(), files[0].size_bytes), (Ok("Drawn."), "file-2.png", 5));
        let mut structured = CallToolResult::error(Vec::new());
        structured.structured_content = Some(json!({ "a": 1 }));
        assert_eq!(to_output(structured).into_text().as_deref(), Err(&r#"{"a":1}"#.to_owned()));
    }
}
