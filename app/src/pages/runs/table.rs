//! The table of runs: a line each, or two. A row is rendered again when its run changes.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use super::cell::cell;
use super::selection::{SelectBox, Selection};
use crate::browser::is_on_control;
use crate::components::icon::{Icon, IconView};
use crate::components::status::{MarkBadges, StatusBadge};
use crate::model::Column;
use crate::model::runs::{SortDirection, SortLink};
use crate::preferences::RowHeight;
use domain::RunSummary;
use domain::url::encode;

/// Data that all rows share.
#[derive(Clone, Copy)]
pub struct Table {
    pub columns: StoredValue<Vec<Column>>,
    /// The URL of the list, where parameters can be appended with `&`.
    pub here: StoredValue<String>,
    /// The URL of the list, ending where a clause can be appended.
    pub add: StoredValue<String>,
    pub now_ms: i64,
    pub selection: Selection,
    pub previewed_id: Memo<Option<String>>,
}

#[component]
pub fn RunTable(
    rows: Vec<RwSignal<RunSummary>>,
    table: Table,
    columns_chosen: bool,
    height: RowHeight,
    sorting: Vec<SortLink>,
) -> impl IntoView {
    let headers = table.columns.get_value().into_iter().map(|column| {
        let sort = sorting.iter().find(|sort| sort.column == column).cloned();
        view! { <Header column sort /> }
    });
    let navigate = use_navigate();
    let open = Callback::new(move |id: String| {
        navigate(&table.preview_href(&id), NavigateOptions { scroll: false, ..NavigateOptions::default() });
    });
    let rows: Vec<_> = rows.into_iter().map(|run| view! { <RunLine run table open /> }).collect();
    view! {
        <div class="table-scroll" role="region" aria-label="Runs">
            <table class=format!("runs {}{}", height.as_str(), if columns_chosen { " chosen" } else { "" })>
                <thead>
                    <tr>
                        <th scope="col" class="col-select"><span class="visually-hidden">"Select"</span></th>
                        <th scope="col" class="col-status">"Status"</th>
                        <th scope="col" class="col-run">"Run"</th>
                        {headers.collect_view()}
                        <th scope="col" class="col-preview"><span class="visually-hidden">"Preview"</span></th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

impl Table {
    fn preview_href(&self, id: &str) -> String {
        self.here.with_value(|here| format!("{here}&preview={}", encode(id)))
    }
}

/// A header that sorts is a link. Only the one that the list is sorted by has an arrow.
#[component]
fn Header(column: Column, sort: Option<SortLink>) -> impl IntoView {
    let direction = sort.as_ref().and_then(|sort| sort.direction);
    let arrow = direction.map(|direction| match direction {
        SortDirection::Ascending => Icon::Up,
        SortDirection::Descending => Icon::Down,
    });
    let label = match sort {
        None => column.label().into_any(),
        Some(sort) => view! { <a href=sort.href data-noscroll="">{column.label()}{arrow.map(|icon| view! { <IconView icon /> })}</a> }.into_any(),
    };
    view! { <th scope="col" class=column.class() aria-sort=direction.map(SortDirection::as_str)>{label}</th> }
}

#[component]
fn RunLine(run: RwSignal<RunSummary>, table: Table, open: Callback<String>) -> impl IntoView {
    let (id, title) = run.with_untracked(|run| (run.id.clone(), run.title()));
    let own_id = id.clone();
    let aria_current = move || table.previewed_id.with(|id| id.as_deref() == Some(own_id.as_str())).then_some("true");
    let (preview_href, label) = (table.preview_href(&id), format!("Preview {id}"));
    let href = format!("/runs/{id}");
    let (select_id, select_title) = (id.clone(), title.clone());
    // The prompt of a run without a name has the whole line.
    let title = run.with_untracked(|run| run.input_preview.clone().filter(|_| is_prompt_title(run))).unwrap_or(title);
    view! {
        <tr
            aria-current=aria_current
            on:click=move |event| {
                if !is_on_control(&event) {
                    open.run(id.clone());
                }
            }
        >
            <td class="col-select"><SelectBox selection=table.selection id=select_id title=select_title /></td>
            <td class="cell-status">{move || view! { <StatusBadge status=run.with(|run| run.status) end_is_unknown=run.with(RunSummary::end_is_unknown) /> }}</td>
            <td class="cell-run">
                <div class="run-text">
                    <span class="run-line"><a class="run-name" href=href>{title}</a>{move || view! { <MarkBadges marks=run.with(|run| run.marks) /> }}</span>
                    {move || view! { <Explanation run=run.get() /> }}
                </div>
            </td>
            {move || {
                let run = run.get();
                table.columns.get_value().into_iter().map(|column| cell(column, &run, table)).collect_view()
            }}
            <td class="col-preview"><a class="icon-button" href=preview_href title="Preview" aria-label=label data-noscroll=""><IconView icon=Icon::Panel /></a></td>
        </tr>
    }
}

/// Returns whether the title of a run is its prompt.
fn is_prompt_title(run: &RunSummary) -> bool {
    run.name.is_none() && run.input_preview.as_deref().is_some_and(|prompt| !prompt.trim().is_empty())
}

/// The reason if the run did not end well, otherwise its prompt, unless that is the title. A log without a prompt has its
/// output.
#[component]
fn Explanation(run: RunSummary) -> impl IntoView {
    let (is_reason, is_titled_by_prompt) = (run.reason.is_some(), is_prompt_title(&run));
    let text = match (run.reason, run.input_preview) {
        (Some(reason), _) => Some(reason),
        (None, Some(_)) if is_titled_by_prompt => None,
        (None, Some(prompt)) => Some(prompt),
        (None, None) => run.output_preview,
    };
    text.map(|text| view! { <span class="preview" class:reason=is_reason title=text.clone()>{text.clone()}</span> })
}
