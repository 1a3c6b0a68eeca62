//! Rows of sample logs, as text.

use std::fmt::Write;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::timeline::properties::arbitrary_event;
use crate::timeline::tests::sample;

fn options(density: Density, open: &[&str], query: &str) -> RowOptions {
    RowOptions { density, open: open.iter().map(|key| (*key).to_owned()).collect(), query: RowQuery::parse(query) }
}

/// Returns all rows.
fn rows(timeline: &Timeline, options: &RowOptions) -> Vec<Row> {
    let rows = Rows::new(timeline, &[], options);
    rows.window(0..rows.len())
}

/// Prints one line for each row: depth, key, seq, kind, and a star if it matches.
fn print(log: &str, options: &RowOptions) -> String {
    let timeline = sample(log);
    rows(&timeline, options).iter().fold(String::new(), |mut text, row| {
        let star = if row.hit && !options.query.is_empty() { " *" } else { "" };
        let indent = "  ".repeat(row.depth as usize);
        let _ = writeln!(text, "{indent}{} #{} {:?}{star}", row.key, row.seq, row.kind);
        text
    })
}

#[test]
fn user_input_is_parsed_with_quotes_and_in_any_case() {
    let text = |input: &str| RowQuery::parse(input).text.unwrap_or_default();
    assert_eq!(text("\"Zweiter Teil\""), "Zweiter Teil");
    assert_eq!(text("a \"tool:b is:error\" c"), "a tool:b is:error c");
    assert_eq!(text("\"open"), "open");
    assert!(RowQuery::parse("is:errors").errors_only && RowQuery::parse("\"\"").is_empty());
    let hits = |log: &str, density: Density, query: &str| {
        Rows::new(&sample(log), &[], &options(density, &[], query)).hits().len()
    };
    assert_eq!(hits("loop-gave-up", Density::Normal, "NUDGED"), 1);
    assert_eq!(hits("loop-gave-up", Density::Normal, "loop_detected"), 2);
    assert_eq!(hits("guards-2026", Density::Conversation, "stuck"), 0);
    assert_eq!(hits("guards-2026", Density::Normal, "STUCK re"), 1);
    let timeline = Timeline::from_events(&[crate::Event::new(
        1,
        "assistant_message",
        serde_json::json!({ "text": "Привет, Ünal" }),
    )]);
    for query in ["привет", "ПРИВЕТ", "ünal"] {
        assert_eq!(Rows::new(&timeline, &[], &options(Density::Normal, &[], query)).hits().len(), 1, "{query}");
    }
}

#[test]
fn repeated_batches_share_a_row_and_guards_stay_visible() {
    insta::assert_snapshot!(print("loop-gave-up", &options(Density::Normal, &[], "")), @r"
    t0 #1 Turn
      t0-0 #1 Call { entry: 0, open: false }
    t1-repeats #3 Repeats { times: 2, last_turn: 2, open: false }
      t2-1 #7 Note { entry: 1 }
    t3-repeats #8 Repeats { times: 3, last_turn: 5, open: false }
      t5-1 #14 Note { entry: 1 }
    t6 #19 Turn
      t6-text #15 Text
    end #20 Outcome
    ");
}

#[test]
fn a_waiting_call_is_visible_also_if_it_repeats_another() {
    let call = |seq, id: &str| {
        let data = serde_json::json!({ "name": "approve", "toolUseId": id, "args": { "n": 1 } });
        crate::Event::new(seq, "local_tool_call", data)
    };
    let message = |seq, id: &str| {
        let calls = serde_json::json!([{ "id": id, "name": "approve", "input": { "n": 1 } }]);
        crate::Event::new(seq, "assistant_message", serde_json::json!({ "text": "", "toolCalls": calls }))
    };
    let answer = crate::Event::new(3, "local_tool_result_in", serde_json::json!({ "toolUseId": "a", "output": "yes" }));
    let timeline = Timeline::from_events(&[message(1, "a"), call(2, "a"), answer, message(4, "b"), call(5, "b")]);
    let shown = rows(&timeline, &options(Density::Normal, &[], ""));
    let shown: Vec<_> = shown.iter().map(|row| (row.key.as_str(), row.seq)).collect();
    assert_eq!(shown, [("t0", 1), ("t0-0", 2), ("t1-repeats", 4), ("t1-0", 5)]);
}

#[test]
fn an_open_row_shows_every_repeat() {
    let open = print("loop-gave-up", &options(Density::Normal, &["t1-repeats", "t3-repeats"], ""));
    assert_eq!(open.lines().filter(|line| line.contains("Call")).count(), 6);
    assert!(open.contains("  t5 #12 Turn"), "{open}");
}

#[test]
fn a_conversation_has_only_messages_and_the_end() {
    insta::assert_snapshot!(print("session-replay", &options(Density::Conversation, &[], "")), @r"
    t0-0 #1 Note { entry: 0 }
    t0-text #2 Text
    t1-0 #3 Note { entry: 0 }
    t1-1 #4 Note { entry: 1 }
    t1-text #5 Text
    ");
    insta::assert_snapshot!(print("guards-2026", &options(Density::Conversation, &[], "")), @r"
    t2-text #13 Text
    end #14 Outcome
    ");
}

#[test]
fn every_event_has_a_row_and_deltas_in_a_row_share_one() {
    insta::assert_snapshot!(print("truncated-json", &options(Density::EveryEvent, &[], "")), @r"
    x0 #1 Events { index: 0, open: false }
    x1 #17 Events { index: 1, open: false }
    x2 #18 Events { index: 2, open: false }
    ");
}

#[test]
fn rows_of_events_are_found_by_any_text_of_the_event_except_secrets() {
    let events = [
        Event::new(1, "started", json!({ "region": "eu-west" })),
        Event::new(2, "assistant_message", json!({ "text": "Hello." })),
        Event::new(3, "custom", json!({ "apiKey": "hidden-value", "note": "Second" })),
    ];
    let timeline = Timeline::from_events(&events);
    let hits = |density: Density, query: &str| {
        let options = options(density, &[], query);
        Rows::new(&timeline, &events, &options).hits().to_vec()
    };
    assert_eq!(hits(Density::EveryEvent, "EU-WEST"), [0]);
    assert_eq!(hits(Density::EveryEvent, "type:custom second"), [2]);
    assert_eq!(hits(Density::EveryEvent, "type:started second"), [0; 0]);
    assert_eq!(hits(Density::EveryEvent, "hidden-value"), [0; 0]);
    assert_eq!(hits(Density::Normal, "eu-west"), [0; 0]);
}

#[test]
fn thinking_text_calls_and_notes_are_in_the_order_of_the_log() {
    insta::assert_snapshot!(print("guards-2026", &options(Density::Normal, &[], "")), @r"
    t0 #2 Turn
      t0-0 #1 Note { entry: 0 }
      t0-1 #2 Call { entry: 1, open: false }
      t0-2 #5 Note { entry: 2 }
      t0-3 #6 Note { entry: 3 }
    t1 #7 Turn
      t1-0 #7 Call { entry: 0, open: false }
      t1-1 #9 Note { entry: 1 }
      t1-2 #10 Note { entry: 2 }
      t1-3 #11 Note { entry: 3 }
      t1-4 #12 Note { entry: 4 }
    t2 #13 Turn
      t2-text #13 Text
    end #14 Outcome
    ");
    insta::assert_snapshot!(print("local-tools", &options(Density::Normal, &["t0-0"], "is:error")), @r"
    t0 #3 Turn
      t0-thinking #1 Thinking { open: false }
      t0-0 #4 Call { entry: 0, open: true }
      t0-1 #5 Call { entry: 1, open: false } *
    t1 #8 Turn
      t1-text #8 Text
      t1-0 #9 Call { entry: 0, open: false }
    t2 #11 Turn
      t2-text #11 Text
    end #12 Outcome
    ");
}

#[test]
fn a_query_finds_tools_types_errors_and_text_also_in_a_closed_row() {
    let hits = |log: &str, density, query: &str| {
        let (timeline, options) = (sample(log), options(density, &[], query));
        let rows = Rows::new(&timeline, &[], &options);
        rows.hits().iter().map(|place| rows.window(*place..place + 1)[0].key.clone()).collect::<Vec<_>>()
    };
    assert_eq!(hits("local-tools", Density::Normal, "tool:READ_FILE"), ["t0-0"]);
    assert_eq!(hits("guards-2026", Density::Normal, "type:supervisor redirect"), Vec::<String>::new());
    assert_eq!(hits("guards-2026", Density::Normal, "type:supervisor stuck"), ["t1-2"]);
    assert_eq!(hits("loop-gave-up", Density::Normal, "exact call"), ["t1-repeats", "t3-repeats"]);
    assert_eq!(hits("local-tools", Density::EveryEvent, "enoent"), ["x3", "x4"]);
    assert_eq!(hits("truncated-json", Density::Normal, "is:error"), ["end"]);
}

#[test]
fn a_window_is_a_part_of_all_rows_and_links_find_their_row() {
    let (timeline, options) = (sample("loop-gave-up"), RowOptions::default());
    let all = rows(&timeline, &options);
    let rows = Rows::new(&timeline, &[], &options);
    assert_eq!(rows.window(2..5), all[2..5]);
    assert_eq!(rows.window(all.len()..usize::MAX), []);
    let found = rows.place_of(14).map(|place| all[place].key.clone());
    assert_eq!(found.as_deref(), Some("t5-1"));
}

/// If each group of deltas searched its whole turn again, this test would take minutes.
#[test]
fn a_turn_of_many_rows_is_searched_once() {
    let mut timeline = Timeline::default();
    for seq in 1..=20_000 {
        let kind = if seq % 2 == 0 { "later" } else { "assistant_delta" };
        timeline.apply(&crate::Event::new(seq, kind, serde_json::json!({ "text": "x".repeat(400) })));
    }
    let options = options(Density::EveryEvent, &[], "needle");
    assert!(Rows::new(&timeline, &[], &options).hits().is_empty());
}

proptest! {
    #[test]
    fn keys_are_unique_and_windows_agree_for_any_log(
        events in prop::collection::vec(arbitrary_event(), 0..60),
        density in prop::sample::select(vec![Density::Conversation, Density::Normal, Density::EveryEvent]),
        query in prop::sample::select(vec!["", "a", "is:error", "tool:x", "type:tool_result"]),
        open in prop::sample::select(vec![vec![], vec!["t0-repeats", "t1-repeats", "t2-repeats"]]),
    ) {
        let timeline = Timeline::from_events(&events);
        let options = options(density, &open, query);
        let all = rows(&timeline, &options);
        let keys: BTreeSet<&str> = all.iter().map(|row| row.key.as_str()).collect();
        prop_assert_eq!(keys.len(), all.len());
        let rows = Rows::new(&timeline, &[], &options);
        let (first, second) = (rows.window(0..all.len() / 2), rows.window(all.len() / 2..all.len()));
        prop_assert_eq!([first, second].concat(), all);
    }
}
