//! Replays a log by moving the page's URL from event to event.

use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate};

use crate::browser::RunContext;

#[derive(Clone, Copy)]
pub struct Player {
    pub playing: RwSignal<bool>,
    /// Events per second.
    speed: RwSignal<u64>,
    /// Changes the URL to an event, or to the end of the log.
    seek: Callback<Option<u64>>,
}

/// Page updates per second. At higher speeds each update skips several events.
const MAX_STEPS_PER_SECOND: u64 = 10;

impl Player {
    pub const SPEEDS: [(&'static str, &'static str); 4] =
        [("1", "1 event/s"), ("5", "5 events/s"), ("20", "20 events/s"), ("200", "200 events/s")];

    pub fn toggle(&self) {
        self.playing.update(|playing| *playing = !*playing);
    }

    pub fn set_speed(&self, value: &str) {
        self.speed.set(value.parse().unwrap_or(5));
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
    let player = Player { playing: RwSignal::new(false), speed: RwSignal::new(5), seek };
    Effect::new(move |_| {
        if !player.playing.get() {
            return;
        }
        run.follow.resume();
        let steps = player.speed.get().min(MAX_STEPS_PER_SECOND);
        let events = player.speed.get() / steps;
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
            let at = untrack(|| run.at()).unwrap_or(0) + events;
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

fn on_key(run: RunContext, player: Player, event: &leptos::web_sys::KeyboardEvent) {
    let is_handled = super::dom::is_in_control(event) || super::dom::is_in_scrolled(event);
    if event.ctrl_key() || event.meta_key() || event.alt_key() || is_handled {
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
