//! Runs over time, stacked by outcome. A bar links to its time range; dragging selects several bars.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

use crate::browser::slot_under;
use crate::format::decimal;
use crate::model::chart::{Chart, ChartSlot};
use crate::model::runs::RangeLink;

#[component]
pub fn ChartView(chart: Chart) -> impl IntoView {
    // The slots where a drag started and where it is now.
    let drag = RwSignal::new(None::<(usize, usize)>);
    let slots = chart.slots.len();
    let bars: Vec<AnyView> = chart.slots.iter().enumerate().map(|(i, slot)| bar(&chart, i, slot)).collect();
    let selection = move || {
        drag.get().filter(|(from, to)| from != to).map(|(from, to)| {
            let (left, right) = (from.min(to), from.max(to) + 1);
            view! { <rect class="chart-selection" x=left.to_string() y="0" width=(right - left).to_string() height="100" /> }
        })
    };
    let legend = chart.by_status.then(|| {
        let legend = ["succeeded", "failed", "cancelled", "running"]
            .map(|status| view! { <span class="legend" data-status=status>{status}</span> });
        view! { <span class="legends">{legend.collect_view()}</span> }
    });
    let choices = choices(chart.choices.clone());
    let lines: String = chart
        .ticks
        .iter()
        .map(|tick| format!("M{} 0V100", decimal(u64::from(tick.at) * slots as u64, 10_000, 2)))
        .collect();
    let ticks: Vec<_> = chart
        .ticks
        .iter()
        .map(
            |tick| view! { <text x=format!("{}%", decimal(tick.at.into(), 100, 2)) y="13">{tick.label.clone()}</text> },
        )
        .collect();
    let (label, peak, note) = (chart.label.clone(), chart.peak.clone(), chart.note.clone());
    let chart = StoredValue::new(chart);
    let navigate = use_navigate();
    let finish = move |_| {
        let range = |(from, to): (usize, usize)| {
            let has_runs = |chart: &Chart| chart.slots.get(from).is_some_and(|slot| !slot.parts.is_empty());
            chart.with_value(|chart| chart.range(from, to).filter(|_| from != to || has_runs(chart)))
        };
        if let Some(href) = drag.get_untracked().and_then(range) {
            navigate(&href, Default::default());
        }
        drag.set(None);
    };
    view! {
        <figure class="chart" aria-label=label>
            <svg
                class="chart-bars"
                viewBox=format!("0 0 {slots} 100")
                preserveAspectRatio="none"
                role="group"
                aria-label="Runs over time"
                on:pointerdown=move |event| {
                    if event.button() == 0 && !event.ctrl_key() && !event.meta_key() {
                        drag.set(slot_under(&event).map(|at| (at, at)));
                    }
                }
                on:pointermove=move |event| {
                    if let (Some((from, _)), Some(to)) = (drag.get_untracked(), slot_under(&event)) {
                        drag.set(Some((from, to)));
                    }
                }
                on:pointerup=finish
                on:pointerleave=move |_| drag.set(None)
                // Otherwise the browser would drag the link, or reload the page.
                on:dragstart=|event| event.prevent_default()
                on:click=|event| {
                    if !event.ctrl_key() && !event.meta_key() {
                        event.prevent_default();
                    }
                }
            >
                <path class="chart-lines" d=lines vector-effect="non-scaling-stroke" />
                {bars}
                {selection}
            </svg>
            <svg class="chart-ticks hint" aria-hidden="true">{ticks}</svg>
            <figcaption class="chart-caption hint">
                <span class="chart-peak">{peak}{choices}</span>
                {legend}
                {note.map(|note| view! { <span>{note}</span> })}
            </figcaption>
        </figure>
    }
}

/// Links to the same list with another chart.
fn choices(choices: Vec<RangeLink>) -> Option<AnyView> {
    let chosen = choices.iter().find(|choice| choice.on)?.label.clone();
    let choice = |choice: RangeLink| view! { <li><a href=choice.href aria-current=choice.on.then_some("true")>{choice.label}</a></li> };
    let links = choices.into_iter().map(choice).collect_view();
    Some(
        view! {
            <details class="popover-holder" data-popover="">
                <summary class="button quiet arrow">"Show: "{chosen}</summary>
                <div class="popover"><ul class="menu-list">{links}</ul></div>
            </details>
        }
        .into_any(),
    )
}

fn bar(chart: &Chart, i: usize, slot: &ChartSlot) -> AnyView {
    let x = i.to_string();
    let target = view! { <rect class="chart-slot" data-slot=x.clone() x=x.clone() y="0" width="1" height="100" /> };
    if slot.parts.is_empty() {
        return target.into_any();
    }
    let parts: Vec<_> = slot
        .parts
        .iter()
        .map(|part| {
            view! { <rect class="chart-part" data-status=part.status.clone() x=format!("{i}.1") y=part.y.to_string() width="0.8" height=part.height.to_string() /> }
        })
        .collect();
    // Not in the tab order: the filter offers the same, without sixty tab stops. Inside the `<g>`, the view macro
    // creates the link as an SVG element.
    view! {
        <g>
            <a href=chart.range(i, i) tabindex="-1" aria-label=slot.title.clone()>
                <title>{slot.title.clone()}</title>
                {parts}
                {target}
            </a>
        </g>
    }
    .into_any()
}
