//! Tools and error classes.

use crate::masking::{is_redacted, shown};
use app::format::{duration, grouped};
use domain::ToolFigures;
use leptos::prelude::*;
use protocol::query::{Field, Term};

use super::Page;
use super::breakdown::share;
use super::change::percent;
use super::tables::{header, linked, number};

pub fn section(page: &Page<'_>) -> AnyView {
    let tools = &page.insights.tools;
    let columns = ["Calls", "Failed", "Loops", "p50", "p95", "Share of time"];
    let shown = if tools.is_empty() {
        view! { <p class="hint">"No matching run called a tool."</p> }.into_any()
    } else {
        view! {
            <div class="table-scroll" role="region" aria-label="Figures by tool">
                <table class="tools figures">
                    <thead><tr>{header("Tool", false)}{columns.map(|label| header(label, true))}</tr></thead>
                    <tbody>{tools.iter().map(|tool| row(page, tool)).collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any()
    };
    view! { <section aria-labelledby="tools"><h2 id="tools">"Tools"</h2>{shown}</section> }.into_any()
}

fn row(page: &Page<'_>, tool: &ToolFigures) -> AnyView {
    let of = |more| page.list_of("tool", &tool.name, more);
    let failed_tool = Term::Field { field: Field::FailedTool, value: tool.name.clone() };
    let time = |ms: Option<u64>| number(ms.map_or_else(|| "–".to_owned(), duration));
    let thousandths = (tool.time_share * 1_000.0).round() as u64;
    let failed = match tool.failed {
        0 => "0".to_owned(),
        failed => format!("{} · {}", grouped(failed), percent(failed, tool.calls)),
    };
    let runs = match tool.runs {
        1 => "Called in 1 run".to_owned(),
        runs => format!("Called in {} runs", grouped(runs)),
    };
    let name = view! { <code>{shown(&tool.name).into_owned()}</code> };
    let (name, failed) = match is_redacted(&tool.name) {
        true => (view! { <span title=runs>{name}</span> }.into_any(), number(failed)),
        false => (
            view! { <a href=of(None) title=runs>{name}</a> }.into_any(),
            linked(tool.failed, failed, of(Some(failed_tool))),
        ),
    };
    view! {
        <tr>
            <th scope="row">{name}</th>
            {number(grouped(tool.calls))}
            {failed}
            {number(grouped(tool.loops))}
            {time(tool.p50_ms)}
            {time(tool.p95_ms)}
            <td class="number">{share(thousandths, 1_000, percent(thousandths, 1_000))}</td>
        </tr>
    }
    .into_any()
}

pub fn errors(page: &Page<'_>) -> AnyView {
    let errors = &page.insights.errors;
    let most = errors.iter().map(|error| error.runs).max().unwrap_or(1);
    let rows = errors.iter().map(|error| {
        let class = view! { <code>{shown(&error.error_class).into_owned()}</code> };
        let class = match is_redacted(&error.error_class) {
            true => class.into_any(),
            false => view! { <a href=page.list_of("error", &error.error_class, None)>{class}</a> }.into_any(),
        };
        view! {
            <tr>
                <th scope="row">{class}</th>
                <td class="number">{share(error.runs, most, grouped(error.runs))}</td>
            </tr>
        }
    });
    let shown = if errors.is_empty() {
        view! { <p class="hint">"No matching run ended with an error."</p> }.into_any()
    } else {
        view! {
            <div class="table-scroll" role="region" aria-label="Runs by error class">
                <table class="tools figures">
                    <thead><tr>{header("Class", false)}{header("Runs", true)}</tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any()
    };
    view! { <section aria-labelledby="errors"><h2 id="errors">"Error classes"</h2>{shown}</section> }.into_any()
}
