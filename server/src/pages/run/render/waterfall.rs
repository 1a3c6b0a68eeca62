//! The waterfall: turns and calls as bars on one time axis, and the bar that shows where the time went.

use app::format::{decimal, duration};
use app::plain_text::visible;
use leptos::prelude::*;
use protocol::timeline::{Share, Step, Timing};

use super::{Links, html};

/// The width of the axis in units of the drawings. Bars have at least the width of one unit and a half.
const WIDTH: u64 = 1_000;
const MIN_BAR: u64 = 15;

/// Shares of the time that are named. The others are one share.
const MAX_SHARES: usize = 8;

/// One row: a turn, a call or the report of a guard.
pub struct WaterfallRow<'a> {
    pub label: &'a str,
    /// The kind of its bar, for its colour.
    pub step: &'static str,
    pub bar: Option<Bar>,
    pub seq: u64,
    pub problem: Option<&'static str>,
}

/// A bar on the axis.
#[derive(Clone, Copy, Default)]
pub struct Bar {
    pub start_ms: i64,
    pub end_ms: i64,
    /// The model's first token. The part before it is drawn lighter.
    pub first_token_ms: Option<i64>,
    /// When the turn's message was complete. The part after it, in which its calls ran, is drawn lighter.
    pub message_ms: Option<i64>,
    /// It has not ended yet.
    pub is_open: bool,
}

pub fn row(row: WaterfallRow<'_>, timing: Option<&Timing>, links: Links<'_>) -> String {
    let track = timing.zip(row.bar).map(|(timing, bar)| track(timing, bar, row.step));
    let took = row.bar.map(|bar| {
        let ms = duration(bar.end_ms.abs_diff(bar.start_ms));
        if bar.is_open { format!("{ms} so far") } else { ms }
    });
    let unknown = row.bar.is_none().then(|| view! { <span class="hint">"time unknown"</span> });
    html(view! {
        <span class="bar-label">{visible(row.label).into_owned()}{row.problem.map(|problem| view! { " "<span class="mark">{problem}</span> })}</span>
        {track}
        <span class="took">{took}{unknown}</span>
        {links.event(row.seq)}
    })
}

fn track(timing: &Timing, bar: Bar, step: &'static str) -> AnyView {
    let (left, right) = (x(timing, bar.start_ms), x(timing, bar.end_ms));
    let width = (right - left).max(MIN_BAR);
    // A short bar at the end stays within the axis.
    let left = left.min(WIDTH * 10 - width);
    let first_token = bar.first_token_ms.map(|at_ms| x(timing, at_ms).clamp(left, left + width));
    let calls = bar.message_ms.map(|at_ms| x(timing, at_ms).clamp(left, left + width)).filter(|at| *at > left);
    let label = format!(
        "Starts after {} and takes {}",
        duration(bar.start_ms.abs_diff(timing.start_ms)),
        duration(bar.end_ms.abs_diff(bar.start_ms))
    );
    view! {
        <svg class="track" viewBox=format!("0 0 {WIDTH} 10") preserveAspectRatio="none" role="img" aria-label=label>
            <rect class="bar" data-step=step x=units(left) y="1" width=units(width) height="8" />
            {first_token.map(|at| view! { <rect class="bar-wait" x=units(left) y="1" width=units(at - left) height="8" /> })}
            {calls.map(|at| view! { <rect class="bar-calls" x=units(at) y="1" width=units(left + width - at) height="8" /> })}
        </svg>
    }
    .into_any()
}

/// The first row: the axis and the shares. Says so if no times are known.
pub fn axis(timing: Option<&Timing>) -> String {
    let Some(timing) = timing else {
        return html(view! {
            <p class="hint">"The times of this run are unknown: its log has none, and Runlens did not see it happen."</p>
        });
    };
    let ticks =
        (0..=4).map(|quarter| view! { <span>{duration(timing.total_ms() * quarter / 4)}</span> }).collect_view();
    let gaps = timing.unobserved.iter().map(|(from_ms, to_ms)| {
        let (left, right) = (x(timing, *from_ms), x(timing, *to_ms));
        view! { <rect class="gap" x=units(left) y="0" width=units((right - left).max(MIN_BAR)) height="10" /> }
    });
    let gaps = (!timing.unobserved.is_empty()).then(|| {
        view! { <svg class="track" viewBox=format!("0 0 {WIDTH} 10") preserveAspectRatio="none" role="img" aria-label="Unobserved stretches">{gaps.collect_view()}</svg> }
    });
    let source = match timing.observed {
        true => "Times are when events arrived in Runlens.",
        false => "Times are from the log.",
    };
    let out_of_order = (timing.out_of_order > 0)
        .then_some(" Some are earlier than those of the events before them; these count as simultaneous.");
    html(view! {
        {shares_view(timing)}
        <div class="axis"><div class="ticks" aria-hidden="true">{ticks}</div>{gaps}</div>
        <p class="hint">{source}{out_of_order}</p>
    })
}

/// «Where the time went»: one bar with a legend. Empty if no times are known.
pub fn shares(timing: Option<&Timing>) -> String {
    timing.map(|timing| html(shares_view(timing))).unwrap_or_default()
}

fn shares_view(timing: &Timing) -> AnyView {
    let (named, others) = timing.shares.split_at(timing.shares.len().min(MAX_SHARES));
    let others_ms: u64 = others.iter().map(|share| share.ms).sum();
    let total = timing.total_ms().max(1);
    let mut parts: Vec<(&'static str, String, u64)> =
        named.iter().map(|share| (kind(&share.step), label(share), share.ms)).collect();
    if others_ms > 0 {
        parts.push(("tool", "other tools".to_owned(), others_ms));
    }
    let mut left = 0;
    let bars = parts.iter().enumerate().map(|(i, (step, _, ms))| {
        let width = ms * WIDTH * 10 / total;
        let from = left;
        left += width;
        view! { <rect class="bar" data-step=*step data-shade=(i % 3).to_string() x=units(from) y="0" width=units(width) height="10" /> }
    });
    let bars = bars.collect_view();
    let legend = parts.into_iter().enumerate().map(|(i, (step, label, ms))| {
        let share = format!("{} · {} %", duration(ms), ms * 100 / total);
        view! { <li data-step=step data-shade=(i % 3).to_string()>{visible(&label).into_owned()}" "<span class="hint">{share}</span></li> }
    });
    view! {
        <figure class="time-shares" aria-label="Where the time went">
            <figcaption>"Where the time went "<span class="hint">{duration(timing.total_ms())}</span></figcaption>
            <svg class="track" viewBox=format!("0 0 {WIDTH} 10") preserveAspectRatio="none" aria-hidden="true">{bars}</svg>
            <ul>{legend.collect_view()}</ul>
        </figure>
    }
    .into_any()
}

fn kind(step: &Step) -> &'static str {
    match step {
        Step::Model => "model",
        Step::Tool(_) => "tool",
        Step::Waiting(_) => "waiting",
        Step::Unobserved => "gap",
    }
}

fn label(share: &Share) -> String {
    match &share.step {
        Step::Model => "Model".to_owned(),
        Step::Tool(tool) => tool.clone(),
        Step::Waiting(tool) => format!("Waiting for {tool}"),
        Step::Unobserved => "Unobserved".to_owned(),
    }
}

/// The place of a time on the axis, in tenths of a unit.
fn x(timing: &Timing, at_ms: i64) -> u64 {
    let after_ms = u64::try_from(at_ms.saturating_sub(timing.start_ms)).unwrap_or(0).min(timing.total_ms());
    u64::try_from(u128::from(after_ms) * u128::from(WIDTH * 10) / u128::from(timing.total_ms().max(1))).unwrap_or(0)
}

fn units(tenths: u64) -> String {
    decimal(tenths, 10, 1)
}
