//! Duration, tokens and cost over time.

use app::format::{compact_number, dollars, duration};
use domain::{Percentiles, RunFigures};
use leptos::prelude::*;

use super::Page;
use super::bars::{Bar, bars};
use super::change::{Meaning, of_number};
use super::tables;

/// What the charts show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    #[default]
    Percentiles,
    Sum,
}

impl Shown {
    pub fn parse(text: Option<&str>) -> Self {
        if text == Some("sum") { Self::Sum } else { Self::Percentiles }
    }

    /// The value of the URL's parameter, unless it is the default.
    pub fn parameter(self) -> Option<&'static str> {
        (self == Self::Sum).then_some("sum")
    }
}

/// A number of a run: label, its percentiles and sum, and how it is written.
pub type Measure = (&'static str, fn(&RunFigures) -> Percentiles, fn(u64) -> String);

pub const MEASURES: [Measure; 3] = [
    ("Duration", |figures| figures.duration_ms, duration),
    ("Tokens", |figures| figures.tokens_per_run, compact_number),
    ("Cost", |figures| figures.cost_micros_per_run, dollars),
];

pub fn section(page: &Page<'_>) -> AnyView {
    let choice = |label: &'static str, shown: Shown| {
        let href = page.here.with("show", shown.parameter()).url(page.query);
        let current = (page.shown == shown).then_some("true");
        view! { <a href=href aria-current=current data-noscroll="">{label}</a> }
    };
    view! {
        <section aria-labelledby="measures">
            <header class="run-toolbar">
                <h2 id="measures">"Duration, tokens and cost"</h2>
                <nav class="segmented" aria-label="Show">
                    {choice("p50 and p95", Shown::Percentiles)}
                    {choice("Sum", Shown::Sum)}
                </nav>
            </header>
            <div class="rate-tiles measures">{MEASURES.map(|measure| card(page, measure))}</div>
            {tables::measures(page)}
        </section>
    }
    .into_any()
}

fn card(page: &Page<'_>, (label, of, text): Measure) -> AnyView {
    let Percentiles { p50, p95, sum } = of(&page.insights.figures);
    let before = page.insights.previous.as_ref().map(of);
    let shown = page.shown;
    let filled = page.slots.filled.iter().filter_map(|slot| {
        let Percentiles { p50, p95, sum } = of(&slot.figures);
        let (p50, p95) = (p50?, p95?);
        let (back, front, words) = match shown {
            Shown::Percentiles => (p95, Some(p50), format!("p50 {}, p95 {}", text(p50), text(p95))),
            Shown::Sum => (sum, None, text(sum)),
        };
        let title = format!("{}: {words}", slot.label);
        Some(Bar { slot, back, front, title, href: page.slots.url(slot, None) })
    });
    let chart = bars(&page.slots, filled.collect(), label, "number", 1);
    let value = |number: Option<u64>| number.map_or_else(|| "–".to_owned(), text);
    let change = match shown {
        Shown::Percentiles => {
            p95.and_then(|p95| of_number(p95, before.and_then(|before| before.p95), Meaning::MoreIsWorse, text))
        }
        Shown::Sum => of_number(sum, before.map(|before| before.sum), Meaning::Neutral, text),
    };
    let figures = match shown {
        Shown::Percentiles => view! {
            <span class="legend" data-status="number"><span class="hint">"p50 "</span>{value(p50)}</span>
            " · "
            <span class="hint">"p95 "</span>
            {value(p95)}
            " "
            {change}
        }
        .into_any(),
        Shown::Sum => view! { <span class="hint">"sum "</span>{text(sum)}" "{change} }.into_any(),
    };
    view! {
        <div class="measure panel">
            <h3>{label}</h3>
            <p>{figures}</p>
            {chart}
        </div>
    }
    .into_any()
}
