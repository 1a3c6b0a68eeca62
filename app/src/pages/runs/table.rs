//! The table of runs, one line each. A row is rendered again when its run changes.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use protocol::messages::Tokens;

use crate::browser::is_on_control;
use crate::components::icon::{Icon, IconView};
use crate::components::metadata::MetadataChips;
use crate::components::status::{MarkBadges, StatusBadge};
use crate::components::time::RelativeTime;
use crate::format;
use crate::model::Column;
use domain::RunSummary;
use domain::url::encode;

/// Data that all rows share.
#[derive(Clone, Copy)]
struct Table {
    columns: StoredValue<Vec<Column>>,
    here: StoredValue<String>,
    add: StoredValue<String>,
    now_ms: i64,
}

#[component]
pub fn RunTable(
    rows: Vec<RwSignal<RunSummary>>,
    columns: Vec<Column>,
    columns_chosen: bool,
    here: String,
    add: String,
    now_ms: i64,
    previewed_id: Memo<Option<String>>,
) -> impl IntoView {
    let headers: Vec<_> =
        columns.iter().map(|column| view! { <th scope="col" class=column.class()>{column.label()}</th> }).collect();
    let table =
        Table { columns: StoredValue::new(columns), here: StoredValue::new(here), add: StoredValue::new(add), now_ms };
    let navigate = use_navigate();
    let open = Callback::new(move |id: String| {
        navigate(&table.preview_href(&id), NavigateOptions { scroll: false, ..NavigateOptions::default() });
    });
    let rows: Vec<_> = rows.into_iter().map(|run| view! { <RunLine run table previewed_id open /> }).collect();
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label="Runs">
            <table class=if columns_chosen { "runs chosen" } else { "runs" }>
                <thead>
                    <tr>
                        <th scope="col" class="col-status">"Status"</th>
                        <th scope="col">"Run"</th>
                        {headers}
                        <th scope="col" class="col-preview"><span class="visually-hidden">"Look"</span></th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

impl Table {
    fn preview_href(&self, id: &str) -> String {
        self.here.with_value(|here| format!("{here}&peek={}", encode(id)))
    }
}

#[component]
fn RunLine(
    run: RwSignal<RunSummary>,
    table: Table,
    previewed_id: Memo<Option<String>>,
    open: Callback<String>,
) -> impl IntoView {
    let id = run.with_untracked(|run| run.id.clone());
    let (own_id, label) = (id.clone(), format!("Look at {id}"));
    let aria_current =
        move || previewed_id.with(|previewed_id| previewed_id.as_deref() == Some(own_id.as_str())).then_some("true");
    let preview_href = table.preview_href(&id);
    let href = format!("/runs/{id}");
    view! {
        <tr
            aria-current=aria_current
            on:click=move |event| {
                if !is_on_control(&event) {
                    open.run(id.clone());
                }
            }
        >
            <td class="cell-status">{move || view! { <StatusBadge status=run.with(|run| run.status) end_is_unknown=run.with(RunSummary::end_is_unknown) /> }}</td>
            <td class="cell-run">
                <span class="run-line"><a class="run-name" href=href>{run.with_untracked(RunSummary::title)}</a>{move || view! { <MarkBadges marks=run.with(|run| run.marks) /> }}</span>
                <span class="preview">{run.with_untracked(|run| run.input_preview.clone())}</span>
            </td>
            {move || {
                let run = run.get();
                table.columns.get_value().into_iter().map(|column| cell(column, &run, table)).collect_view()
            }}
            <td class="col-preview"><a class="icon-button" href=preview_href title="Look at it here" aria-label=label data-noscroll=""><IconView icon=Icon::Panel /></a></td>
        </tr>
    }
}

fn cell(column: Column, run: &RunSummary, table: Table) -> AnyView {
    let class = column.class();
    let (text, title, unit) = match column {
        Column::Created => {
            return view! { <td class=class><RelativeTime at_ms=run.created_at_ms now_ms=table.now_ms /></td> }
                .into_any();
        }
        Column::Metadata => {
            let (metadata, add) = (run.metadata.clone(), table.add.get_value());
            return view! { <td class="col-metadata cell-metadata"><MetadataChips metadata add at_most=2 /></td> }
                .into_any();
        }
        Column::Model => (run.model.clone(), run.model.clone(), None),
        Column::Answer => {
            let answer = run.output_preview.clone().or_else(|| run.error.clone());
            (answer.clone(), answer, None)
        }
        Column::Session => (run.session_id.as_deref().map(format::short_id), run.session_id.clone(), None),
        Column::Turns => (run.turns.map(format::grouped), None, Some("turns")),
        Column::Calls => (run.tool_calls.map(format::grouped), None, Some("calls")),
        Column::Tokens => {
            let total = run.tokens.map(Tokens::total);
            (
                total.map(format::compact_number),
                total.map(|total| format!("{} tokens", format::grouped(total))),
                Some("tokens"),
            )
        }
        Column::Cost => (run.cost_micros.map(format::dollars), None, None),
        Column::Duration => (run.duration_ms.map(format::duration), None, None),
    };
    let is_one = text.as_deref() == Some("1");
    let unit = unit.map(|unit: &str| if is_one { unit.trim_end_matches('s') } else { unit });
    let unknown = text.is_none().then_some("");
    view! { <td class=class title=title data-unit=unit data-unknown=unknown>{text.unwrap_or_else(|| "–".to_owned())}</td> }.into_any()
}
