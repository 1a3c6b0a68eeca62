//! The number of runs and the rates of what can go wrong, each with its change and a small chart.

use app::format::grouped;
use domain::{RunFigures, Signals};
use leptos::prelude::*;
use protocol::RunStatus;
use protocol::query::{Has, Is, Term};

use super::bars::{Bar, bars};
use super::change::{Meaning, of_number, of_rate, percent};
use super::{Page, counted};

/// A signal: label, name of its colour, filter, and number of runs.
type Signal = (&'static str, &'static str, Term, fn(&Signals) -> u64);

pub fn signals() -> [Signal; 5] {
    [
        ("Failed", "failed", Term::Status(RunStatus::Failed), |signals| signals.failed),
        ("Truncated", "warning", Term::Is(Is::Truncated), |signals| signals.truncated),
        ("Looping", "warning", Term::Is(Is::Looping), |signals| signals.looping),
        ("Over budget", "warning", Term::Is(Is::Budget), |signals| signals.budget),
        ("Unanswered", "running", Term::Has(Has::OrphanCall), |signals| signals.unanswered),
    ]
}

pub fn tiles(page: &Page<'_>) -> AnyView {
    let tiles = signals().into_iter().map(|signal| tile(page, signal)).collect_view();
    view! { <ul class="rate-tiles" aria-label="Rates">{total(page)}{tiles}</ul> }.into_any()
}

fn total(page: &Page<'_>) -> AnyView {
    let runs = page.insights.figures.runs;
    let before = page.insights.previous.as_ref().map(|previous| previous.runs);
    let filled = page.slots.filled.iter().map(|slot| {
        let title = format!("{}: {}", slot.label, counted(slot.figures.runs));
        Bar { slot, back: slot.figures.runs, front: None, title, href: page.slots.url(slot, None) }
    });
    let chart = bars(&page.slots, filled.collect(), "Number of runs over time", "cancelled", 1);
    view! {
        <li class="rate-tile panel" data-signal="runs">
            <a class="rate-label" href=page.runs.url(page.query)>"Runs"</a>
            <p><span class="rate-value">{grouped(runs)}</span>" "{of_number(runs, before, Meaning::Neutral, grouped)}</p>
            {chart}
        </li>
    }
    .into_any()
}

fn tile(page: &Page<'_>, (label, colour, term, count): Signal) -> AnyView {
    let of = |figures: &RunFigures| (count(&figures.signals), figures.runs);
    let (runs, all) = of(&page.insights.figures);
    let change = of_rate((runs, all), page.insights.previous.as_ref().map(of));
    let filled: Vec<Bar<'_>> = page
        .slots
        .filled
        .iter()
        .map(|slot| {
            let (runs, all) = of(&slot.figures);
            // Thousandths of the runs, so that bars compare rates.
            let share = if runs == 0 { 0 } else { (runs * 1_000 / all.max(1)).max(1) };
            let title = format!("{}: {} of {} runs, {}", slot.label, grouped(runs), grouped(all), percent(runs, all));
            Bar { slot, back: share, front: None, title, href: page.slots.url(slot, Some(term.clone())) }
        })
        .collect();
    // A rate of 10 % fills a third of the chart at least, so that single failures are not as tall as an outage.
    let chart = bars(&page.slots, filled, label, colour, 300);
    let noun = if runs == 1 { "run" } else { "runs" };
    view! {
        <li class="rate-tile panel" data-signal=colour>
            <a class="rate-label" href=page.list_with(term)>{label}" "<span class="rate-runs hint">{format!("{} {noun}", grouped(runs))}</span></a>
            <p><span class="rate-value">{percent(runs, all)}</span>" "{change}</p>
            {chart}
        </li>
    }
    .into_any()
}
