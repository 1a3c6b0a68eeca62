//! The table of a batch as HTML: one row per input.

use crate::masking::shown;
use app::components::icon::{Icon, IconView};
use app::components::status::{MarkBadges, StatusBadge};
use app::format;
use domain::url::encode;
use domain::{BatchItemState, RunSummary};
use leptos::prelude::*;
use protocol::RunStatus;
use protocol::json::preview;

use super::Row;
use super::sort::{Column, Sort};

const INPUT_CHARS: usize = 200;
const OUTPUT_CHARS: usize = 200;

pub fn render(rows: &[Row], sort: Sort, batch_id: &str) -> String {
    let head = |column: Column, label: &'static str| {
        let is_sorted = sort.column == column;
        let order = is_sorted.then_some(if sort.descending { "descending" } else { "ascending" });
        let icon = is_sorted.then(|| view! { <IconView icon=if sort.descending { Icon::Down } else { Icon::Up } /> });
        let href = format!("/launch/batches/{}?sort={}", encode(batch_id), sort.after_click(column));
        let class = if matches!(column, Column::Input | Column::Status) { "" } else { "number" };
        view! { <th scope="col" class=class aria-sort=order><a href=href>{icon}{label}</a></th> }
    };
    // A failed run is compared with a good one of the same batch.
    let good = rows.iter().find(|row| row.run.as_ref().is_some_and(is_good)).and_then(|row| row.run.as_ref());
    let lines = rows.iter().map(|row| line(row, good)).collect_view();
    let table = view! {
        <table class="runs batch-rows">
            <thead>
                <tr>
                    {head(Column::Input, "Input")}
                    {head(Column::Status, "Status")}
                    <th scope="col">"Reason"</th>
                    <th scope="col">"Output"</th>
                    {head(Column::Tokens, "Tokens")}
                    {head(Column::Cost, "Cost")}
                    {head(Column::Duration, "Duration")}
                </tr>
            </thead>
            <tbody>{lines}</tbody>
        </table>
    };
    table.to_html()
}

fn is_good(run: &RunSummary) -> bool {
    run.status == RunStatus::Succeeded && run.reason.is_none()
}

fn line(row: &Row, good: Option<&RunSummary>) -> AnyView {
    let run = row.run.as_ref();
    let prompt = run.and_then(|run| run.input_preview.clone());
    let input = row.input.clone().or(prompt).unwrap_or_else(|| "Unknown".to_owned());
    let input = shown(&preview(&input, INPUT_CHARS)).into_owned();
    let title = input.clone();
    let input = match &row.item.run_id {
        Some(id) => view! { <a class="run-name" href=format!("/runs/{id}") title=title>{input}</a> }.into_any(),
        None => view! { <span class="run-name" title=title>{input}</span> }.into_any(),
    };
    let status = match (run, row.item.state) {
        (Some(run), _) => view! { <StatusBadge status=run.status /><MarkBadges marks=run.marks /> }.into_any(),
        (None, BatchItemState::Waiting) => "waiting to be launched".into_any(),
        (None, BatchItemState::Launched) => "launched".into_any(),
        (None, BatchItemState::Failed) => "not launched".into_any(),
    };
    let reason =
        row.item.problem.clone().or_else(|| run.and_then(|run| run.reason.clone().or_else(|| run.error.clone())));
    let compare = run.filter(|run| run.status.is_terminal() && !is_good(run)).zip(good).map(|(run, good)| {
        let href = format!("/compare?left={}&right={}", run.id, good.id);
        view! { " "<a href=href>"Compare"</a> }
    });
    let output = run.and_then(|run| run.output_preview.as_deref()).map(|text| preview(text, OUTPUT_CHARS));
    let output = output.map(|text| shown(&text).into_owned());
    view! {
        <tr>
            <td class="batch-input"><span class="hint">{row.number}</span>" "{input}</td>
            <td>{status}</td>
            <td class="batch-text">{reason.map(|reason| shown(&reason).into_owned())}{compare}</td>
            <td class="batch-text" title=output.clone()>{output.clone()}</td>
            {number(run.and_then(|run| run.tokens).map(|tokens| format::grouped(tokens.total())))}
            {number(run.and_then(|run| run.cost_micros).map(format::dollars))}
            {number(run.and_then(|run| run.duration_ms).map(format::duration))}
        </tr>
    }
    .into_any()
}

fn number(value: Option<String>) -> AnyView {
    let unknown = value.is_none().then_some("");
    view! { <td class="number" data-unknown=unknown>{value.unwrap_or_else(|| "–".to_owned())}</td> }.into_any()
}
