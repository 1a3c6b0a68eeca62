//! Files that go with a message or with a tool's result.

use serde_json::{Map, Value};

use super::faults::Faults;
use crate::ids::is_https_url;

const MAX_FILES: usize = 20;
/// All files that are sent along, together.
pub const MAX_INLINE_BYTES: usize = 5 * 1024 * 1024;

/// The kinds of files that models are given, beside everything under `text/`.
const MIME_TYPES: [&str; 13] = [
    "application/csv",
    "application/json",
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/xml",
    "audio/mp4",
    "audio/mpeg",
    "audio/wav",
    "audio/webm",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/webp",
];

/// What the files sent along have taken so far, of all messages together.
#[derive(Default)]
pub(super) struct Inline {
    bytes: usize,
}

pub(super) fn check(files: &Value, inline: &mut Inline, faults: &mut Faults) {
    each(files, faults, |file, faults| match file.get("type").and_then(Value::as_str) {
        Some("input_file") => check_inline(file, inline, faults),
        Some("input_file_url") => check_url(file, faults),
        _ => faults.add_at("type", "choice", "A file is sent along (input_file) or fetched (input_file_url)."),
    });
}

/// The files of a tool's result, which are always sent along.
pub(super) fn check_result_files(files: &Value, faults: &mut Faults) {
    let mut inline = Inline::default();
    each(files, faults, |file, faults| check_inline(file, &mut inline, faults));
}

fn each(files: &Value, faults: &mut Faults, mut check: impl FnMut(&Map<String, Value>, &mut Faults)) {
    let Some(files) = files.as_array() else {
        return faults.add("type", "Files are a list.");
    };
    if files.len() > MAX_FILES {
        faults.add("too_many", format!("At most {MAX_FILES} files may go along. Leave some out."));
    }
    for (i, file) in files.iter().enumerate() {
        faults.at(i, |faults| match file.as_object() {
            Some(file) => check(file, faults),
            None => faults.add("type", "A file has a name, a type and its content."),
        });
    }
}

fn check_inline(file: &Map<String, Value>, inline: &mut Inline, faults: &mut Faults) {
    faults.required_text(file, "filename");
    if let Some(mime_type) = faults.required_text(file, "mimeType") {
        check_mime_type(mime_type, faults);
    }
    let Some(data) = faults.required_text(file, "data") else { return };
    match base64_bytes(data) {
        None => {
            let message = match data.starts_with("data:") {
                true => "Leave out the part up to the comma: only the base64 text belongs here.",
                false => "This is not base64. Choose the file again.",
            };
            faults.add_at("data", "base64", message);
        }
        Some(bytes) => {
            let before = inline.bytes;
            inline.bytes = before.saturating_add(bytes);
            // Told once, at the file that is one too many.
            if before <= MAX_INLINE_BYTES && inline.bytes > MAX_INLINE_BYTES {
                let message =
                    "All files together may have at most 5 MB. Leave some out, or give web addresses instead.";
                faults.add_at("data", "too_long", message);
            }
        }
    }
}

fn check_url(file: &Map<String, Value>, faults: &mut Faults) {
    faults.text(file, "filename");
    if let Some(url) = faults.required_text(file, "url")
        && !is_https_url(url)
    {
        faults.add_at("url", "url", "Give an address that starts with https:// and that anybody can open.");
    }
    if let Some(mime_type) = faults.text(file, "mimeType") {
        check_mime_type(mime_type, faults);
    }
}

fn check_mime_type(mime_type: &str, faults: &mut Faults) {
    let is_text = mime_type.strip_prefix("text/").is_some_and(|subtype| !subtype.is_empty());
    if !is_text && !MIME_TYPES.contains(&mime_type) {
        let message = "Models cannot read this kind of file. Use text, CSV, JSON, XML, HTML, PDF, DOCX, \
                       JPEG, PNG, WebP, GIF, M4A, MP3, WAV or WebM audio.";
        faults.add_at("mimeType", "mime", message);
    }
}

/// How many bytes a base64 text stands for, if it is one.
fn base64_bytes(text: &str) -> Option<usize> {
    let digits = text.strip_suffix("==").or(text.strip_suffix('=')).unwrap_or(text);
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    (text.len().is_multiple_of(4) && digits.bytes().all(is_digit)).then_some(digits.len() * 3 / 4)
}
