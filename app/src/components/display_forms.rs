//! The choice of row height and columns: plain forms, stored in cookies that the server renders the table from.

use leptos::prelude::*;

use crate::model::Column;
use crate::preferences::RowHeight;

/// `here` is the page that the forms return to.
#[component]
pub fn RowsForm(rows: RowHeight, here: String) -> impl IntoView {
    let heights = RowHeight::ALL.map(|height| {
        let pressed = (height == rows).to_string();
        view! { <button class="button quiet" name="rows" value=height.as_str() aria-pressed=pressed>{height.label()}</button> }
    });
    view! {
        <form class="view-form" method="post" action="/preferences">
            <input type="hidden" name="return_to" value=here />
            <fieldset><legend>"Rows on wide screens"</legend><span class="segmented">{heights.collect_view()}</span></fieldset>
        </form>
    }
}

#[component]
pub fn ColumnsForm(columns: Vec<Column>, columns_chosen: bool, here: String) -> impl IntoView {
    let boxes: Vec<_> = Column::ALL
        .into_iter()
        .map(|column| {
            let chosen = columns.contains(&column);
            let width = column.shown_from().filter(|_| chosen && !columns_chosen);
            let hidden = width.map(|width| {
                view! { <span class=format!("column-hidden {width} hint")>"on wider screens"</span> }
            });
            view! { <label class="check"><input type="checkbox" name="column" value=column.as_str() checked=chosen />{column.label()}{hidden}</label> }
        })
        .collect();
    view! {
        <form class="view-form" method="post" action="/preferences">
            <input type="hidden" name="return_to" value=here />
            <input type="hidden" name="columns" value="chosen" />
            <fieldset><legend>"Columns"</legend>{boxes}</fieldset>
            <button class="button" type="submit">"Apply"</button>
        </form>
    }
}
