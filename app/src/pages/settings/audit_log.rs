//! The audit log, newest entries first.

use leptos::prelude::*;

use crate::components::time::RelativeTime;
use crate::model::settings::{AuditModel, AuditRow};
use crate::plain_text::visible;

#[component]
pub fn AuditLog(audit: AuditModel, now_ms: i64) -> impl IntoView {
    if let Some(refusal) = audit.refusal {
        return view! { <p class="hint">{refusal}</p> }.into_any();
    }
    let rows = audit.entries.into_iter().map(|entry| row(entry, now_ms)).collect_view();
    view! {
        <p class="hint">"Who did what in this workspace. Scripts read it with "<code>"GET /api/audit"</code>"."</p>
        <div class="table-scroll" role="region" aria-label="Entries of the audit log" tabindex="0">
            <table class="tools">
                <thead>
                    <tr>
                        <th scope="col">"Time"</th>
                        <th scope="col">"Who"</th>
                        <th scope="col">"Action"</th>
                        <th scope="col">"About"</th>
                        <th scope="col">"Address"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        <nav class="pager" aria-label="Pages of the audit log">
            {audit.newest.map(|href| view! { <a class="button" href=href>"Newest entries"</a> })}
            {audit.older.map(|href| view! { <a class="button" href=href>"Older entries"</a> })}
        </nav>
    }
    .into_any()
}

fn row(entry: AuditRow, now_ms: i64) -> impl IntoView {
    let target = entry.target.map(|target| visible(&target).into_owned());
    let about = match (target, entry.href) {
        (Some(target), Some(href)) => view! { <a href=href><code>{target}</code></a>" " }.into_any(),
        (Some(target), None) => view! { <code>{target}</code>" " }.into_any(),
        (None, _) => ().into_any(),
    };
    let detail = entry.detail.map(|detail| visible(&detail).into_owned());
    view! {
        <tr>
            <td><RelativeTime at_ms=entry.at_ms now_ms /></td>
            <td>{visible(&entry.actor).into_owned()}</td>
            <td>{entry.action}</td>
            <td>{about}<span class="hint">{detail}</span></td>
            <td>{entry.address}</td>
        </tr>
    }
}
