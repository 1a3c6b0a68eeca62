//! The waterfall: turns and calls as bars on one time axis, and the bar that shows where the time went.
//!
//! ```text
//!   shares     ▇▇▇▇▇▇▇▇▇▇▒▒▒▒░░   Waiting for approve 41 s · Model 5 s · recall 4 s
//!   overview   ▒▒░░▒▇▇▇▇[▇▇▇▇▇]▒▒   the whole run, with the part that is shown
//!   axis       0 s      10 s      20 s
//!   rows       Turn 1   ▒▒▒▒
//! ```
//!
//! Places are percentages, so that everything is an SVG that fits any width. Lines and hatched stretches are drawn once and
//! used by every row.

mod axis;
mod overview;
mod shares;
mod ticks;

use app::format::duration;
use leptos::prelude::*;

use super::html;
pub use axis::{Axis, AxisRow, ZoomLinks, axis};
pub use shares::shares;

/// The id of the lines and hatched stretches behind the bars.
const GRID_ID: &str = "waterfall-ground";

/// One row: a turn, a call or the report of a guard.
pub struct WaterfallRow {
    pub label: String,
    /// The kind of its bar, for its colour.
    pub step: &'static str,
    pub bar: Option<Bar>,
    pub seq: u64,
    /// Its place in the timeline.
    pub href: String,
    pub problem: Option<&'static str>,
    /// The failed call that it retries.
    pub retry_of: Option<u64>,
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
    pub kind: BarKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarKind {
    #[default]
    Ended,
    /// It has not ended yet.
    Open,
    /// It has no duration.
    Mark,
    /// It happened somewhere between start and end.
    Unknown,
}

pub fn row(row: WaterfallRow, axis: Option<&Axis>) -> String {
    let details = row.bar.zip(axis).map(|(bar, axis)| details(bar, row.retry_of, axis));
    let track = row.bar.zip(axis).map(|(bar, axis)| {
        let shapes = shapes(bar, row.step, row.retry_of.is_some(), axis);
        view! {
            <svg class="track" role="img" aria-label=details.clone()>
                <use href=format!("#{GRID_ID}") />
                {shapes}
            </svg>
            <span class="bar-details" aria-hidden="true">{details.clone()}</span>
        }
    });
    let took = match row.bar {
        Some(bar) if bar.kind == BarKind::Mark => None,
        Some(bar) if bar.kind != BarKind::Unknown => {
            let ms = duration(bar.end_ms.abs_diff(bar.start_ms));
            Some(if bar.kind == BarKind::Open { format!("{ms} so far") } else { ms })
        }
        _ => Some("time unknown".to_owned()),
    };
    let problem = row.problem.map(|problem| view! { " "<span class="mark">{problem}</span> });
    let retry = row.retry_of.map(|_| view! { " "<span class="mark">"retry"</span> });
    html(view! {
        <a class="bar-label" href=row.href.clone()>{row.label}{problem}{retry}</a>
        {track}
        <span class="took">{took}</span>
        <a class="event-link" href=row.href tabindex="-1">{format!("#{}", row.seq)}</a>
    })
}

/// Shown beside the bar, and read aloud.
fn details(bar: Bar, retry_of: Option<u64>, axis: &Axis) -> String {
    let at = |at_ms: i64| duration(axis.elapsed(at_ms));
    let after = |at_ms: i64| duration(at_ms.abs_diff(bar.start_ms));
    let mut parts = match bar.kind {
        BarKind::Mark => vec![format!("At {}", at(bar.start_ms))],
        BarKind::Unknown => vec![format!("Between {} and {}, not observed", at(bar.start_ms), at(bar.end_ms))],
        BarKind::Ended | BarKind::Open => vec![format!("Starts at {}", at(bar.start_ms))],
    };
    parts.extend(bar.first_token_ms.map(|at_ms| format!("first token after {}", after(at_ms))));
    parts.extend(bar.message_ms.map(|at_ms| format!("message after {}", after(at_ms))));
    match bar.kind {
        BarKind::Ended => parts.push(format!("takes {}", after(bar.end_ms))),
        BarKind::Open => parts.push(format!("{} so far", after(bar.end_ms))),
        BarKind::Mark | BarKind::Unknown => {}
    }
    parts.extend(retry_of.map(|seq| format!("retries the failed call #{seq}")));
    parts.join(" · ")
}

fn shapes(bar: Bar, step: &'static str, is_retry: bool, axis: &Axis) -> AnyView {
    let (left, right) = (axis.x(bar.start_ms), axis.x(bar.end_ms));
    match bar.kind {
        BarKind::Mark => return diamond(left).into_any(),
        BarKind::Unknown => {
            return view! { <rect class="bar" data-step="gap" x=percent(left) y="4" width=percent(right - left) height="8" fill="url(#waterfall-hatch)" /> }.into_any();
        }
        BarKind::Ended | BarKind::Open => {}
    }
    let part = |class: &'static str, from: u64, to: u64| {
        (to > from).then(|| view! { <rect class=class x=percent(from) y="4" width=percent(to - from) height="8" /> })
    };
    let first_token = bar.first_token_ms.map(|at_ms| axis.x(at_ms).clamp(left, right));
    let message = bar.message_ms.map(|at_ms| axis.x(at_ms).clamp(left, right));
    let retry = is_retry.then(|| {
        view! { <svg class="place" x=percent(left)><path class="retry" d="M0 1V15M0 1L-4 1M0 15L-4 15" /></svg> }
    });
    let open = (bar.kind == BarKind::Open).then_some("");
    view! {
        <rect class="bar" data-step=step data-open=open x=percent(left) y="4" width=percent(right - left) height="8" />
        {first_token.and_then(|at| part("bar-wait", left, at))}
        {message.and_then(|at| part("bar-calls", at, right))}
        {retry}
    }
    .into_any()
}

/// The mark of a guard's report.
fn diamond(x: u64) -> impl IntoView {
    view! { <svg class="place" x=percent(x)><path class="guard" d="M0 2L6 8L0 14L-6 8Z" /></svg> }
}

/// Thousandths of a percent as text.
fn percent(thousandths: u64) -> String {
    format!("{}.{:03}%", thousandths / 1_000, thousandths % 1_000)
}
