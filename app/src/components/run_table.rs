//! Runs as a table: dense, one line each, figures to the right.

use leptos::prelude::*;
use protocol::Query;
use protocol::messages::Tokens;

use super::metadata::MetadataChips;
use super::status::{MarkBadges, StatusBadge};
use super::time::RelativeTime;
use crate::format;
use crate::model::RunSummary;

#[component]
pub fn RunTable(runs: Vec<RunSummary>, query: Query, now_ms: i64) -> impl IntoView {
    let rows = runs.into_iter().map(move |run| view! { <RunLine run query=query.clone() now_ms /> });
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label="Runs">
            <table class="runs">
                <thead>
                    <tr>
                        <th scope="col" class="col-status">"Status"</th>
                        <th scope="col">"Run"</th>
                        <th scope="col" class="col-model">"Model"</th>
                        <th scope="col" class="number col-turns">"Turns"</th>
                        <th scope="col" class="number col-tokens">"Tokens"</th>
                        <th scope="col" class="number col-duration">"Duration"</th>
                        <th scope="col" class="number col-created">"Created"</th>
                        <th scope="col" class="col-metadata">"Metadata"</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

#[component]
fn RunLine(run: RunSummary, query: Query, now_ms: i64) -> impl IntoView {
    let href = format!("/runs/{}", run.id);
    let figure = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let tokens = run.tokens.map(Tokens::total);
    view! {
        <tr>
            <td class="cell-status"><StatusBadge status=run.status /></td>
            <td class="cell-run">
                <span class="run-line"><a class="run-name" href=href>{run.title()}</a><MarkBadges marks=run.marks /></span>
                <span class="preview">{run.input_preview.clone()}</span>
            </td>
            <td class="cell-model" title=run.model.clone()>{run.model.clone().unwrap_or_else(|| "–".to_owned())}</td>
            <td class="number" data-unit=if run.turns == Some(1) { "turn" } else { "turns" }>{figure(run.turns.map(format::grouped))}</td>
            <td class="number" data-unit="tokens" title=tokens.map(|total| format!("{} tokens", format::grouped(total)))>
                {figure(tokens.map(format::compact_number))}
            </td>
            <td class="number">{figure(run.duration_ms.map(format::duration))}</td>
            <td class="number"><RelativeTime at_ms=run.created_at_ms now_ms /></td>
            <td class="cell-metadata"><MetadataChips metadata=run.metadata query at_most=2 /></td>
        </tr>
    }
}
