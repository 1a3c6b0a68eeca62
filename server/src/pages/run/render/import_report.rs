//! The source of an imported run, and the lines that could not be read.

use leptos::prelude::*;

use super::html;
use crate::masking::shown;
use app::components::icon::{Icon, IconView};
use app::components::time::RelativeTime;
use app::format::grouped;
use domain::ImportReport;

pub fn import_report(report: ImportReport, now_ms: i64) -> String {
    let source = report.source.map(|name| view! { " from " <code>{shown(&name).into_owned()}</code> });
    let more = report.fault_count - report.faults.len() as u64;
    let faults = (report.fault_count > 0).then(|| {
        let lines = report.faults.into_iter().map(|fault| {
            view! { <li>{format!("Line {}: ", grouped(fault.line))}{shown(&fault.reason).into_owned()}</li> }
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
        </div>
    })
}
