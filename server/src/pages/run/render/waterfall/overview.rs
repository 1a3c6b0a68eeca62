//! The whole run in one bar: each part has the colour of the step that was going on.

use app::model::run::Zoom;
use leptos::prelude::*;
use protocol::timeline::Timing;

use super::shares::kind;
use super::{Axis, percent};

/// Parts of the bar. Each shows the step that took most of its time, so that thousands of calls are as quick as three.
const COLUMNS: usize = 400;

/// Marks of guards that are drawn.
const MAX_GUARDS: usize = 200;

pub fn overview(timing: &Timing, axis: &Axis, zoom: Option<Zoom>, guards: &[i64]) -> AnyView {
    let axis = axis.whole();
    let bars = parts(timing, &axis).into_iter().map(|(step, from, to)| {
        let at = |column: usize| column as u64 * 100_000 / COLUMNS as u64;
        view! { <rect class="bar" data-step=step x=percent(at(from)) y="2" width=percent(at(to) - at(from)) height="10" /> }
    });
    let guards = guards.iter().take(MAX_GUARDS).map(|at_ms| {
        let x = percent(axis.x(*at_ms));
        view! { <line class="guard-line" x1=x.clone() x2=x y1="0" y2="100%" /> }
    });
    let brush = zoom.map(|zoom| {
        let x = |ms: u64| axis.x_of(ms);
        view! { <rect class="brush" x=percent(x(zoom.from_ms)) y="0" width=percent(x(zoom.to_ms) - x(zoom.from_ms)) height="100%" /> }
    });
    view! {
        <svg class="overview" role="img" aria-label="The whole run">
            {bars.collect_view()}
            {guards.collect_view()}
            {brush}
            <rect id="overview-selection" class="drag-range" x="0" y="0" width="0" height="100%" />
        </svg>
    }
    .into_any()
}

/// The steps of the columns, those in a row together: kind, first column, column after the last.
fn parts(timing: &Timing, axis: &Axis) -> Vec<(&'static str, usize, usize)> {
    let mut longest: Vec<(u64, &'static str)> = vec![(0, ""); COLUMNS];
    // Places in a thousandth of a percent, of which each column has as many.
    let width = 100_000 / COLUMNS as u64;
    for stretch in &timing.stretches {
        let (left, right) = (axis.x(stretch.from_ms), axis.x(stretch.to_ms).max(axis.x(stretch.from_ms) + 1));
        let mut at = left;
        while at < right {
            let column = ((at / width) as usize).min(COLUMNS - 1);
            let end = right.min((at / width + 1) * width);
            if end - at > longest[column].0 {
                longest[column] = (end - at, kind(&stretch.step));
            }
            at = end;
        }
    }
    let mut parts: Vec<(&'static str, usize, usize)> = Vec::new();
    for (column, (_, step)) in longest.into_iter().enumerate() {
        match parts.last_mut() {
            Some(last) if last.0 == step && last.2 == column => last.2 += 1,
            _ if step.is_empty() => {}
            _ => parts.push((step, column, column + 1)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use protocol::timeline::{Step, Stretch};

    use super::*;

    #[test]
    fn thousands_of_steps_are_at_most_as_many_parts_as_columns() {
        let stretch = |i: i64| {
            let step = if i % 2 == 0 { Step::Model } else { Step::Tool("look".to_owned()) };
            Stretch { from_ms: i * 10, to_ms: i * 10 + 10, step }
        };
        let mut timing = Timing::default();
        (timing.end_ms, timing.stretches) = (60_000, (0..6_000).map(stretch).collect());
        assert!(parts(&timing, &Axis::new(&timing, None)).len() <= COLUMNS);
        (timing.end_ms, timing.stretches) = (40, (0..4).map(stretch).collect());
        let found = parts(&timing, &Axis::new(&timing, None));
        assert_eq!(found, [("model", 0, 100), ("tool", 100, 200), ("model", 200, 300), ("tool", 300, 400)]);
    }
}
