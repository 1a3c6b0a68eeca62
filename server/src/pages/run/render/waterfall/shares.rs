//! «Where the time went»: one bar with a legend.

use crate::masking::shown;
use app::format::duration;
use leptos::prelude::*;
use protocol::timeline::{Share, Step, Timing};

use super::{html, percent};

/// Shares of the time that are named. The others are one share.
const MAX_SHARES: usize = 8;

/// Shades of the colour of one kind of step.
const SHADES: usize = 3;

/// Empty if no times are known.
pub fn shares(timing: Option<&Timing>) -> String {
    timing.map(|timing| html(shares_view(timing, &|name| shown(name).into_owned()))).unwrap_or_default()
}

pub(super) fn shares_view(timing: &Timing, text: &dyn Fn(&str) -> String) -> AnyView {
    let (named, others) = timing.shares.split_at(timing.shares.len().min(MAX_SHARES));
    let others_ms: u64 = others.iter().map(|share| share.ms).sum();
    let total = timing.total_ms().max(1);
    let mut parts: Vec<(&'static str, String, u64)> =
        named.iter().map(|share| (kind(&share.step), label(share, text), share.ms)).collect();
    if others_ms > 0 {
        parts.push(("tool", "other tools".to_owned(), others_ms));
    }
    // Steps of a kind have different shades of its colour.
    let shade = |i: usize| {
        let kind = parts[i].0;
        (parts[..i].iter().filter(|part| part.0 == kind).count() % SHADES).to_string()
    };
    let shades: Vec<String> = (0..parts.len()).map(shade).collect();
    let mut left = 0;
    let bars = parts.iter().zip(&shades).map(|((step, _, ms), shade)| {
        let width = u64::try_from(u128::from(*ms) * 100_000 / u128::from(total)).unwrap_or(0);
        let from = left;
        left += width;
        view! { <rect class="bar" data-step=*step data-shade=shade.clone() x=percent(from) y="0" width=percent(width) height="100%" /> }
    });
    let bars = bars.collect_view();
    let legend = parts.into_iter().zip(shades).map(|((step, label, ms), shade)| {
        let share = format!("{} · {}", duration(ms), percentage(ms, total));
        view! { <li data-step=step data-shade=shade>{label}" "<span class="hint">{share}</span></li> }
    });
    view! {
        <figure class="time-shares" aria-label="Where the time went">
            <figcaption>"Where the time went "<span class="hint">{duration(timing.total_ms())}</span></figcaption>
            <svg class="track" aria-hidden="true">{bars}</svg>
            <ul>{legend.collect_view()}</ul>
        </figure>
    }
    .into_any()
}

/// Rounded. A small part is not nothing.
fn percentage(ms: u64, total: u64) -> String {
    match (u128::from(ms) * 200 / u128::from(total)).div_ceil(2).min(100) {
        _ if ms > 0 && u128::from(ms) * 100 < u128::from(total) => "<1 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

pub(super) fn kind(step: &Step) -> &'static str {
    match step {
        Step::Model => "model",
        Step::Tool(_) => "tool",
        Step::Waiting(_) => "waiting",
        Step::Unobserved => "gap",
    }
}

fn label(share: &Share, text: &dyn Fn(&str) -> String) -> String {
    match &share.step {
        Step::Model => "Model".to_owned(),
        Step::Tool(tool) => text(tool),
        Step::Waiting(tool) => format!("Waiting for {}", text(tool)),
        Step::Unobserved => "Unobserved".to_owned(),
    }
}
