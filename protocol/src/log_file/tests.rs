//! Each format, its errors, and every way to split its bytes.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(text: &str) -> Vec<Item> {
    let mut reader = LogReader::default();
    let mut items = reader.push(text.as_bytes());
    items.extend(reader.finish());
    items
}

fn event(line: u64, seq: u64, kind: &str) -> Item {
    Item::Event(line, Event::new(seq, kind, json!({ "text": "hé, [1}" })))
}

fn unreadable_lines(items: &[Item]) -> Vec<u64> {
    items
        .iter()
        .filter_map(|item| if let Item::Unreadable(unreadable) = item { Some(unreadable.line) } else { None })
        .collect()
}

const NDJSON: &str = "{\"seq\":1,\"type\":\"a\",\"data\":{\"text\":\"hé, [1}\"}}\n\n{\"seq\":2,\"type\":\"b\",\"data\":{\"text\":\"hé, [1}\"}}";
const ARRAY: &str = "\n[{\"seq\":1,\"type\":\"a\",\"data\":{\"text\":\"hé, [1}\"}},\n {\"seq\":2,\n \"type\":\"b\",\"data\":{\"text\":\"hé, [1}\"}}]\n";
const FRAMES: &str = ": hello\r\n\r\nid: 1\r\nevent: a\r\ndata: {\"data\":{\"text\":\"hé, [1}\"}}\r\n\r\nid: 2\ndata: {\"type\":\"b\",\ndata: \"data\":{\"text\":\"hé, [1}\"}}";

#[test]
fn each_format_gives_the_same_events() {
    for (text, lines) in [(NDJSON, [1, 3]), (ARRAY, [2, 3]), (FRAMES, [3, 7])] {
        assert_eq!(read(text), [event(lines[0], 1, "a"), event(lines[1], 2, "b")], "{text}");
    }
}

#[test]
fn an_export_begins_with_its_run_and_spec() {
    let items =
        read("{\"runlens\":1,\"run\":{\"name\":\"x\"},\"spec\":{\"prompt\":\"p\"}}\n{\"seq\":4,\"type\":\"a\"}\n");
    assert_eq!(items[0], Item::Header(Header { run: json!({ "name": "x" }), spec: json!({ "prompt": "p" }) }));
    assert!(matches!(&items[1], Item::Event(2, event) if event.seq == 4));
}

#[test]
fn an_unreadable_line_is_reported_and_the_rest_is_kept() {
    let items = read("{\"seq\":1,\"type\":\"a\"}\n{broken\n7\n{\"seq\":2}\n{\"seq\":3,\"type\":\"b\"}\n");
    assert_eq!(unreadable_lines(&items), [2, 3, 4]);
    assert_eq!(items.len(), 5);
    let items = read("[{\"seq\":1,\"type\":\"a\"},\n oops,\n {\"seq\":3,\"type\":\"b\"}");
    assert_eq!(unreadable_lines(&items), [2, 3], "{items:?}");
    let items = read("id: 1\ndata: {\"type\":\"a\"}\n\nid: 2\ndata: oops\n\nid: 3\ndata: {\"type\":\"b\"}\n\n");
    assert_eq!(unreadable_lines(&items), [4], "{items:?}");
    assert_eq!(items.len(), 3);
}

#[test]
fn events_without_a_seq_are_numbered_in_the_order_of_the_file() {
    let items = read("{\"seq\":7,\"type\":\"a\"}\n{\"type\":\"b\"}\n{\"type\":\"c\"}\n");
    let seqs: Vec<u64> =
        items.iter().map(|item| if let Item::Event(_, event) = item { event.seq } else { 0 }).collect();
    assert_eq!(seqs, [7, 8, 9]);
}

#[test]
fn an_endless_line_takes_bounded_memory() {
    let mut reader = LogReader::default();
    let mut items = reader.push(b"{");
    for _ in 0..10 {
        items.extend(reader.push(&vec![b' '; 1024 * 1024]));
        assert!(reader.line.capacity() <= 2 * MAX_FRAME_BYTES);
    }
    items.extend(reader.push(b"\n{\"seq\":2,\"type\":\"b\"}\n"));
    assert_eq!(unreadable_lines(&items), [1]);
    assert_eq!(items.len(), 2);
}

#[test]
fn a_capture_continues_after_a_frame_that_is_too_long() {
    let long = "x".repeat(MAX_FRAME_BYTES / 2);
    let next = "id: 3\ndata: {\"type\":\"b\"}\n\n";
    for frame in [
        format!("data: \"{long}\ndata: {long}\ndata: {long}\"\nid: 9\n\n"),
        format!("data: {{\ndata: {long}{long}\ndata: }}\n\n"),
    ] {
        let items = read(&format!("id: 1\ndata: {{\"type\":\"a\"}}\n\n{frame}{next}"));
        assert_eq!(items.len(), 3, "{}", items.len());
        assert_eq!(unreadable_lines(&items).len(), 1);
        assert!(matches!(&items[2], Item::Event(_, event) if event.seq == 3));
    }
}

#[test]
fn a_deeply_nested_event_is_kept_in_every_format() {
    let deep = format!("{{\"x\":{}1{}}}", "[".repeat(1_000), "]".repeat(1_000));
    let line = format!("{{\"seq\":2,\"type\":\"tool_result\",\"data\":{deep}}}");
    let bare = format!("{{\"data\":{deep}}}");
    for text in [line.clone(), format!("[{line}]"), format!("id: 2\nevent: tool_result\ndata: {bare}\n\n")] {
        let items = read(&text);
        let [Item::Event(_, event)] = &items[..] else { panic!("{items:?}") };
        assert_eq!((event.seq, event.kind.as_str()), (2, "tool_result"));
        assert_eq!(crate::Timeline::from_events([event]).integrity.malformed, 0);
        assert!(event.data["x"].to_string().contains("[[[1]]]"));
    }
}

#[test]
fn there_is_no_seq_after_the_largest_one() {
    let items = read(&format!("{{\"seq\":{},\"type\":\"a\"}}\n{{\"type\":\"b\"}}\n", u64::MAX));
    assert_eq!(unreadable_lines(&items), [2]);
}

#[test]
fn an_empty_file_has_no_items() {
    assert_eq!(read(""), []);
    assert_eq!(read("\n \r\n"), []);
}

proptest! {
    #[test]
    fn any_split_of_the_bytes_gives_the_same_items(
        text in prop::sample::select(vec![NDJSON, ARRAY, FRAMES, "{broken\n[1]", "[1,{\"type\":\"a\"},", "data: x\n\n"]),
        cuts in prop::collection::vec(0_usize..200, 0..8),
    ) {
        let bytes = text.as_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.sort_unstable();
        let mut reader = LogReader::default();
        let mut items = Vec::new();
        let mut from = 0;
        for cut in cuts.into_iter().chain([bytes.len()]) {
            items.extend(reader.push(&bytes[from..cut]));
            from = cut;
        }
        items.extend(reader.finish());
        prop_assert_eq!(items, read(text));
    }

    #[test]
    fn nothing_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut reader = LogReader::default();
        reader.push(&bytes);
        reader.finish();
    }
}
