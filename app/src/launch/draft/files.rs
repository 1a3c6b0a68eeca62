//! Replaces files and other long texts of a spec, which would make the page several times larger.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::control_text::pretty_json;

/// The longest file, as base64, that the JSON editor shows.
const MAX_SHOWN_BYTES: usize = 64 * 1024;
/// The longest text that is compared as it is.
const MAX_COMPARED_CHARS: usize = 2_000;

/// Returns the spec for the JSON editor, with placeholders for large files.
pub fn display_json(spec: &Value) -> String {
    let mut spec = spec.clone();
    for data in files(&mut spec).filter(|data| data.as_str().is_some_and(|text| text.len() > MAX_SHOWN_BYTES)) {
        *data = placeholder_for(data.as_str().unwrap_or_default()).into();
    }
    pretty_json(&spec)
}

/// Replaces the placeholders in an edited spec with the files of the original.
pub fn restore_files(mut edited: Value, spec: &Value) -> Value {
    let mut spec = spec.clone();
    let known: Vec<String> = files(&mut spec).filter_map(|data| Some(data.as_str()?.to_owned())).collect();
    for data in files(&mut edited) {
        if let Some(file) = known.iter().find(|file| file.len() > MAX_SHOWN_BYTES && *data == placeholder_for(file)) {
            *data = file.as_str().into();
        }
    }
    edited
}

/// Cuts long texts. Equal values stay equal, different ones different.
pub fn shorten(value: &Value) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(MAX_COMPARED_CHARS) {
            Some(_) => {
                let start: String = text.chars().take(300).collect();
                format!("{start}… ({})", placeholder_for(text)).into()
            }
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(shorten).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), shorten(field))).collect::<serde_json::Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// Returns the approximate size of the files in a spec.
pub fn inline_bytes(spec: &Value) -> usize {
    let messages = spec["messages"].as_array().into_iter().flatten();
    let lists = messages.filter_map(|message| message["attachments"].as_array());
    lists.flatten().filter_map(|file| file["data"].as_str()).map(|data| data.len() * 3 / 4).sum()
}

/// Returns the spec without its files.
pub fn without_files(spec: &Value) -> Value {
    let mut spec = spec.clone();
    attachments(&mut spec).for_each(|list| list.retain(|file| file.get("data").is_none()));
    spec
}

/// Iterates over the data of the attached files.
fn files(spec: &mut Value) -> impl Iterator<Item = &mut Value> {
    attachments(spec).flatten().filter_map(|file| file.get_mut("data"))
}

/// Iterates over the lists of attachments.
fn attachments(spec: &mut Value) -> impl Iterator<Item = &mut Vec<Value>> {
    let messages = spec.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten();
    messages.filter_map(|message| message.get_mut("attachments")?.as_array_mut())
}

fn placeholder_for(text: &str) -> String {
    let hash: String = Sha256::digest(text.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("[stored here: {} characters, {hash}]", text.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(data: &str) -> Value {
        json!({ "messages": [{ "content": "c", "attachments": [{ "filename": "a", "data": data }] }] })
    }

    #[test]
    fn a_large_file_is_neither_shown_nor_lost() {
        let large = spec(&"QUJD".repeat(50_000));
        let text = display_json(&large);
        assert!(text.len() < 1_000 && text.contains("200000 characters"), "{text}");
        let mut edited: Value = serde_json::from_str(&text).expect("JSON");
        edited["messages"][0]["content"] = "other".into();
        let restored = restore_files(edited, &large);
        assert_eq!(restored["messages"][0]["attachments"], large["messages"][0]["attachments"]);
        assert_eq!(restored["messages"][0]["content"], "other");
        assert_eq!(display_json(&spec("QUJD")), pretty_json(&spec("QUJD")));
    }

    #[test]
    fn shortened_texts_differ_if_the_whole_texts_do() {
        let long = |last: &str| shorten(&spec(&format!("{}{last}", "x".repeat(9_000))));
        assert_eq!(long("a"), long("a"));
        assert_ne!(long("a"), long("b"));
        assert!(long("a").to_string().len() < 1_000);
        assert_eq!(shorten(&long("a")), long("a"));
    }
}
