//! Tests of timings, also with faulty clocks.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::Event;
use crate::timeline::properties::arbitrary_event;

const START_MS: i64 = 1_790_000_000_000;

/// Events with their seconds after the start.
fn log(events: &[(&str, Value, Option<i64>)]) -> Timeline {
    let events = events.iter().zip(1..).map(|((kind, data, second), seq)| {
        let mut event = Event::new(seq, *kind, data.clone());
        event.observed_at_ms = second.map(|second| START_MS + second * 1_000);
        event
    });
    Timeline::from_events(&events.collect::<Vec<_>>())
}

fn call(id: &str, name: &str) -> Value {
    json!({ "toolUseId": id, "name": name, "args": {}, "input": {} })
}

fn describe(timing: &Timing) -> String {
    let shares = timing.shares.iter().map(|share| format!("{:?} {}", share.step, share.ms / 1_000));
    shares.collect::<Vec<_>>().join(", ")
}

#[test]
fn time_is_divided_between_model_tools_and_waiting() {
    let timeline = log(&[
        ("started", json!({}), Some(0)),
        ("assistant_delta", json!({ "text": "a" }), Some(2)),
        ("assistant_message", json!({ "text": "a" }), Some(3)),
        ("tool_call", call("t1", "recall"), Some(3)),
        ("tool_result", json!({ "toolUseId": "t1", "result": "r" }), Some(7)),
        ("assistant_message", json!({ "text": "b" }), Some(8)),
        ("local_tool_call", call("t2", "approve"), Some(8)),
        ("local_tool_result_in", json!({ "toolUseId": "t2", "result": "yes" }), Some(49)),
        ("assistant_message", json!({ "text": "c" }), Some(50)),
        ("result", json!({ "text": "c" }), Some(50)),
    ]);
    let timing = Timing::of(&timeline, None).expect("times");
    assert_eq!(describe(&timing), r#"Waiting("approve") 41, Model 5, Tool("recall") 4"#);
    assert_eq!((timing.total_ms(), timing.observed, timing.out_of_order), (50_000, true, 0));
    let turns: Vec<_> =
        (0..3).map(|turn| timing.turn(turn).map(|span| (span.start_ms - START_MS, span.duration_ms))).collect();
    assert_eq!(turns, [Some((0, Some(7_000))), Some((7_000, Some(42_000))), Some((49_000, Some(1_000)))]);
    assert_eq!(timing.turns[0].first_token_ms, Some(START_MS + 2_000));
    let calls: Vec<_> = timeline.calls().map(|call| timing.call(call).and_then(|span| span.duration_ms)).collect();
    assert_eq!(calls, [Some(4_000), Some(41_000)]);
}

/// The same events with the times of the log, and not those of their arrival.
fn recorded(events: &[(&str, Value, Option<i64>)]) -> Timeline {
    let events = events.iter().zip(1..).map(|((kind, data, second), seq)| {
        let mut event = Event::new(seq, *kind, data.clone());
        event.extra.extend(second.map(|second| ("at".to_owned(), (START_MS + second * 1_000).into())));
        event
    });
    Timeline::from_events(&events.collect::<Vec<_>>())
}

#[test]
fn the_first_turn_begins_when_the_run_was_created() {
    let events = [("assistant_message", json!({ "text": "a" }), Some(3)), ("result", json!({}), Some(3))];
    let timeline = recorded(&events);
    let timing = Timing::of(&timeline, Some(START_MS)).expect("times");
    assert_eq!((describe(&timing).as_str(), timing.total_ms()), ("Model 3", 3_000));
    assert_eq!(timing.turn(0).and_then(|span| span.duration_ms), Some(3_000));
    // A clock may be wrong.
    for created_at_ms in [START_MS + 60_000, START_MS - 10 * MAX_DELAY_MS] {
        assert_eq!(Timing::of(&timeline, Some(created_at_ms)).expect("times").total_ms(), 0);
    }
    // Events arrive by another clock than the one of the snapshot.
    let observed = Timing::of(&log(&events), Some(START_MS)).expect("times");
    assert_eq!((describe(&observed).as_str(), observed.total_ms(), observed.turn(0)), ("", 0, None));
}

#[test]
fn the_beginning_that_nobody_saw_is_unobserved_and_part_of_no_step() {
    let timeline = log(&[
        ("assistant_message", json!({ "text": "a" }), None),
        ("tool_call", call("t1", "recall"), Some(40)),
        ("tool_result", json!({ "toolUseId": "t1", "result": "r" }), Some(42)),
    ]);
    let timing = Timing::of(&timeline, Some(START_MS)).expect("times");
    assert_eq!((describe(&timing).as_str(), timing.total_ms()), (r#"Unobserved 40, Tool("recall") 2"#, 42_000));
    assert_eq!((timing.turn(0), timing.observed_ms()), (None, 2_000));
}

#[test]
fn one_known_time_is_not_a_duration() {
    let events = [("assistant_message", json!({ "text": "a" }), Some(3)), ("result", json!({}), None)];
    assert_eq!(Timing::of(&log(&events), None), None);
    assert_eq!(Timing::of(&recorded(&events), None), None);
    assert_eq!(Timing::of(&recorded(&events), Some(START_MS)).expect("times").total_ms(), 3_000);
    let deltas =
        [("assistant_delta", json!({ "text": "a" }), Some(3)), ("assistant_delta", json!({ "text": "b" }), None)];
    assert_eq!(Timing::of(&log(&deltas), None), None);
}

#[test]
fn a_turn_after_an_event_without_a_time_has_no_start() {
    let timeline = log(&[
        ("assistant_message", json!({ "text": "a" }), Some(0)),
        ("tool_call", call("t1", "recall"), Some(1)),
        ("tool_result", json!({ "toolUseId": "t1", "result": "r" }), None),
        ("assistant_delta", json!({ "text": "b" }), Some(9)),
        ("assistant_message", json!({ "text": "b" }), Some(10)),
    ]);
    let timing = Timing::of(&timeline, None).expect("times");
    assert_eq!((timing.turn(0), timing.turn(1)), (None, None));
    assert_eq!(timing.turns[1].first_token_ms, Some(START_MS + 9_000));
}

#[test]
fn a_result_before_its_call_does_not_leave_the_call_open() {
    let timeline = log(&[
        ("local_tool_result_in", json!({ "toolUseId": "t1", "result": "yes" }), Some(0)),
        ("local_tool_call", call("t1", "approve"), Some(1)),
        ("assistant_message", json!({ "text": "b" }), Some(9)),
        ("result", json!({ "text": "b" }), Some(10)),
    ]);
    let timing = Timing::of(&timeline, None).expect("times");
    assert_eq!((describe(&timing).as_str(), timing.slowest_tool(), timing.waited_ms()), ("Model 10", None, None));
    assert_eq!(timing.call(timeline.calls().next().expect("a call")).and_then(|span| span.duration_ms), None);
}

#[test]
fn a_call_whose_result_is_lost_ends_when_the_model_goes_on() {
    let timeline = log(&[
        ("assistant_message", json!({ "text": "a" }), Some(0)),
        ("tool_call", call("t1", "recall"), Some(1)),
        ("local_tool_call", call("t2", "approve"), Some(2)),
        ("assistant_delta", json!({ "text": "b" }), Some(4)),
        ("assistant_delta", json!({ "text": "b" }), Some(8)),
        ("assistant_message", json!({ "text": "bb" }), Some(9)),
        ("result", json!({ "text": "bb" }), Some(30)),
    ]);
    let timing = Timing::of(&timeline, None).expect("times");
    assert_eq!(describe(&timing), r#"Model 27, Waiting("approve") 2, Tool("recall") 1"#);
}

#[test]
fn a_wait_is_unknown_if_a_call_has_no_times() {
    let waits = |call_at: Option<i64>, note_at: Option<i64>| {
        let timeline = log(&[
            ("assistant_message", json!({ "text": "a" }), Some(0)),
            ("local_tool_call", call("t1", "approve"), call_at),
            ("supervisor", json!({ "action": "on_track", "reason": "" }), note_at),
            ("local_tool_result_in", json!({ "toolUseId": "t1", "result": "yes" }), Some(40)),
            ("assistant_message", json!({ "text": "b" }), Some(41)),
            ("local_tool_call", call("t2", "approve"), Some(41)),
            ("local_tool_result_in", json!({ "toolUseId": "t2", "result": "yes" }), Some(43)),
        ]);
        let timing = Timing::of(&timeline, None).expect("times");
        (timing.waited_ms(), timing.observed_ms())
    };
    assert_eq!(waits(Some(0), Some(5)), (Some(42_000), 43_000));
    // The run waited all along, although another event in between has no time.
    assert_eq!(waits(Some(0), None), (Some(42_000), 43_000));
    assert_eq!(waits(None, None), (None, 3_000));
}

#[test]
fn unknown_times_are_unobserved_and_never_guessed() {
    let timeline = log(&[
        ("started", json!({}), Some(0)),
        ("assistant_message", json!({ "text": "a" }), Some(3)),
        ("tool_call", call("t1", "recall"), None),
        ("tool_result", json!({ "toolUseId": "t1", "result": "r" }), Some(9)),
        ("assistant_message", json!({ "text": "b" }), Some(10)),
        ("result", json!({ "text": "b" }), None),
    ]);
    let timing = Timing::of(&timeline, None).expect("times");
    assert_eq!(describe(&timing), "Unobserved 6, Model 4");
    let unobserved: Vec<_> = timing.stretches.iter().filter(|stretch| stretch.step == Step::Unobserved).collect();
    assert_eq!((unobserved.len(), unobserved[0].from_ms, unobserved[0].to_ms), (1, START_MS + 3_000, START_MS + 9_000));
    assert_eq!(timing.around(3), (START_MS + 3_000, START_MS + 9_000));
    assert_eq!(timeline.calls().map(|call| timing.call(call)).collect::<Vec<_>>(), [None]);
    assert_eq!(Timing::of(&log(&[("started", json!({}), None), ("result", json!({}), None)]), None), None);
    assert_eq!(Timing::of(&Timeline::default(), None), None);
}

#[test]
fn a_clock_that_goes_back_stands_still_and_is_counted() {
    let timeline = log(&[
        ("started", json!({}), Some(10)),
        ("assistant_message", json!({ "text": "a" }), Some(4)),
        ("result", json!({ "text": "a" }), Some(12)),
    ]);
    let timing = Timing::of(&timeline, None).expect("times");
    assert_eq!((timing.total_ms(), timing.out_of_order), (2_000, 1));
    assert_eq!(timing.turn(0).and_then(|span| span.duration_ms), Some(0));
}

#[test]
fn recorded_times_are_not_mixed_with_arrival_times() {
    let mut first = Event::new(1, "started", json!({}));
    first.extra.insert("at".to_owned(), START_MS.into());
    let mut second = Event::new(2, "assistant_message", json!({ "text": "a" }));
    second.observed_at_ms = Some(START_MS + 900_000);
    let mut third = Event::new(3, "result", json!({ "text": "a" }));
    third.extra.insert("at".to_owned(), (START_MS + 5_000).into());
    let timing = Timing::of(&Timeline::from_events(&[first, second, third]), None).expect("times");
    assert_eq!((describe(&timing).as_str(), timing.observed), ("Unobserved 5", false));
}

#[test]
fn a_run_in_progress_lasts_until_now() {
    let timeline = log(&[
        ("started", json!({}), Some(0)),
        ("assistant_message", json!({ "text": "a" }), Some(2)),
        ("local_tool_call", call("t1", "approve"), Some(2)),
    ]);
    let mut timing = Timing::of(&timeline, None).expect("times");
    timing.extend_to(START_MS + 30_000);
    assert_eq!((describe(&timing).as_str(), timing.total_ms()), (r#"Waiting("approve") 28, Model 2"#, 30_000));
    assert_eq!((timing.waited_ms(), timing.slowest_tool()), (Some(28_000), Some("approve")));
    // A clock that is behind changes nothing.
    timing.extend_to(START_MS);
    assert_eq!(timing.total_ms(), 30_000);
}

#[test]
fn a_replay_shows_events_when_they_happened() {
    let timeline = log(&[
        ("started", json!({}), Some(0)),
        ("assistant_delta", json!({ "text": "a" }), Some(2)),
        ("assistant_delta", json!({ "text": "b" }), None),
        ("assistant_delta", json!({ "text": "c" }), Some(4)),
        ("assistant_message", json!({ "text": "abc" }), None),
        ("result", json!({ "text": "abc" }), Some(9)),
    ]);
    let timing = Timing::of(&timeline, None).expect("times");
    assert_eq!(timing.steps_after(0, 10), [(1, 0), (2, 2_000), (3, 3_000), (4, 4_000), (5, 4_000), (6, 9_000)]);
    assert_eq!(timing.steps_after(3, 2), [(4, 4_000), (5, 4_000)]);
    assert_eq!((timing.elapsed_at(3), timing.elapsed_at(5), timing.elapsed_at(0)), (3_000, 4_000, 0));
    assert_eq!(timing.steps_after(6, 10), []);
}

#[test]
fn a_replay_of_deltas_with_a_huge_gap_lists_only_the_steps_it_shows() {
    const LAST_SEQ: u64 = 9_007_199_254_740_000;
    let delta = |seq, text, at_ms: i64| {
        let mut event = Event::new(seq, "assistant_delta", json!({ "text": text }));
        event.extra.insert("at".to_owned(), at_ms.into());
        event
    };
    let events = [delta(1, "a", 946_684_800_000), delta(LAST_SEQ, "b", 4_102_444_799_000)];
    let timing = Timing::of(&Timeline::from_events(&events), None).expect("times");
    assert_eq!(timing.steps_after(1, 3).len(), 3);
    assert_eq!(timing.elapsed_at(LAST_SEQ), timing.total_ms());
    assert!(timing.elapsed_at(LAST_SEQ / 2).abs_diff(timing.total_ms() / 2) < 1_000);
}

#[test]
fn thousands_of_open_calls_take_no_time_to_read() {
    let calls: Vec<Event> = (1..=10_000)
        .map(|seq| {
            let mut event = Event::new(seq, "tool_call", call(&format!("t{seq}"), "look"));
            event.observed_at_ms = Some(START_MS + seq as i64);
            event
        })
        .collect();
    let timing = Timing::of(&Timeline::from_events(&calls), None).expect("times");
    assert_eq!(timing.stretches.len(), 1);
}

/// Times that go back, stand still, are far apart, or are missing; some from the log and some from the arrival.
fn with_any_times() -> impl Strategy<Value = Vec<Event>> {
    let near = START_MS..START_MS + 100_000;
    let far = prop::sample::select(vec![0, -5, i64::MAX, i64::MIN, 946_684_800_000, 4_102_444_799_999]);
    let time = prop_oneof![6 => near.clone(), 2 => prop::sample::select(vec![START_MS, START_MS + 5]), 1 => far];
    let event = (arbitrary_event(), prop::option::of(time.clone()), prop::option::weighted(0.2, time));
    prop::collection::vec(event, 0..40).prop_map(|events| {
        let with_times = events.into_iter().map(|(mut event, observed_at_ms, at_ms)| {
            event.observed_at_ms = observed_at_ms;
            event.extra.extend(at_ms.map(|at_ms| ("at".to_owned(), at_ms.into())));
            event
        });
        with_times.collect()
    })
}

proptest! {
    #[test]
    fn shares_never_exceed_the_whole_and_nothing_is_negative(
        events in with_any_times(),
        created_at_ms in prop::option::of(prop::sample::select(vec![START_MS - 5, START_MS + 7, 0, i64::MIN, i64::MAX])),
        now_ms in prop::sample::select(vec![0, START_MS + 50_000, i64::MAX]),
    ) {
        let timeline = Timeline::from_events(&events);
        if let Some(mut timing) = Timing::of(&timeline, created_at_ms) {
            for _ in 0..2 {
                let within = timing.start_ms..=timing.end_ms;
                let sum: u64 = timing.shares.iter().map(|share| share.ms).sum();
                prop_assert!(sum <= timing.total_ms(), "{} of {}", sum, timing.total_ms());
                prop_assert!(timing.waited_ms().is_none_or(|waited_ms| waited_ms <= sum));
                prop_assert!(timing.turns.iter().all(|turn| turn.end_ms.zip(turn.start_ms).is_none_or(|(end, start)| end >= start)));
                for call in timeline.calls() {
                    prop_assert!(timing.call(call).is_none_or(|span| within.contains(&span.start_ms)));
                    let (before_ms, after_ms) = timing.around(call.seq);
                    prop_assert!(before_ms <= after_ms && within.contains(&before_ms) && within.contains(&after_ms));
                }
                let mut at_ms = timing.start_ms;
                for stretch in &timing.stretches {
                    prop_assert!(stretch.from_ms >= at_ms && stretch.to_ms > stretch.from_ms);
                    at_ms = stretch.to_ms;
                }
                prop_assert!(at_ms <= timing.end_ms);
                timing.extend_to(now_ms);
            }
        }
    }

    #[test]
    fn a_replay_in_the_original_speed_goes_forward_and_reaches_the_end(events in with_any_times()) {
        let mut events = events;
        // A page replays a stored log, which has each seq once and in order.
        events.sort_by_key(|event| event.seq);
        events.dedup_by_key(|event| event.seq);
        let timeline = Timeline::from_events(&events);
        if let Some(timing) = Timing::of(&timeline, None) {
            let (mut seq, mut at_ms) = (0, 0);
            // Deltas that claim a century between them have billions of steps.
            for _ in 0..2_000 {
                let Some((next, next_ms)) = timing.steps_after(seq, 1).first().copied() else {
                    prop_assert_eq!(seq, events.last().map_or(0, |event| event.seq));
                    break;
                };
                prop_assert!(next > seq && next_ms >= at_ms && next_ms <= timing.total_ms());
                (seq, at_ms) = (next, next_ms);
            }
        }
    }
}
