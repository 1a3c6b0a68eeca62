//! The menu with the choice of row height and columns.

use leptos::prelude::*;

use crate::components::display_forms::{ColumnsForm, RowsForm};
use crate::model::Column;
use crate::preferences::RowHeight;

#[component]
pub fn DisplayMenu(columns: Vec<Column>, columns_chosen: bool, rows: RowHeight, here: String) -> impl IntoView {
    view! {
        <details class="popover-holder" data-popover="">
            <summary class="button quiet arrow">"Display"</summary>
            <div class="popover">
                <RowsForm rows here=here.clone() />
                <ColumnsForm columns columns_chosen here />
            </div>
        </details>
    }
}
