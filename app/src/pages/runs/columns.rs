//! Which columns the table has: a plain form, remembered in a cookie that the server renders by.

use leptos::prelude::*;

use crate::model::Column;

#[component]
pub fn ColumnChoice(columns: Vec<Column>, columns_chosen: bool, here: String) -> impl IntoView {
    let boxes: Vec<_> = Column::ALL
        .into_iter()
        .map(|column| {
            let chosen = columns.contains(&column);
            let gives_way = (chosen && !columns_chosen && column.gives_way())
                .then(|| view! { <span class="column-gives-way hint">"on wider screens"</span> });
            view! { <label class="check"><input type="checkbox" name="column" value=column.as_str() checked=chosen />{column.label()}{gives_way}</label> }
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
