//! Files attached to a message.

use serde_json::Value;

use super::report::Report;
use crate::fields::{Context, Rule};

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

/// Checks the size of the inline files in all messages together. Reported once, at the file that exceeds the limit.
pub(super) fn check_total(messages: &[Value], report: &mut Report) {
    let mut total = 0_usize;
    for (i, message) in messages.iter().enumerate() {
        for (j, file) in message["attachments"].as_array().into_iter().flatten().enumerate() {
            let inline = file["data"].as_str().filter(|_| file["type"] == "input_file");
            total = total.saturating_add(inline.and_then(base64_bytes).unwrap_or(0));
            if total > MAX_INLINE_BYTES {
                let message = "Files can have up to 5 MB in total. Remove some, or use web addresses instead.";
                let too_long = |report: &mut Report| report.add_at("data", "too_long", message);
                return report.at(i, |report| report.at("attachments", |report| report.at(j, too_long)));
            }
        }
    }
}

pub(crate) fn check_data(context: &Context<'_>, report: &mut Report) -> bool {
    if !Rule::REQUIRED_TEXT.check(context, report) {
        return false;
    }
    let data = context.value.and_then(Value::as_str).unwrap_or_default();
    if data.starts_with("data:") {
        report.add("base64", "Leave out the part up to the comma: only the base64 text belongs here.");
    } else if base64_bytes(data).is_none() {
        report.add("base64", "This is not base64. Choose the file again.");
    }
    false
}

pub(crate) fn is_mime_type(mime_type: &str) -> bool {
    let is_text = mime_type.strip_prefix("text/").is_some_and(|subtype| !subtype.is_empty());
    is_text || MIME_TYPES.contains(&mime_type)
}

/// Returns the number of bytes that a base64 text encodes, or `None` if it is not base64.
fn base64_bytes(text: &str) -> Option<usize> {
    let digits = text.strip_suffix("==").or(text.strip_suffix('=')).unwrap_or(text);
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    (text.len().is_multiple_of(4) && digits.bytes().all(is_digit)).then_some(digits.len() * 3 / 4)
}
