//! The strip of the whole log, and the replay controls.

use leptos::prelude::*;
use protocol::timeline::{Tick, TickKind};

use super::view_fields::ViewFields;
use crate::browser::RunContext;
use crate::browser::{Player, part_under, player};
use crate::components::get_form::GetForm;
use crate::components::icon::{Icon, IconView};
use crate::format::grouped;

/// Logs with fewer events have no strip.
const MIN_EVENTS: u64 = 20;

#[component]
pub fn ReplayBar(is_live: bool) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let player = player(run);
    let at = Memo::new(move |_| run.at().unwrap_or(run.end_seq.get()));
    let is_past = Memo::new(move |_| run.at().is_some());
    let resume = move |_| run.follow.resume();
    let step = move |back: bool| {
        let (at, end) = (at.get(), run.end_seq.get());
        let to = if back { at.saturating_sub(1) } else { at.saturating_add(1) };
        run.href(|view| view.at(Some(to).filter(|to| *to < end)))
    };
    // A short log is read faster than replayed. That of a run in progress may become long.
    let is_short = move || run.state.with(|state| event_count(&state.strip) < MIN_EVENTS);
    view! {
        <section class="replay" hidden=move || !is_live && is_short() && !is_past.get() class:replaying=move || is_past.get() || player.playing.get() aria-label="Replay">
            <Strip player />
            <div class="replay-controls">
                <a class="icon-button" href=move || step(true) title="Previous event (←)" aria-label="Previous event" data-noscroll="" on:click=resume><IconView icon=Icon::Back /></a>
                <PlayButton player />
                <a class="icon-button" href=move || step(false) title="Next event (→)" aria-label="Next event" data-noscroll="" on:click=resume><IconView icon=Icon::Forward /></a>
                // Both keep their widths, so that the strip does not change under the pointer.
                <span class="replay-position" data-widest=move || end_position(run)>{move || position(run)}</span>
                <a class="back-to-end" class:unused=move || !is_past.get() href=move || run.href(|view| view.at(None)) data-noscroll="">"Back to the end"</a>
                <SpeedChoice player />
            </div>
        </section>
    }
}

fn position(run: RunContext) -> String {
    match run.at() {
        None => end_position(run),
        Some(at) => format!("Event {} of {}", grouped(at), grouped(run.end_seq.get())),
    }
}

fn end_position(run: RunContext) -> String {
    let end = grouped(run.end_seq.get());
    format!("Event {end} of {end}")
}

#[component]
fn PlayButton(player: Player) -> impl IntoView {
    let label = move || if player.playing.get() { "Pause (Space)" } else { "Play from here (Space)" };
    view! {
        <button type="button" class="icon-button js-only" title=label aria-label=label on:click=move |_| player.toggle()>
            {move || view! { <IconView icon=if player.playing.get() { Icon::Pause } else { Icon::Play } /> }}
        </button>
    }
}

#[component]
fn SpeedChoice(player: Player) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let has_times = Memo::new(move |_| run.state.with(|state| state.clock.is_some()));
    view! {
        <label class="speed js-only"><span class="visually-hidden">"Speed "</span>
            <select on:change=move |event| player.set_speed(&event_target_value(&event))>
                {Player::SPEEDS.map(|(value, label)| view! { <option value=value selected=value == "5">{label}</option> }).collect_view()}
                {move || has_times.get().then(|| Player::ORIGINAL_SPEEDS.map(|(value, label)| view! { <option value=value>{label}</option> }).collect_view())}
            </select>
        </label>
    }
}

/// One mark per event, or per range of events in a long log. The handle is a slider; without JavaScript it is submitted
/// as a form.
#[component]
fn Strip(player: Player) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let ticks = Memo::new(move |_| run.state.with(|state| state.strip.clone()));
    // For pointers only: the slider below has the same function for the keyboard.
    let seek = move |event: leptos::ev::MouseEvent| {
        let seq = ticks.with_untracked(|ticks| {
            let position = part_under(&event, event_count(ticks))?;
            ticks.iter().rfind(|tick| tick.position <= position).map(|tick| tick.seq)
        });
        if let Some(seq) = seq {
            player.show(run, seq);
        }
    };
    let marks = move || {
        let ticks = ticks.get();
        let total = event_count(&ticks);
        let begins = |tick: &Tick| tick.begins_turn.then(|| format!("M{} -2V26", tick.position));
        let turns: String = ticks.iter().filter_map(begins).collect();
        let marks = ticks.into_iter().map(|tick| {
            let (y, height) = extent(tick.kind);
            view! { <rect class="tick" data-tick=name(tick.kind) x=tick.position.to_string() y=y width=tick.count.to_string() height=height /> }
        });
        view! { <svg class="strip" viewBox=format!("0 0 {total} 24") preserveAspectRatio="none" aria-hidden="true" on:click=seek>{marks.collect_view()}<path class="turn-ticks" d=turns /></svg> }
    };
    let at = move || run.at().unwrap_or(run.end_seq.get()).to_string();
    let position = move || position(run);
    view! {
        <GetForm noscroll=true class="scrub">
            <ViewFields except=&["at", "from"] />
            {marks}
            <input
                type="range"
                name="at"
                class="scrub-handle"
                min="0"
                max=move || run.end_seq.get().to_string()
                prop:value=at
                value=at
                aria-label="Show the run as of event"
                aria-valuetext=position
                on:input=move |event| player.scrub_to(run, &event_target_value(&event))
            />
            <button class="button no-js-only" type="submit">"Show"</button>
        </GetForm>
    }
}

/// The number of events in the strip.
fn event_count(ticks: &[Tick]) -> u64 {
    ticks.last().map_or(1, |tick| tick.position + tick.count)
}

/// Text events are short and decisive ones tall, so that the strip shows the course of a run at a glance.
fn extent(kind: TickKind) -> (&'static str, &'static str) {
    match kind {
        TickKind::Thinking | TickKind::Text | TickKind::Other => ("14", "10"),
        TickKind::Message | TickKind::Answer | TickKind::Call => ("8", "16"),
        TickKind::Course | TickKind::Guard | TickKind::Fault | TickKind::End => ("0", "24"),
    }
}

fn name(kind: TickKind) -> &'static str {
    match kind {
        TickKind::Thinking => "thinking",
        TickKind::Text => "text",
        TickKind::Other => "other",
        TickKind::Message => "message",
        TickKind::Answer => "answer",
        TickKind::Call => "call",
        TickKind::Course => "course",
        TickKind::Guard => "guard",
        TickKind::Fault => "fault",
        TickKind::End => "end",
    }
}
