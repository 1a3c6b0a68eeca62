//! Small charts: one bar per slot, each a link to its runs.

use leptos::prelude::*;

use super::slots::{Slot, Slots};

/// A bar: two heights of which the second is drawn over the first, in the unit of the chart, and what they say.
pub struct Bar<'a> {
    pub slot: &'a Slot,
    pub back: u64,
    pub front: Option<u64>,
    pub title: String,
    pub href: String,
}

/// Draws bars in the colour of a status. The tallest has the full height, unless `least` is more.
pub fn bars(slots: &Slots, bars: Vec<Bar<'_>>, label: &'static str, colour: &'static str, least: u64) -> AnyView {
    let peak = bars.iter().map(|bar| bar.back).max().unwrap_or(0).max(least).max(1);
    let height = |value: u64| (u128::from(value) * 100).div_ceil(u128::from(peak)).max(3).to_string();
    let bar = |Bar { slot, back, front, title, href }: Bar<'_>| {
        // The bar behind another is paler.
        let opacity = if front.is_some() { "0.4" } else { "1" };
        let rect = |opacity: &'static str, value: u64| {
            let height = height(value);
            let y = 100 - height.parse::<u32>().unwrap_or(0);
            view! { <rect class="chart-part" data-status=colour fill-opacity=opacity x=format!("{}.1", slot.place) y=y.to_string() width="0.8" height=height /> }
        };
        let label = title.clone();
        view! {
            <g>
                <a href=href tabindex="-1" aria-label=label>
                    <title>{title}</title>
                    {rect(opacity, back)}
                    {front.filter(|front| *front > 0).map(|front| rect("1", front))}
                    <rect class="chart-slot" x=slot.place.to_string() y="0" width="1" height="100" />
                </a>
            </g>
        }
    };
    view! {
        <svg class="chart-bars" viewBox=format!("0 0 {} 100", slots.count) preserveAspectRatio="none" role="group" aria-label=label>
            {bars.into_iter().filter(|bar| bar.back > 0).map(bar).collect_view()}
        </svg>
    }
    .into_any()
}
