//! The source of an imported run, the lines that could not be read, and the form that deletes it.

use leptos::prelude::*;

use super::html;
use app::components::icon::{Icon, IconView};
use app::components::time::RelativeTime;
use app::format::grouped;
use app::plain_text::visible;
use domain::ImportReport;

/// `deletable` is the id of a run that the viewer may delete.
pub fn import_report(report: ImportReport, now_ms: i64, deletable: Option<&str>) -> String {
    let source = report.source.map(|name| view! { " from " <code>{visible(&name).into_owned()}</code> });
    let more = report.fault_count - report.faults.len() as u64;
    let faults = (report.fault_count > 0).then(|| {
        let lines = report.faults.into_iter().map(|fault| {
            view! { <li>{format!("Line {}: ", grouped(fault.line))}{visible(&fault.reason).into_owned()}</li> }
        });
        let summary = match report.fault_count {
            1 => "1 place could not be read".to_owned(),
            count => format!("{} places could not be read", grouped(count)),
        };
        view! {
            <details class="import-faults">
                <summary>{summary}</summary>
                <ul>{lines.collect_view()}</ul>
                {(more > 0).then(|| format!("{} more.", grouped(more)))}
            </details>
        }
    });
    html(view! {
        <div class="notice imported" role="note">
            <IconView icon=Icon::Download />
            <span>
                "Imported" {source} ", " <RelativeTime at_ms=report.imported_at_ms now_ms /> ": " {grouped(report.events)} {if report.events == 1 { " event." } else { " events." }}
                {faults}
            </span>
            {deletable.map(delete_form)}
        </div>
    })
}

/// Asks for confirmation. A plain form, whose answer leads to the list of runs.
fn delete_form(id: &str) -> AnyView {
    view! {
        <details class="popover-holder" data-popover="">
            <summary class="button quiet danger">"Delete"</summary>
            <div class="popover">
                <p>"Deletes this run with its log and its feedback. This can't be undone."</p>
                <form method="post" action="/rpc/delete-run">
                    <input type="hidden" name="id" value=id.to_owned() />
                    <button class="button danger" type="submit">"Delete run"</button>
                </form>
            </div>
        </details>
    }
    .into_any()
}
