//! Trends as SVG: a small one in the list, and one whose bars are links on the page of a group.

use domain::{FailureGroup, Trend};
use leptos::prelude::*;
use protocol::query::{Term, When};

use super::links::{minute, runs_href};
use super::parts::runs;
use crate::failures::TimeRange;

/// Units of the drawing: each bar has this width, with the gap after it.
const STEP: usize = 10;
const BAR: usize = 8;
const HEIGHT: u64 = 100;

/// A small chart with its content in words.
pub fn sparkline(trend: &Trend) -> AnyView {
    let width = trend.runs.len() * STEP;
    let bars = bars(trend).map(|bar| view! { <rect x=bar.x y=bar.y width=BAR height=bar.height></rect> });
    view! {
        <svg class="sparkline" viewBox=format!("0 0 {width} {HEIGHT}") preserveAspectRatio="none" role="img" aria-label=words(trend)>
            {bars.collect_view()}
        </svg>
    }
    .into_any()
}

/// A chart whose bars link to their runs.
pub fn chart(group: &FailureGroup) -> AnyView {
    let trend = &group.trend;
    let width = trend.runs.len() * STEP;
    let bars = bars(trend).map(|bar| {
        let (since, before) = step(trend, bar.index);
        let range = TimeRange { since: Some(When::At(since)), before: Some(When::At(before)) };
        let label = format!("{}, {} to {} UTC", runs(bar.runs), minute(since), minute(before));
        view! {
            <a href=runs_href(&group.id, range, None::<Term>) aria-label=label.clone()>
                <title>{label.clone()}</title>
                <rect fill="transparent" x=bar.index * STEP y=0 width=STEP height=HEIGHT></rect>
                <rect x=bar.x y=bar.y width=BAR height=bar.height></rect>
            </a>
        }
    });
    let end = trend.start_ms + trend.step_ms * i64::try_from(trend.runs.len()).unwrap_or(0);
    let range = format!("{} to {} UTC, peak {} per bar", minute(trend.start_ms), minute(end), peak(trend));
    view! {
        <div class="trend" role="group" aria-label="Runs over time">
            <svg class="sparkline" viewBox=format!("0 0 {width} {HEIGHT}") preserveAspectRatio="none">{bars.collect_view()}</svg>
            <p class="hint">{range}</p>
        </div>
    }
    .into_any()
}

struct Bar {
    index: usize,
    runs: u64,
    x: usize,
    y: u64,
    height: u64,
}

/// A bar for each step with runs. The highest one fills the height.
fn bars(trend: &Trend) -> impl Iterator<Item = Bar> + '_ {
    let peak = peak(trend).max(1);
    let found = trend.runs.iter().copied().enumerate().filter(|(_, runs)| *runs > 0);
    found.map(move |(index, runs)| {
        let height = (runs * HEIGHT).div_ceil(peak).max(HEIGHT / 10);
        Bar { index, runs, x: index * STEP + (STEP - BAR) / 2, y: HEIGHT - height, height }
    })
}

fn peak(trend: &Trend) -> u64 {
    trend.runs.iter().copied().max().unwrap_or(0)
}

fn step(trend: &Trend, index: usize) -> (i64, i64) {
    let since = trend.start_ms + trend.step_ms * i64::try_from(index).unwrap_or(0);
    (since, since + trend.step_ms)
}

/// What a sparkline shows, in words.
fn words(trend: &Trend) -> String {
    let highest = (0..trend.runs.len()).rev().max_by_key(|index| trend.runs[*index]);
    let sum = trend.runs.iter().sum();
    match highest.filter(|_| sum > 0) {
        Some(index) => {
            let (since, before) = step(trend, index);
            format!("{}, most between {} and {} UTC: {}", runs(sum), minute(since), minute(before), trend.runs[index])
        }
        None => "No runs".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bar_fills_the_height_and_small_ones_stay_visible() {
        let trend = Trend { start_ms: 0, step_ms: 3_600_000, runs: vec![0, 200, 1, 0] };
        let bars: Vec<(usize, u64, u64)> = bars(&trend).map(|bar| (bar.x, bar.y, bar.height)).collect();
        assert_eq!(bars, [(11, 0, 100), (21, 90, 10)]);
        assert_eq!(words(&trend), "201 runs, most between 1970-01-01 01:00 and 1970-01-01 02:00 UTC: 200");
        assert_eq!(words(&Trend::default()), "No runs");
    }
}
