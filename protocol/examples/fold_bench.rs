//! Measures the reducer with a log of 100,000 events: `cargo run --release -p protocol --example fold_bench`.
//!
//! The log is always the same: 90,000 deltas and 5,000 calls. Prints one number a line, `name value unit`, for `cargo xtask
//! bench fold`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use protocol::timeline::{Density, Replay, RowOptions, RowQuery, Rows, Timing, minimap, verdict};
use protocol::{Event, Timeline};
use serde_json::json;

const TURNS: u64 = 2_500;
const CALLS_PER_TURN: u64 = 2;
const DELTAS_PER_TURN: usize = 36;
/// The factor of deltas for the same text, which must not make the timeline larger.
const FINER: usize = 10;
/// When the run began; an event arrives every 40 ms.
const START_MS: i64 = 1_790_000_000_000;
/// The number of timed folds and scrubs.
const FOLDS: usize = 10;
const SCRUBS: usize = 300;

fn main() {
    let events = log(DELTAS_PER_TURN);
    figure("events", events.len() as f64, "events");
    figure("deltas", count(&events, "_delta") as f64, "events");
    figure("calls", count(&events, "tool_result") as f64, "calls");

    let (mut folds, mut held) = (Vec::new(), 0);
    let on_cpu = cpu_time();
    for _ in 0..FOLDS {
        let before = HELD.load(Ordering::Relaxed);
        let start = Instant::now();
        let timeline = Timeline::from_events(&events);
        folds.push(start.elapsed());
        held = HELD.load(Ordering::Relaxed) - before;
        black_box(timeline);
    }
    let finer = held_by_timeline(&log(DELTAS_PER_TURN * FINER));
    if let (Some(before), Some(after)) = (on_cpu, cpu_time()) {
        figure("fold and drop, CPU time", ms(after.saturating_sub(before)) / FOLDS as f64, "ms");
    }
    spread("fold", folds);
    figure("timeline", held as f64 / 1024.0, "KiB");
    figure("timeline, ten times the deltas", finer as f64 / held as f64, "times as large");

    let before = HELD.load(Ordering::Relaxed);
    let start = Instant::now();
    let replay = Replay::new(events);
    figure("first fold with checkpoints", ms(start.elapsed()), "ms");
    // Without the events, which were allocated before.
    figure("timeline and checkpoints", (HELD.load(Ordering::Relaxed) - before) as f64 / 1024.0, "KiB");

    let mut random = Random(1);
    let scrubs = (0..SCRUBS).map(|_| {
        let position = random.below(replay.len());
        timed(|| replay.at(position))
    });
    spread("scrub", scrubs.collect());

    let timeline = replay.latest();
    for (name, density, query) in [
        ("rows, normal", Density::Normal, ""),
        ("rows, every event", Density::EveryEvent, ""),
        ("rows, waterfall", Density::Waterfall, ""),
        ("rows, text query", Density::Normal, "needle"),
        ("rows, every event with a text query", Density::EveryEvent, "needle"),
    ] {
        let options = RowOptions { density, query: RowQuery::parse(query), ..RowOptions::default() };
        figure(name, ms(timed(|| Rows::new(timeline, &[], &options).window(2_000..2_060))), "ms");
    }
    figure("times", ms(timed(|| Timing::of(timeline, None))), "ms");
    figure("minimap", ms(timed(|| minimap(timeline, 600))), "ms");
    figure("banners and verdict", ms(timed(|| (timeline.banners(), verdict(timeline, None)))), "ms");
}

fn held_by_timeline(events: &[Event]) -> usize {
    let before = HELD.load(Ordering::Relaxed);
    let timeline = Timeline::from_events(events);
    let held = HELD.load(Ordering::Relaxed) - before;
    black_box(timeline);
    held
}

/// Builds turns of thinking, text and two calls; every tenth turn repeats the one before. The text of a turn does not
/// depend on the number of deltas.
fn log(deltas_per_turn: usize) -> Vec<Event> {
    let mut events = Vec::new();
    let mut push = |kind: &str, data| {
        let seq = events.len() as u64 + 1;
        let mut event = Event::new(seq, kind, data);
        event.observed_at_ms = Some(START_MS + seq as i64 * 40);
        events.push(event);
    };
    for turn in 0..TURNS {
        let words = DELTAS_PER_TURN as u64;
        let text: String = (0..words).map(|word| format!("wordy-word{:03} ", (turn * 31 + word) % 997)).collect();
        for delta in 0..deltas_per_turn {
            let kind = if delta < deltas_per_turn / 3 { "thinking_delta" } else { "assistant_delta" };
            let piece = delta * text.len() / deltas_per_turn..(delta + 1) * text.len() / deltas_per_turn;
            push(kind, json!({ "text": text[piece] }));
        }
        let question = turn - u64::from(turn % 10 == 9);
        let calls: Vec<_> = (0..CALLS_PER_TURN)
            .map(|call| json!({ "id": format!("c{turn}_{call}"), "name": format!("tool_{call}"), "input": { "q": question, "limit": 5 } }))
            .collect();
        let text = format!("Turn {turn} says what it does next.");
        push(
            "assistant_message",
            json!({ "text": text, "turn": turn, "finishReason": "tool_use", "toolCalls": calls }),
        );
        for call in calls.iter().rev() {
            push("tool_result", json!({ "toolUseId": call["id"], "name": call["name"], "result": "two rows" }));
        }
        push("supervisor", json!({ "action": "on_track", "reason": "Gathering.", "llmCalls": turn }));
    }
    push("result", json!({ "subtype": "success", "text": "Done.", "turns": TURNS }));
    events.shrink_to_fit();
    events
}

fn count(events: &[Event], part: &str) -> usize {
    events.iter().filter(|event| event.kind.contains(part)).count()
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = work();
    let took = start.elapsed();
    black_box(result);
    took
}

fn spread(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    for (label, share) in [("best", 0.0), ("p50", 0.5), ("p95", 0.95), ("max", 1.0)] {
        figure(&format!("{name} {label}"), ms(at(share)), "ms");
    }
}

fn figure(name: &str, value: f64, unit: &str) {
    println!("{name}: {value:.2} {unit}");
}

/// Returns the CPU time of this thread, if the system reports it: on a busy machine, wall-clock time says little.
fn cpu_time() -> Option<Duration> {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    schedule.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// A linear congruential generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// An allocator that counts the allocated bytes.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

#[allow(unsafe_code)]
// SAFETY: every call goes to the system's allocator unchanged; only a counter is added.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
