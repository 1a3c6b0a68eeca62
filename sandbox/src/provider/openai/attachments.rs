//! Conversion of attachments to content parts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

pub fn part(file: &Value) -> Value {
    let mime_type = file["mimeType"].as_str().unwrap_or("");
    let name = file["filename"].as_str().unwrap_or("file");
    if let Some(url) = file["url"].as_str() {
        return match mime_type.starts_with("image/") {
            true => json!({ "type": "image_url", "image_url": { "url": url } }),
            // Chat completions fetch images only, so other files become a link in the text.
            false => json!({ "type": "text", "text": format!("[{name}: {url}]") }),
        };
    }
    let data = file["data"].as_str().unwrap_or("");
    match mime_type {
        "audio/wav" => json!({ "type": "input_audio", "input_audio": { "data": data, "format": "wav" } }),
        "audio/mpeg" => json!({ "type": "input_audio", "input_audio": { "data": data, "format": "mp3" } }),
        image if image.starts_with("image/") => {
            json!({ "type": "image_url", "image_url": { "url": format!("data:{image};base64,{data}") } })
        }
        other => match decoded_text(other, data) {
            Some(text) => json!({ "type": "text", "text": format!("[{name}]\n{text}") }),
            None => {
                let file_data = format!("data:{other};base64,{data}");
                json!({ "type": "file", "file": { "filename": name, "file_data": file_data } })
            }
        },
    }
}

/// Returns the text of a text file.
fn decoded_text(mime_type: &str, data: &str) -> Option<String> {
    let textual = mime_type.starts_with("text/")
        || matches!(mime_type, "application/json" | "application/xml" | "application/csv");
    STANDARD.decode(data).ok().filter(|_| textual).and_then(|bytes| String::from_utf8(bytes).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_file_reaches_the_model_in_its_own_form() {
        let inline = |mime: &str| json!({ "type": "input_file", "mimeType": mime, "filename": "f", "data": "aGk=" });
        assert_eq!(part(&inline("image/png"))["image_url"]["url"], "data:image/png;base64,aGk=");
        assert_eq!(part(&inline("text/csv"))["text"], "[f]\nhi");
        assert_eq!(part(&inline("application/pdf"))["file"]["file_data"], "data:application/pdf;base64,aGk=");
        assert_eq!(part(&inline("audio/wav"))["input_audio"]["format"], "wav");
        let far = json!({ "type": "input_file_url", "url": "https://x.test/a.png", "mimeType": "image/png" });
        assert_eq!(part(&far)["image_url"]["url"], "https://x.test/a.png");
    }
}
