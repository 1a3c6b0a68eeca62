//! The choice of columns: a plain form, stored in a cookie that the server renders the table from.

use leptos::prelude::*;

use crate::model::Column;

#[component]
pub fn ColumnChoice(columns: Vec<Column>, columns_chosen: bool, here: String) -> impl IntoView {
    let boxes: Vec<_> = Column::ALL
        .into_iter()
        .map(|column| {
            let chosen = columns.contains(&column);
            let wide_only = (chosen && !columns_chosen && column.is_hidden_on_medium_screens())
                .then(|| view! { <span class="column-wide-only hint">"on wider screens"</span> });
            view! { <label class="check"><input type="checkbox" name="column" value=column.as_str() checked=chosen />{column.label()}{wide_only}</label> }
        })
        .collect();
    view! {
        <details class="popover-holder">
            <summary class="button quiet">"Columns"</summary>
            <form class="popover view-form" method="post" action="/preferences">
                <input type="hidden" name="return_to" value=here />
                <input type="hidden" name="columns" value="chosen" />
                {boxes}
                <button class="button" type="submit">"Show these"</button>
            </form>
        </details>
    }
}
