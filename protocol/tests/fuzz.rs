//! Damaged input for every parser: real texts with bytes changed, removed, repeated and swapped.
//!
//! `cargo xtask test fuzz` runs these tests with a fresh seed, which it prints; `PROPTEST_RNG_SEED` repeats one and
//! `PROPTEST_CASES` sets the number of cases. An input that made a test fail becomes a test of its own next to the code.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use protocol::log_file::{Item, LogReader};
use protocol::redact::redact;
use protocol::snippet::{Language, snippet};
use protocol::sse::{Frame, Frames};
use protocol::timeline::verdict;
use protocol::validate::{Body, validate};
use protocol::{Event, Query, Timeline, partial_json};
use serde_json::{Value, json};

const QUERIES: [&str; 8] = [
    "status:failed customer:acme,globex -env:dev duration:>30s since:2h \"free text\"",
    "is:truncated,looping has:output -tool:recall model:\"a b\" cost:<=0.5 tokens:10k..2m",
    "since:2026-02-28 before:2026-03-01T12:00 after:yesterday turns:3 calls:>=4",
    "metadata.status:x metadata.\"odd key\":\"odd \\\" value\" name:inv* agent:a/b",
    "error:rate_limit session:sess_1 id:run_1 text:\"a phrase\"",
    "-\"not this\" a,b,c \"\" : -: key: :value ,",
    "größe:übergröße 東京 \u{202e}evil 👩‍🚀:👩‍🚀",
    "duration:>99999999999999999999h cost:>1e999 since:-1d before:9999-99-99",
];

const SPECS: [&str; 3] = [
    r##"{"name":"x","systemPrompt":"You help.","prompt":"Hello","modelId":"a/b","tools":[{"kind":"local","name":"f","parameters":{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"enum":[1]}}}}],"budgets":{"maxToolTurns":32},"metadata":{"customer":"acme"}}"##,
    r#"{"agentId":"agent_1","messages":[{"role":"user","content":"Hi","attachments":[{"type":"input_file","mimeType":"text/plain","data":"YQ=="}]}],"outputSchema":{"name":"o","enforcement":"strict","schema":{"type":"object","allOf":[{"required":["a"]}]}}}"#,
    r#"{"systemPrompt":"s","prompt":"p","plan":{"mode":"auto","steps":["a"]},"supervisor":{"interval":5},"loopDetection":{"consecutiveThreshold":2},"toolBudgets":{"f":{"maxCalls":0}},"tools":[{"kind":"mcp","name":"m","url":"https://example.com/mcp","headers":{"Authorization":"Bearer secret"}},{"kind":"a2a_local","name":"h","agentCard":{"name":"H","skills":[{"id":"s"}]}}]}"#,
];

/// Parts that parsers react to.
const TOKENS: [&str; 28] = [
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "data:",
    "id:",
    "event:",
    "\0",
    "\u{feff}",
    "null",
    "-1",
    "1e400",
    "18446744073709551615",
    "\\u0000",
    "\\ud800",
    "é",
    "𝄞",
    "\u{202e}",
    "\t",
    "   ",
];

static LOGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
    let files = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|kind| kind == "ndjson")).collect();
    files.sort();
    // Long logs take long, and have nothing that short ones lack.
    files.iter().map(|file| fs::read_to_string(file).expect("a log")).filter(|log| log.len() < 20_000).collect()
});

/// A change of a text.
#[derive(Clone, Debug)]
enum Damage {
    Replace(Index, u8),
    Remove(Index, u8),
    Repeat(Index, u8),
    Insert(Index, &'static str),
    Swap(Index, Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Replace(at, byte)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, length)| Damage::Remove(at, length)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, length)| Damage::Repeat(at, length)),
        (any::<Index>(), select(&TOKENS[..])).prop_map(|(at, token)| Damage::Insert(at, token)),
        (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Damage::Swap(a, b)),
    ]
}

fn damaged(text: &str, damages: &[Damage]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for damage in damages {
        let at = |index: &Index| index.index(bytes.len() + 1);
        match damage {
            Damage::Replace(index, byte) => {
                let at = at(index);
                bytes.splice(at..(at + 1).min(bytes.len()), [*byte]);
            }
            Damage::Remove(index, length) => {
                let at = at(index);
                bytes.drain(at..(at + usize::from(*length)).min(bytes.len()));
            }
            Damage::Repeat(index, length) => {
                let at = at(index);
                let part = bytes[at..(at + usize::from(*length)).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
            Damage::Insert(index, token) => {
                let at = at(index);
                bytes.splice(at..at, token.bytes());
            }
            Damage::Swap(a, b) if !bytes.is_empty() => {
                let (a, b) = (a.index(bytes.len()), b.index(bytes.len()));
                bytes.swap(a, b);
            }
            Damage::Swap(..) => {}
        }
    }
    bytes
}

fn damages() -> impl Strategy<Value = Vec<Damage>> {
    prop::collection::vec(damage(), 0..12)
}

fn split_at(bytes: &[u8], cuts: &[Index]) -> Vec<Vec<u8>> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| bytes[pair[0]..pair[1]].to_vec()).collect()
}

/// Builds everything that is shown of a log.
fn show(events: &[Event]) -> (Timeline, String) {
    let timeline = Timeline::from_events(events);
    let sentences = verdict(&timeline, None);
    let shown = format!("{:?} {sentences:?} {:?} {}", timeline.banners(), timeline.repetitions(), timeline.answer());
    (timeline, shown)
}

fn events(items: &[Item]) -> Vec<Event> {
    let event = |item: &Item| match item {
        Item::Event(_, event) => Some(event.clone()),
        _ => None,
    };
    items.iter().filter_map(event).collect()
}

fn frames(pieces: &[Vec<u8>]) -> Option<Vec<Frame>> {
    let mut frames = Frames::default();
    let mut all = Vec::new();
    for piece in pieces {
        all.extend(frames.push(piece).ok()?);
    }
    Some(all)
}

proptest! {
    #[test]
    fn damaged_queries_are_parsed_or_refused_at_a_place(text in select(&QUERIES[..]), damages in damages()) {
        let text = String::from_utf8_lossy(&damaged(text, &damages)).into_owned();
        let errors = Query::errors(&text);
        for error in &errors {
            prop_assert!(text.get(error.at.clone()).is_some(), "{:?} in {:?}", error.at, text);
        }
        match Query::parse(&text) {
            Ok(query) => {
                prop_assert!(errors.is_empty());
                let printed = query.to_string();
                prop_assert_eq!(Query::parse(&printed), Ok(query), "{:?}", printed);
            }
            Err(error) => prop_assert_eq!(errors.first(), Some(&error)),
        }
    }

    #[test]
    fn damaged_logs_are_imported_alike_in_any_pieces(
        log in select(LOGS.as_slice()),
        damages in damages(),
        cuts in prop::collection::vec(any::<Index>(), 0..6),
        end in any::<Index>(),
    ) {
        let bytes = damaged(&log, &damages);
        let mut whole = LogReader::default();
        let mut items = whole.push(&bytes);
        items.extend(whole.finish());
        let mut pieces = LogReader::default();
        let mut from_pieces: Vec<Item> = split_at(&bytes, &cuts).iter().flat_map(|piece| pieces.push(piece)).collect();
        from_pieces.extend(pieces.finish());
        prop_assert_eq!(&items, &from_pieces);

        let events = events(&items);
        let (timeline, shown) = show(&events);
        let mut continued = Timeline::from_events(&events[..end.index(events.len() + 1)]);
        for event in &events[end.index(events.len() + 1)..] {
            continued.apply(event);
        }
        prop_assert_eq!(&timeline, &continued);
        prop_assert_eq!(shown, show(&events).1);
    }

    #[test]
    fn damaged_streams_give_the_same_frames_in_any_pieces(
        log in select(LOGS.as_slice()),
        damages in damages(),
        cuts in prop::collection::vec(any::<Index>(), 0..6),
    ) {
        let stream: String = log.lines().enumerate().map(|(i, line)| format!("id: {i}\nevent: x\ndata: {line}\n\n")).collect();
        let bytes = damaged(&stream, &damages);
        let whole = frames(std::slice::from_ref(&bytes));
        prop_assert_eq!(&whole, &frames(&split_at(&bytes, &cuts)));
        let events: Vec<Event> = whole.iter().flatten().filter_map(|frame| Event::parse(&frame.data).ok()).collect();
        show(&events);
    }

    #[test]
    fn damaged_specs_are_checked_masked_and_shown_as_code(text in select(&SPECS[..]), damages in damages()) {
        let text = String::from_utf8_lossy(&damaged(text, &damages)).into_owned();
        let spec: Value = serde_json::from_str(&text).unwrap_or_else(|_| json!({ "prompt": text }));
        for body in [Body::Run, Body::Message] {
            for error in validate(body, &spec) {
                prop_assert!(!error.message.is_empty());
            }
        }
        let mut masked = spec.clone();
        redact(&mut masked);
        prop_assert_eq!(masked.is_object(), spec.is_object());
        let mut again = masked.clone();
        redact(&mut again);
        prop_assert_eq!(again, masked);
        for language in Language::ALL {
            prop_assert!(!snippet(language, "http://127.0.0.1/runs", &spec).is_empty());
        }
    }

    #[test]
    fn damaged_json_is_read_as_far_as_it_goes(text in select(&SPECS[..]), damages in damages(), end in any::<Index>()) {
        let text = String::from_utf8_lossy(&damaged(text, &damages)).into_owned();
        let end = (0..=end.index(text.len() + 1).min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        if let Some(read) = partial_json::read(&text[..end]) {
            prop_assert!(read.open_path().is_none_or(|path| path.is_empty() || path.starts_with('/')));
        }
    }
}
