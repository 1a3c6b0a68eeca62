//! Files attached to a message.

use serde_json::{Map, Value};

use super::report::Report;
use crate::fields::Context;
use crate::ids::is_https_url;

const MAX_FILES: usize = 20;
/// The limit for all inline files of a spec together.
pub const MAX_INLINE_BYTES: usize = 5 * 1024 * 1024;

/// The types that models accept, besides everything under `text/`.
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

pub(crate) fn check(context: &Context<'_>, report: &mut Report) -> bool {
    let Some(files) = context.value else { return false };
    let Some(files) = files.as_array() else {
        report.add("type", "Files are a list.");
        return false;
    };
    if files.len() > MAX_FILES {
        report.add("too_many", format!("At most {MAX_FILES} files may go along. Leave some out."));
    }
    for (i, file) in files.iter().enumerate() {
        report.at(i, |report| match file.as_object() {
            Some(file) => check_file(file, report),
            None => report.add("type", "A file has a name, a type and its content."),
        });
    }
    false
}

/// Checks the size of the inline files in all messages together. Reported once, at the file that exceeds the limit.
pub(super) fn check_total(messages: &[Value], report: &mut Report) {
    let mut total = 0_usize;
    for (i, message) in messages.iter().enumerate() {
        for (j, file) in message["attachments"].as_array().into_iter().flatten().enumerate() {
            let inline = file["data"].as_str().filter(|_| file["type"] == "input_file");
            total = total.saturating_add(inline.and_then(base64_bytes).unwrap_or(0));
            if total > MAX_INLINE_BYTES {
                let message =
                    "All files together may have at most 5 MB. Leave some out, or give web addresses instead.";
                let too_long = |report: &mut Report| report.add_at("data", "too_long", message);
                return report.at(i, |report| report.at("attachments", |report| report.at(j, too_long)));
            }
        }
    }
}

fn check_file(file: &Map<String, Value>, report: &mut Report) {
    match file.get("type").and_then(Value::as_str) {
        Some("input_file") => check_inline(file, report),
        Some("input_file_url") => check_url(file, report),
        _ => report.add_at("type", "choice", "A file is sent along (input_file) or fetched (input_file_url)."),
    }
}

fn check_inline(file: &Map<String, Value>, report: &mut Report) {
    report.required_text(file, "filename");
    if let Some(mime_type) = report.required_text(file, "mimeType") {
        check_mime_type(mime_type, report);
    }
    let Some(data) = report.required_text(file, "data") else { return };
    if base64_bytes(data).is_none() {
        let message = match data.starts_with("data:") {
            true => "Leave out the part up to the comma: only the base64 text belongs here.",
            false => "This is not base64. Choose the file again.",
        };
        report.add_at("data", "base64", message);
    }
}

fn check_url(file: &Map<String, Value>, report: &mut Report) {
    report.text(file, "filename");
    if let Some(url) = report.required_text(file, "url")
        && !is_https_url(url)
    {
        report.add_at("url", "url", "Give an address that starts with https:// and that anybody can open.");
    }
    if let Some(mime_type) = report.text(file, "mimeType") {
        check_mime_type(mime_type, report);
    }
}

fn check_mime_type(mime_type: &str, report: &mut Report) {
    let is_text = mime_type.strip_prefix("text/").is_some_and(|subtype| !subtype.is_empty());
    if !is_text && !MIME_TYPES.contains(&mime_type) {
        let message = "Models cannot read this kind of file. Use text, CSV, JSON, XML, HTML, PDF, DOCX, \
                       JPEG, PNG, WebP, GIF, M4A, MP3, WAV or WebM audio.";
        report.add_at("mimeType", "mime", message);
    }
}

/// Returns the number of bytes that a base64 text encodes, or `None` if it is not base64.
fn base64_bytes(text: &str) -> Option<usize> {
    let digits = text.strip_suffix("==").or(text.strip_suffix('=')).unwrap_or(text);
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    (text.len().is_multiple_of(4) && digits.bytes().all(is_digit)).then_some(digits.len() * 3 / 4)
}
