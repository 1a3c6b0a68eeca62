//! The figures by the values of a key.

use crate::masking::{is_redacted, shown};
use app::format::{compact_number, dollars, duration, grouped};
use domain::RunFigures;
use leptos::prelude::*;
use protocol::RunStatus;
use protocol::query::{Is, Term};

use super::Page;
use super::change::percent;
use super::tables::{header, linked, number};
use crate::insights::DEFAULT_KEY;
use crate::pages::list::title;

pub fn section(page: &Page<'_>) -> AnyView {
    let by = &page.insights.by;
    let choice = |key: &String| {
        let href = page.here.with("by", Some(key.as_str()).filter(|key| *key != DEFAULT_KEY)).url(page.query);
        let current = (by.key == *key).then_some("true");
        view! { <a href=href aria-current=current data-noscroll="">{shown(&title(key)).into_owned()}</a> }
    };
    let most = by.values.iter().map(|value| value.figures.runs).max().unwrap_or(1).max(1);
    let rows = by.values.iter().map(|value| {
        let href = |more| page.list_of(&by.key, &value.value, more);
        let is_hidden = is_redacted(&value.value) || is_redacted(&title(&by.key));
        let href: Option<&dyn Fn(Option<Term>) -> String> = if is_hidden { None } else { Some(&href) };
        row(shown(&value.value).into_owned(), &value.figures, most, href)
    });
    let others = by.others.as_ref().map(|figures| row("Others, or none".to_owned(), figures, most, None));
    let columns = [
        "Runs",
        "Failed",
        "Truncated",
        "Looping",
        "Duration p50",
        "Duration p95",
        "Total duration",
        "Total tokens",
        "Total cost",
    ];
    view! {
        <section aria-labelledby="breakdown">
            <header class="run-toolbar">
                <h2 id="breakdown">"By "{heading(&by.key)}</h2>
                <nav class="segmented" aria-label="By">{by.keys.iter().filter(|key| !is_redacted(&title(key))).map(choice).collect_view()}</nav>
            </header>
            <div class="table-scroll" role="region" aria-label="Figures by value">
                <table class="tools figures">
                    <thead><tr>{header("Value", false)}{columns.map(|label| header(label, true))}</tr></thead>
                    <tbody>{rows.collect_view()}{others}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

/// A key in a sentence.
fn heading(key: &str) -> String {
    let name = title(key);
    shown(&if key.starts_with("metadata.") { name } else { name.to_lowercase() }).into_owned()
}

/// A row. `href` is the URL of its runs, with one more filter.
fn row(label: String, figures: &RunFigures, most: u64, href: Option<&dyn Fn(Option<Term>) -> String>) -> AnyView {
    let signals = figures.signals;
    let rates = [
        (signals.failed, Term::Status(RunStatus::Failed)),
        (signals.truncated, Term::Is(Is::Truncated)),
        (signals.looping, Term::Is(Is::Looping)),
    ];
    let rates = rates.map(|(runs, term)| {
        let text = percent(runs, figures.runs);
        match href {
            Some(href) => linked(runs, text, href(Some(term))),
            None => number(text),
        }
    });
    let value = |number: Option<u64>, text: fn(u64) -> String| number.map_or_else(|| "–".to_owned(), text);
    let name = match href {
        Some(href) => view! { <a href=href(None)>{label}</a> }.into_any(),
        None => view! { <span class="hint">{label}</span> }.into_any(),
    };
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td class="number">{share(figures.runs, most, grouped(figures.runs))}</td>
            {rates.into_iter().collect_view()}
            {number(value(figures.duration_ms.p50, duration))}
            {number(value(figures.duration_ms.p95, duration))}
            {number(duration(figures.duration_ms.sum))}
            {number(compact_number(figures.tokens))}
            {number(dollars(figures.cost_micros))}
        </tr>
    }
    .into_any()
}

/// A text, and a bar of the share of the largest value. All bars of a column have one place.
pub fn share(part: u64, most: u64, text: String) -> AnyView {
    let width = format!("{}%", (u128::from(part) * 100).div_ceil(u128::from(most.max(1))).min(100));
    view! {
        {text}
        " "
        <svg width="48" height="6" aria-hidden="true">
            <rect class="chart-part" data-status="number" fill-opacity="0.15" width="100%" height="100%" />
            <rect class="chart-part" data-status="number" width=width height="100%" />
        </svg>
    }
    .into_any()
}
