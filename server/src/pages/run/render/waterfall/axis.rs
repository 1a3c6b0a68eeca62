//! The time axis: its range, its lines, and links that zoom.

use app::format::duration;
use app::model::run::{Zoom, ZoomStep};
use leptos::prelude::*;
use protocol::timeline::{Step, Timing};

use super::overview::overview;
use super::shares::shares_view;
use super::ticks::{self, Tick};
use super::{GRID_ID, html, percent};

/// Hatched stretches that are drawn. Shorter ones would not be seen.
const MAX_GAPS: usize = 100;

/// Times that are further in the future than clocks usually differ.
const MAX_AHEAD_MS: i64 = 60_000;

/// The range of times that the axis shows.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    start_ms: i64,
    total_ms: u64,
    shown: Zoom,
}

impl Axis {
    pub fn new(timing: &Timing, zoom: Option<Zoom>) -> Self {
        let total_ms = timing.total_ms();
        let shown = zoom.and_then(|zoom| Zoom::between(zoom.from_ms, zoom.to_ms, total_ms));
        Self { start_ms: timing.start_ms, total_ms, shown: shown.unwrap_or(Zoom::all(total_ms)) }
    }

    /// The part between two times.
    pub fn fitted(&self, from_ms: i64, to_ms: i64) -> Self {
        let shown = Zoom::between(self.elapsed(from_ms), self.elapsed(to_ms), self.total_ms);
        Self { shown: shown.unwrap_or(Zoom::all(self.total_ms)), ..*self }
    }

    pub fn is_zoomed(&self) -> bool {
        self.shown != Zoom::all(self.total_ms)
    }

    /// Returns true if some of a step is in the range.
    pub fn shows(&self, from_ms: i64, to_ms: i64) -> bool {
        self.elapsed(to_ms) >= self.shown.from_ms && self.elapsed(from_ms) <= self.shown.to_ms
    }

    /// Milliseconds since the start of the run.
    pub fn elapsed(&self, at_ms: i64) -> u64 {
        u64::try_from(at_ms.saturating_sub(self.start_ms)).unwrap_or(0)
    }

    /// The place of a time in thousandths of a percent. Times outside of the range are at its ends.
    pub fn x(&self, at_ms: i64) -> u64 {
        self.x_of(self.elapsed(at_ms))
    }

    pub(super) fn x_of(&self, elapsed_ms: u64) -> u64 {
        let Zoom { from_ms, to_ms } = self.shown;
        let (part, whole) = (elapsed_ms.clamp(from_ms, to_ms) - from_ms, (to_ms - from_ms).max(1));
        u64::try_from(u128::from(part) * 100_000 / u128::from(whole)).unwrap_or(0)
    }

    /// The whole run.
    pub(super) fn whole(&self) -> Self {
        Self { shown: Zoom::all(self.total_ms), ..*self }
    }
}

/// The first row of the waterfall.
pub struct AxisRow<'a> {
    pub timing: Option<&'a Timing>,
    pub axis: Option<&'a Axis>,
    /// The times of reports of guards.
    pub guards: &'a [i64],
    /// `None` where nothing can be zoomed.
    pub zoom: Option<ZoomLinks<'a>>,
    pub now_ms: i64,
    /// Makes text of the log fit for the page.
    pub text: &'a dyn Fn(&str) -> String,
}

/// Links to other parts of the axis.
pub struct ZoomLinks<'a> {
    pub href: &'a dyn Fn(Option<Zoom>) -> String,
    /// The viewer chose the part that is shown.
    pub can_reset: bool,
}

/// The axis with the shares above it. Says so if no times are known.
pub fn axis(row: AxisRow<'_>) -> String {
    let Some((timing, axis)) = row.timing.zip(row.axis) else {
        return html(view! {
            <p class="hint">"The times of this run are unknown: the log has no usable times, and its events arrived all at once."</p>
        });
    };
    let ticks = ticks::ticks(axis.shown.from_ms, axis.shown.to_ms);
    let controls = row.zoom.filter(|_| axis.total_ms > 0).map(|zoom| zoom_links(axis, &zoom));
    let source = match timing.observed {
        true => "Times are when events arrived in Runlens.",
        false => "Times are from the log.",
    };
    let out_of_order = (timing.out_of_order > 0)
        .then_some(" Some are earlier than those of the events before them; these count as simultaneous.");
    let ahead = (timing.end_ms.saturating_sub(row.now_ms) > MAX_AHEAD_MS).then_some(" Some are in the future.");
    html(view! {
        {shares_view(timing, row.text)}
        {controls}
        <div class="axis">
            {overview(timing, axis, axis.is_zoomed().then_some(axis.shown), row.guards)}
            <svg class="ticks" data-from=axis.shown.from_ms.to_string() data-to=axis.shown.to_ms.to_string() data-total=axis.total_ms.to_string() aria-hidden="true">
                <defs>
                    <pattern id="waterfall-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <rect class="hatch" width="2" height="6" />
                    </pattern>
                    {ground(timing, axis, &ticks)}
                </defs>
                {ticks.iter().filter_map(|tick| tick_label(axis, tick)).collect_view()}
            </svg>
        </div>
        <p class="hint">{source}{out_of_order}{ahead}" A turn's bar is solid while the model writes, and faded while the run waits for its first token or for tools."</p>
    })
}

/// What is behind the bars of every row: a line for each tick, hatched stretches, and the range that is being selected.
fn ground(timing: &Timing, axis: &Axis, ticks: &[Tick]) -> impl IntoView {
    let lines = ticks.iter().map(|tick| {
        let x = percent(axis.x_of(tick.at_ms));
        view! { <line class="tick-line" x1=x.clone() x2=x y1="0" y2="100%" /> }
    });
    let mut gaps: Vec<_> = timing.stretches.iter().filter(|stretch| stretch.step == Step::Unobserved).collect();
    gaps.retain(|gap| axis.shows(gap.from_ms, gap.to_ms));
    gaps.sort_by_key(|gap| std::cmp::Reverse(gap.to_ms.abs_diff(gap.from_ms)));
    let gaps = gaps.into_iter().take(MAX_GAPS).map(|gap| {
        let (left, right) = (axis.x(gap.from_ms), axis.x(gap.to_ms));
        view! { <rect class="gap" x=percent(left) y="0" width=percent(right - left) height="100%" fill="url(#waterfall-hatch)" /> }
    });
    view! {
        <g id=GRID_ID>
            {lines.collect_view()}
            {gaps.collect_view()}
            <rect id="waterfall-selection" class="drag-range" x="0" y="0" width="0" height="100%" />
        </g>
    }
}

/// At the end of the axis there is no room for a label.
fn tick_label(axis: &Axis, tick: &Tick) -> Option<AnyView> {
    let x = axis.x_of(tick.at_ms);
    let anchor = match x {
        0..4_000 => "start",
        4_000..=92_000 => "middle",
        _ => return None,
    };
    let label = view! { <text x=percent(x) y="12" text-anchor=anchor>{tick.label.clone()}</text> };
    Some(label.into_any())
}

fn zoom_links(axis: &Axis, zoom: &ZoomLinks<'_>) -> AnyView {
    let link = |step: ZoomStep, sign: &'static str, label: &'static str| {
        let to = axis.shown.step(step, axis.total_ms);
        (to != Some(axis.shown)).then(|| {
            view! { <a class="button" href=(zoom.href)(to) title=label aria-label=label data-noscroll="">{sign}</a> }
        })
    };
    let zoomed = axis.is_zoomed().then(|| {
        let Zoom { from_ms, to_ms } = axis.shown;
        let range = format!("{} – {} of {}", duration(from_ms), duration(to_ms), duration(axis.total_ms));
        view! {
            {link(ZoomStep::Out, "−", "Zoom out (−)")}
            {link(ZoomStep::Earlier, "‹", "Earlier (Shift ←)")}
            {link(ZoomStep::Later, "›", "Later (Shift →)")}
            {zoom.can_reset.then(|| view! { <a class="button" href=(zoom.href)(None) title="Whole run (0)" data-noscroll="">"Whole run"</a> })}
            <span class="zoom-range">{range}</span>
        }
    });
    let help = (!axis.is_zoomed()).then(|| view! { <span class="hint js-only">"Drag across the bars to zoom."</span> });
    view! { <nav class="zoom" aria-label="Zoom">{link(ZoomStep::In, "+", "Zoom in (+)")}{zoomed}{help}</nav> }
        .into_any()
}
