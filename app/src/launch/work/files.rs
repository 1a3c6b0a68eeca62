//! Files and other long texts of a spec: nobody reads them, and each copy of one costs as much as the rest of the page.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::place::pretty;

/// A file up to this long, as base64, stands in the JSON as it is.
const MAX_SHOWN_BYTES: usize = 64 * 1024;
/// A text up to this long is compared and shown as it is.
const MAX_COMPARED_CHARS: usize = 2_000;

/// The spec as the JSON side shows it: a large file is stood for by a text that names it.
pub fn shown(spec: &Value) -> String {
    let mut spec = spec.clone();
    for data in files(&mut spec).filter(|data| data.as_str().is_some_and(|text| text.len() > MAX_SHOWN_BYTES)) {
        *data = stand_in(data.as_str().unwrap_or_default()).into();
    }
    pretty(&spec)
}

/// Puts the files of a spec back where what was shown of it stands for them.
pub fn restored(mut written: Value, spec: &Value) -> Value {
    let mut spec = spec.clone();
    let known: Vec<String> = files(&mut spec).filter_map(|data| Some(data.as_str()?.to_owned())).collect();
    for data in files(&mut written) {
        if let Some(file) = known.iter().find(|file| file.len() > MAX_SHOWN_BYTES && *data == stand_in(file)) {
            *data = file.as_str().into();
        }
    }
    written
}

/// The same with long texts cut: equal where the whole is equal.
pub fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(MAX_COMPARED_CHARS) {
            Some(_) => {
                let start: String = text.chars().take(300).collect();
                format!("{start}… ({})", stand_in(text)).into()
            }
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| (name.clone(), shortened(field)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

/// How many bytes the files of a spec have, about.
pub fn inline_bytes(spec: &Value) -> usize {
    let messages = spec["messages"].as_array().into_iter().flatten();
    let lists = messages.filter_map(|message| message["attachments"].as_array());
    lists.flatten().filter_map(|file| file["data"].as_str()).map(|data| data.len() * 3 / 4).sum()
}

/// The same spec without its files.
pub fn without(spec: &Value) -> Value {
    let mut spec = spec.clone();
    let messages = spec.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten();
    for list in messages.filter_map(|message| message.get_mut("attachments")?.as_array_mut()) {
        list.retain(|file| file.get("data").is_none());
    }
    spec
}

/// What the attachments of a spec hold.
fn files(spec: &mut Value) -> impl Iterator<Item = &mut Value> {
    let messages = spec.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten();
    let lists = messages.filter_map(|message| message.get_mut("attachments")?.as_array_mut());
    lists.flatten().filter_map(|file| file.get_mut("data"))
}

fn stand_in(text: &str) -> String {
    let hash: String = Sha256::digest(text.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("[kept here: {} characters, {hash}]", text.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(data: &str) -> Value {
        json!({ "messages": [{ "content": "c", "attachments": [{ "filename": "a", "data": data }] }] })
    }

    #[test]
    fn a_large_file_is_not_shown_and_not_lost() {
        let large = spec(&"QUJD".repeat(50_000));
        let text = shown(&large);
        assert!(text.len() < 1_000 && text.contains("200000 characters"), "{text}");
        let mut written: Value = serde_json::from_str(&text).expect("JSON");
        written["messages"][0]["content"] = "other".into();
        let restored = restored(written, &large);
        assert_eq!(restored["messages"][0]["attachments"], large["messages"][0]["attachments"]);
        assert_eq!(restored["messages"][0]["content"], "other");
        assert_eq!(shown(&spec("QUJD")), pretty(&spec("QUJD")));
    }

    #[test]
    fn long_texts_differ_in_short_where_they_differ() {
        let long = |last: &str| shortened(&spec(&format!("{}{last}", "x".repeat(9_000))));
        assert_eq!(long("a"), long("a"));
        assert_ne!(long("a"), long("b"));
        assert!(long("a").to_string().len() < 1_000);
        assert_eq!(shortened(&long("a")), long("a"));
    }
}
