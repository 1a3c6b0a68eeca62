//! The cells of the optional columns.

use leptos::prelude::*;
use protocol::messages::Tokens;

use super::table::Table;
use crate::components::metadata::MetadataChips;
use crate::components::time::RelativeTime;
use crate::format;
use crate::model::Column;
use domain::RunSummary;

pub fn cell(column: Column, run: &RunSummary, table: Table) -> AnyView {
    let class = column.class();
    let (text, title, unit) = match column {
        Column::Created => {
            return view! { <td class=class><RelativeTime at_ms=run.created_at_ms now_ms=table.now_ms /></td> }
                .into_any();
        }
        Column::Metadata => {
            let (metadata, add) = (run.metadata.clone(), table.add.get_value());
            let all: Vec<String> = metadata.iter().map(|(key, value)| format!("{key}:{value}")).collect();
            return view! { <td class="col-metadata cell-metadata" title=all.join("\n")><MetadataChips metadata add at_most=2 /></td> }
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
        Column::Waited => {
            let title = "Time spent waiting for local tools";
            (run.waited_ms.filter(|ms| *ms > 0).map(format::duration), Some(title.to_owned()), None)
        }
    };
    let is_one = text.as_deref() == Some("1");
    let unit = unit.map(|unit: &str| if is_one { unit.trim_end_matches('s') } else { unit });
    let unknown = text.is_none().then_some("");
    view! { <td class=class title=title data-unit=unit data-unknown=unknown>{text.unwrap_or_else(|| "–".to_owned())}</td> }.into_any()
}
