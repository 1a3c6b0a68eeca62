//! Functions of `protocol` that a client would use, exported so that the linker keeps them. `cargo xtask bench
//! protocol-size` builds this as a crate of its own.

use std::hint::black_box;

use protocol::partial_json;
use protocol::timeline::{RowOptions, RowQuery, Rows, verdict};
use protocol::validate::validate;
use protocol::{Event, Timeline};
use serde_json::Value;

/// A text that the compiler cannot know.
fn unknown_text() -> String {
    black_box(String::new())
}

fn unknown_json() -> Value {
    serde_json::from_str(&unknown_text()).unwrap_or_default()
}

fn folded() -> Timeline {
    let mut timeline = Timeline::default();
    for line in unknown_text().lines() {
        if let Ok(event) = Event::parse(line) {
            timeline.apply(&event);
        }
    }
    timeline
}

#[unsafe(no_mangle)]
pub extern "C" fn fold() {
    black_box(folded());
}

#[unsafe(no_mangle)]
pub extern "C" fn rows() {
    let options = RowOptions { query: RowQuery::parse(&unknown_text()), ..RowOptions::default() };
    black_box(Rows::new(&folded(), &[], &options).window(0..black_box(50)));
}

#[unsafe(no_mangle)]
pub extern "C" fn banners_and_verdict() {
    let (timeline, spec) = (folded(), unknown_json());
    black_box((timeline.banners_for(&spec), verdict(&timeline, Some(&spec))));
}

#[unsafe(no_mangle)]
pub extern "C" fn read_partial_json() {
    black_box(partial_json::read(&unknown_text()));
}

#[unsafe(no_mangle)]
pub extern "C" fn validate_spec() {
    black_box(validate(&unknown_json()));
}
