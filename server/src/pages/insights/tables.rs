//! The tables behind the charts: the same figures as text.

use app::format::grouped;
use domain::Percentiles;
use leptos::prelude::*;

use super::Page;
use super::measures::MEASURES;
use super::rates::signals;

/// A column: its header, and whether it has numbers.
pub fn header(label: &str, is_number: bool) -> AnyView {
    view! { <th scope="col" class:number=is_number>{label.to_owned()}</th> }.into_any()
}

pub fn number(text: String) -> AnyView {
    view! { <td class="number">{text}</td> }.into_any()
}

/// A number that links to its runs, unless there are none.
pub fn linked(runs: u64, text: String, href: String) -> AnyView {
    if runs == 0 {
        return number(text);
    }
    view! { <td class="number"><a href=href>{text}</a></td> }.into_any()
}

pub fn outcomes(page: &Page<'_>) -> AnyView {
    let labels = ["Runs", "Succeeded", "Failed", "Cancelled", "In progress"];
    let more = signals().into_iter().skip(1).map(|(label, ..)| label);
    let headers = labels.into_iter().chain(more).map(|label| header(label, true)).collect_view();
    let rows = page.slots.filled.iter().map(|slot| {
        let outcomes = slot.figures.outcomes;
        let counts = [outcomes.succeeded, outcomes.failed, outcomes.cancelled, outcomes.running + outcomes.pending];
        let counts = counts.map(|runs| number(grouped(runs)));
        let of_signals = signals().into_iter().skip(1).map(|(.., term, count)| {
            let runs = count(&slot.figures.signals);
            linked(runs, grouped(runs), page.slots.url(slot, Some(term)))
        });
        view! {
            <tr>
                <th scope="row">{slot.label.clone()}</th>
                {linked(slot.figures.runs, grouped(slot.figures.runs), page.slots.url(slot, None))}
                {counts.into_iter().collect_view()}
                {of_signals.collect_view()}
            </tr>
        }
    });
    folded(page, "Runs over time as a table", "Runs over time", headers.into_any(), rows.collect_view().into_any())
}

pub fn measures(page: &Page<'_>) -> AnyView {
    let headers =
        MEASURES.map(|(label, ..)| ["p50", "p95", "sum"].map(|part| header(&format!("{label} {part}"), true)));
    let rows = page.slots.filled.iter().map(|slot| {
        let cells = MEASURES.map(|(_, of, text)| {
            let Percentiles { p50, p95, sum } = of(&slot.figures);
            let value = |value: Option<u64>| number(value.map_or_else(|| "–".to_owned(), text));
            [value(p50), value(p95), number(text(sum))]
        });
        let cells: Vec<AnyView> = cells.into_iter().flatten().collect();
        view! { <tr><th scope="row"><a href=page.slots.url(slot, None)>{slot.label.clone()}</a></th>{cells}</tr> }
    });
    let headers: Vec<AnyView> = headers.into_iter().flatten().collect();
    let label = "Duration, tokens and cost over time";
    folded(page, "Duration, tokens and cost as a table", label, headers.into_any(), rows.collect_view().into_any())
}

fn folded(page: &Page<'_>, summary: &'static str, label: &'static str, headers: AnyView, rows: AnyView) -> AnyView {
    view! {
        <details class="chart-data">
            <summary class="hint">{summary}</summary>
            <div class="table-scroll" role="region" aria-label=label>
                <table class="tools figures">
                    <thead><tr><th scope="col">{format!("Time ({})", page.zone.name())}</th>{headers}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}
