//! Replays a log by moving the page's URL from event to event.

use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate};

use super::clock::now_ms;
use crate::browser::RunContext;

#[derive(Clone, Copy)]
pub struct Player {
    pub playing: RwSignal<bool>,
    speed: RwSignal<Speed>,
    /// Changes the URL to an event, or to the end of the log.
    seek: Callback<Option<u64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speed {
    EventsPerSecond(u64),
    /// So many times as fast as the run.
    Original(u64),
}

/// Page updates per second. At higher speeds each update skips several events.
const MAX_STEPS_PER_SECOND: u64 = 10;

const DEFAULT_EVENTS_PER_SECOND: u64 = 5;

impl Player {
    pub const SPEEDS: [(&'static str, &'static str); 4] =
        [("1", "1 event/s"), ("5", "5 events/s"), ("20", "20 events/s"), ("200", "200 events/s")];
    /// Only for runs whose times are known.
    pub const ORIGINAL_SPEEDS: [(&'static str, &'static str); 3] =
        [("1x", "Original speed"), ("4x", "4 × original"), ("20x", "20 × original")];

    pub fn toggle(&self) {
        self.playing.update(|playing| *playing = !*playing);
    }

    pub fn set_speed(&self, value: &str) {
        let number = |text: &str| text.parse().ok().filter(|number| *number > 0);
        self.speed.set(match value.strip_suffix('x') {
            Some(times) => Speed::Original(number(times).unwrap_or(1)),
            None => Speed::EventsPerSecond(number(value).unwrap_or(DEFAULT_EVENTS_PER_SECOND)),
        });
    }

    /// Moves the replay to the slider's position.
    pub fn scrub_to(&self, run: RunContext, value: &str) {
        self.show(run, value.parse().unwrap_or(u64::MAX));
    }

    /// Shows the run at an event, and pauses.
    pub fn show(&self, run: RunContext, seq: u64) {
        self.playing.set(false);
        run.follow.resume();
        self.seek.run(Some(seq).filter(|seq| *seq < run.end_seq.get_untracked()));
    }
}

pub fn player(run: RunContext) -> Player {
    let navigate = use_navigate();
    let path = use_location().pathname;
    let here = path.get_untracked();
    let seek = Callback::new(move |at: Option<u64>| {
        let href = untrack(|| run.href(|view| view.at(at)));
        // Steps of a replay don't get history entries, so that Back leaves the replay.
        navigate(&href, NavigateOptions { replace: true, scroll: false, ..Default::default() });
    });
    let player = Player {
        playing: RwSignal::new(false),
        speed: RwSignal::new(Speed::EventsPerSecond(DEFAULT_EVENTS_PER_SECOND)),
        seek,
    };
    Effect::new(move |_| {
        if !player.playing.get() {
            return;
        }
        run.follow.resume();
        let speed = player.speed.get();
        let steps = match speed {
            Speed::EventsPerSecond(events) => events.min(MAX_STEPS_PER_SECOND),
            Speed::Original(_) => MAX_STEPS_PER_SECOND,
        };
        let began = StoredValue::new(None);
        // From the end, play restarts at the beginning.
        if untrack(|| run.at().is_none()) {
            seek.run(Some(0));
        }
        let here = here.clone();
        let tick = move || {
            // A step would cancel the navigation to another page.
            if path.with_untracked(|path| *path != here) {
                return player.playing.set(false);
            }
            let at = match speed {
                Speed::EventsPerSecond(events) => untrack(|| run.at()).unwrap_or(0) + events / steps,
                Speed::Original(times) => match next_original(run, began, times) {
                    Some(at) => at,
                    None => return,
                },
            };
            let next = Some(at).filter(|at| *at < run.end_seq.get_untracked());
            seek.run(next);
            if next.is_none() {
                player.playing.set(false);
            }
        };
        // Runs until the replay is paused, its speed changes, or the viewer leaves the page.
        if let Ok(interval) = set_interval_with_handle(tick, Duration::from_millis(1_000 / steps)) {
            on_cleanup(move || interval.clear());
        }
    });
    Effect::new(move |_| {
        let keys = window_event_listener(ev::keydown, move |event| on_key(run, player, &event));
        on_cleanup(move || keys.remove());
    });
    player
}

/// The event to show now in a replay at the speed of the run. `None` while nothing happened in the run, and until its
/// times are loaded. `began` is the browser's time and the run's time when the replay began, both in milliseconds.
fn next_original(run: RunContext, began: StoredValue<Option<(u64, u64)>>, times: u64) -> Option<u64> {
    run.state.with_untracked(|state| {
        let clock = state.clock.as_ref().filter(|clock| !clock.next.is_empty())?;
        let now_ms = now_ms();
        let (began_ms, run_ms) = began.get_value().unwrap_or((now_ms, clock.elapsed_ms));
        began.set_value(Some((began_ms, run_ms)));
        let at_ms = run_ms + now_ms.saturating_sub(began_ms) * times;
        let due = clock.next.iter().take_while(|(_, happened_ms)| *happened_ms <= at_ms);
        let at = untrack(|| run.at()).unwrap_or(0);
        due.last().map(|(seq, _)| *seq).filter(|seq| *seq > at)
    })
}

fn on_key(run: RunContext, player: Player, event: &leptos::web_sys::KeyboardEvent) {
    let is_handled = super::dom::is_in_control(event) || super::dom::is_in_scrolled(event);
    // With Shift, arrows move the waterfall.
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() || is_handled {
        return;
    }
    let at = untrack(|| run.at()).unwrap_or(run.end_seq.get_untracked());
    match event.key().as_str() {
        "ArrowLeft" => player.show(run, at.saturating_sub(1)),
        "ArrowRight" => player.show(run, at + 1),
        " " if super::dom::is_on_toggle(event) => super::dom::press_toggle(event),
        " " => player.toggle(),
        _ => return,
    }
    event.prevent_default();
}
