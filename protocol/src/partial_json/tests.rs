//! Prefixes of documents, and text around them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::testing::any_json;

/// Returns the JSON Pointer of a node.
fn path(read: &PartialJson, node: usize) -> String {
    let mut labels = Vec::new();
    let mut at = read.nodes.get(node);
    while let Some(node) = at {
        labels.push(&node.label);
        at = node.parent.and_then(|parent| read.nodes.get(parent));
    }
    pointer(labels.into_iter().rev())
}

/// Returns the brackets that would complete the document.
fn missing_brackets(read: &PartialJson) -> String {
    let bracket = |node: &usize| if read.nodes[*node].content == Content::Array { ']' } else { '}' };
    read.open.iter().rev().map(bracket).collect()
}

fn read_some(text: &str) -> PartialJson {
    read(text).unwrap_or_else(|| panic!("nothing read of {text:?}"))
}

/// One line for each node: path, content, and a mark where it is open.
fn outline(text: &str) -> Vec<String> {
    let read = read_some(text);
    let line = |i: usize| {
        let node = &read.nodes[i];
        let mark = if node.is_closed { "" } else { " …" };
        let content = match &node.content {
            Content::Object => "{}",
            Content::Array => "[]",
            Content::Text(text) | Content::Number(text) | Content::Word(text) => text,
        };
        format!("{} = {content}{mark}", path(&read, i))
    };
    (0..read.nodes.len()).map(line).collect()
}

#[test]
fn a_truncated_document_is_parsed() {
    let text = r#"{"city": "Bern", "days": [{"high": 21}, {"high"#;
    assert_eq!(
        outline(text),
        [" = {} …", "/city = Bern", "/days = [] …", "/days/0 = {}", "/days/0/high = 21", "/days/1 = {} …"]
    );
    let read = read_some(text);
    assert_eq!((read.start, read.seam, read.end), (0, text.len(), End::CutOff));
    assert_eq!((read.open_path().as_deref(), missing_brackets(&read).as_str()), (Some("/days/1"), "}]}"));
    assert_eq!(read.begun_field, Some(BegunField { name: "high".to_owned(), is_closed: false }));
    assert_eq!(&text[read.nodes[3].span.clone()], r#"{"high": 21}"#);
}

#[test]
fn the_open_path_is_the_value_at_the_end() {
    for (text, path) in [
        ("{", ""),
        (r#"{"a"#, ""),
        (r#"{"a""#, "/a"),
        (r#"{"a":"#, "/a"),
        (r#"{"a": "x"#, "/a"),
        (r#"{"a": 12"#, "/a"),
        (r#"{"a": tr"#, "/a"),
        (r#"{"a": "x""#, ""),
        (r#"{"a": "x","#, ""),
        (r#"{"a/b": ["#, "/a~1b"),
        (r#"[1, "#, ""),
        (r#"[1, [2, "x"#, "/1/1"),
        (r#""abc"#, ""),
    ] {
        assert_eq!(read_some(text).open_path().as_deref(), Some(path), "{text}");
        assert_eq!(read_some(text).end, End::CutOff, "{text}");
    }
    assert_eq!(read_some("[1]").open_path(), None);
}

#[test]
fn text_around_a_document_is_ignored() {
    for text in [
        r#"{"a": [1, 2]}"#,
        "\u{feff}{\"a\": [1, 2]}",
        "```json\n{\"a\": [1, 2]}\n```",
        "```\n{\"a\": [1, 2]}",
        "Here you are:\n```json\n{\"a\": [1, 2]}\n```\nAnything else?",
        "As [1] says, {so} it is {\"a\": [1, 2]} and [not] more.",
        r#""Yes", he said: {"a": [1, 2]}"#,
    ] {
        let read = read_some(text);
        assert!(read.end == End::Closed, "{text}");
        assert_eq!(&text[read.start..read.seam], r#"{"a": [1, 2]}"#, "{text}");
    }
}

#[test]
fn a_fence_around_half_a_document_is_not_part_of_it() {
    let read = read_some("```json\n{\"a\": [1\n```\n");
    assert_eq!((read.end, read.open_path().as_deref()), (End::CutOff, Some("/a")));
}

#[test]
fn texts_without_a_document_have_none() {
    for text in ["", "  ", "Hello.", "the end", "true story", "3 items", "See [the note].", "{so} it goes", "```", "}"]
    {
        assert_eq!(read(text), None, "{text:?}");
    }
}

#[test]
fn invalid_json_differs_from_truncated_json() {
    for (text, seam, expected) in [
        (r#"{"a" 1}"#, 5, "a colon"),
        (r#"{"a": 1 "b": 2}"#, 8, "a comma or the end"),
        (r#"{"a": 1, b: 2}"#, 9, "the name of a field"),
        (r#"{"a": 1]"#, 7, "a comma or the end"),
        ("[1, nil]", 4, "a value"),
        ("[1, 01]", 4, "a number"),
        ("[1,]", 3, "a value"),
    ] {
        let read = read_some(text);
        assert_eq!((read.seam, read.end), (seam, End::Broken { expected }), "{text}");
    }
}

#[test]
fn escapes_are_parsed_and_an_incomplete_one_is_ignored() {
    let full = r#""a\n\"\\\/\u0041\ud83d\ude00z""#;
    assert_eq!(read_some(full).nodes[0].content, Content::Text("a\n\"\\/A😀z".to_owned()));
    for (cut, expected) in [(r#""a\"#, "a"), (r#""a\u00"#, "a"), (r#""a\ud83d"#, "a"), (r#""a\ud83d\ude0"#, "a")] {
        assert_eq!(read_some(cut).nodes[0].content, Content::Text(expected.to_owned()), "{cut}");
    }
    // Invalid, but no reason to stop.
    assert_eq!(read_some(r#""\ud83dx\uzz""#).nodes[0].content, Content::Text("\u{fffd}x\u{fffd}zz".to_owned()));
}

#[test]
fn required_fields_of_the_schema_are_reported_as_missing() {
    let schema = json!({
        "type": "object", "required": ["city", "days", "summary"],
        "properties": { "days": { "type": "array", "items": { "$ref": "#/$defs/day" } } },
        "$defs": { "day": { "allOf": [{ "required": ["high", "low"] }], "required": ["high", "note/s"] } }
    });
    let missing = |text: &str| read_some(text).missing_fields(&schema);
    assert_eq!(missing("{"), ["/city", "/days", "/summary"]);
    let text = r#"{"city": "Bern", "days": [{"high": 21}, {"high": 2"#;
    assert_eq!(missing(text), ["/summary", "/days/1/note~1s", "/days/1/low"]);
    assert_eq!(missing(r#"{"city": "Bern", "days""#), ["/summary"]);
    assert_eq!(missing(r#"{}"#), [""; 0], "closed objects are for the schema check");
    assert_eq!(read_some("{").missing_fields(&json!({ "$ref": "#", "required": ["a"] })), ["/a"]);
}

#[test]
fn at_most_a_hundred_missing_fields_are_reported() {
    let schema = json!({ "required": ["b"], "properties": { "a": { "$ref": "#" } } });
    let missing = read_some(&r#"{"a":"#.repeat(100_000)).missing_fields(&schema);
    assert_eq!((missing.len(), missing[2].as_str()), (100, "/a/a/b"));
}

#[test]
fn no_depth_overflows_the_stack() {
    for half in ["[", r#"{"a":"#] {
        let read = read_some(&half.repeat(100_000));
        assert_eq!((read.nodes.len(), missing_brackets(&read).len()), (100_000, 100_000));
        assert!(read.open_path().is_some_and(|path| path.len() < 250_000));
        assert_eq!(read.missing_fields(&json!({})), [""; 0]);
    }
    let whole = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read_some(&whole).end == End::Closed);
}

#[test]
fn long_texts_with_many_brackets_are_read_once() {
    for piece in ["{\"", "[1,", "{x", "[[]", "{\"a\":1 ", "\\u{", "[\"\\"] {
        let text = piece.repeat(50_000);
        let _ = read(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_prefix_of_a_document_gives_a_consistent_tree(document in any_json(), is_pretty in any::<bool>()) {
        let text = match is_pretty {
            true => serde_json::to_string_pretty(&document).expect("writes"),
            false => document.to_string(),
        };
        let cuts = text.char_indices().map(|(i, _)| i).chain([text.len()]);
        for cut in cuts {
            let prefix = &text[..cut];
            let Some(read) = read(prefix) else {
                prop_assert!(prefix.trim().is_empty(), "nothing read of {prefix:?}");
                continue;
            };
            prop_assert_eq!((read.start, read.seam), (0, cut));
            let is_number = document.is_number();
            prop_assert_eq!(read.end, if cut == text.len() && !is_number { End::Closed } else { End::CutOff });
            for (i, node) in read.nodes.iter().enumerate() {
                let original = document.pointer(&path(&read, i));
                let original = original.ok_or_else(|| TestCaseError::fail(format!("{} of {prefix}", path(&read, i))))?;
                if node.is_closed {
                    let closed: Value = serde_json::from_str(&prefix[node.span.clone()]).expect("a closed part is JSON");
                    prop_assert_eq!(&closed, original);
                }
                match &node.content {
                    Content::Object => prop_assert!(original.is_object()),
                    Content::Array => prop_assert!(original.is_array()),
                    Content::Text(text) => prop_assert!(original.as_str().is_some_and(|whole| whole.starts_with(text))),
                    Content::Number(written) | Content::Word(written) => {
                        prop_assert!(original.to_string().starts_with(written.as_str()));
                    }
                }
            }
            let brackets = format!("{prefix}{}", missing_brackets(&read));
            if read.nodes.last().is_some_and(|node| node.is_closed) && !prefix.trim_end().ends_with([',', ':'])
                && read.begun_field.is_none()
            {
                prop_assert!(serde_json::from_str::<Value>(&brackets).is_ok(), "{}", brackets);
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\",:\\\\u0-9a-f tnr`é😀]{0,60}|\\PC{0,60}") {
        if let Some(read) = read(&text) {
            prop_assert!(read.start <= read.seam && read.seam <= text.len());
            prop_assert!(text.is_char_boundary(read.start) && text.is_char_boundary(read.seam));
            let _ = (read.open_path(), missing_brackets(&read), read.missing_fields(&json!({ "required": ["a"] })));
            for (i, node) in read.nodes.iter().enumerate() {
                prop_assert!(text.get(node.span.clone()).is_some());
                prop_assert!(node.parent.is_none_or(|parent| parent < i));
            }
        }
    }
}
