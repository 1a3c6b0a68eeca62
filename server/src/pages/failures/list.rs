//! The list of failure groups as HTML: tabs by state, a time range, and a row per group.

use crate::masking::{is_redacted, shown};
use crate::pages::code_words::CodeWords;
use app::components::icon::{Icon, IconView};
use app::format::grouped;
use domain::url::encode;
use domain::{AffectedValue, FailureGroup, FailureGroups, FailureSort, FailureState};
use leptos::prelude::*;

use super::links::{Links, runs_href, term_of};
use super::parts::{html, notice, time, title};
use super::trend::sparkline;
use crate::failures::TimeRange;

/// Values of a row.
const MAX_VALUES: usize = 3;

pub fn render(found: &FailureGroups, links: &Links, range: TimeRange, stale: Option<String>, now_ms: i64) -> String {
    let tab = |state: FailureState| {
        let current = (state == links.state).then_some("page");
        let count = grouped(found.counts.of(state));
        view! { <a href=links.with_state(state).list() aria-current=current>{title(state)}" "<span class="facet-count">{count}</span></a> }
    };
    let older = found.next_cursor.as_ref().map(|cursor| {
        let list = links.list();
        let mark = if list.contains('?') { '&' } else { '?' };
        let href = format!("{list}{mark}cursor={}", encode(cursor));
        view! { <nav class="pager" aria-label="Pages"><a class="button" href=href>"More groups"</a></nav> }
    });
    let counted = found.counted_newest.map(|groups| {
        let groups = grouped(groups);
        format!("There are more groups than can be counted at once: list and counts are of the {groups} that were seen last.")
    });
    let body = match found.groups.is_empty() {
        true => empty(links, found),
        false => table(found, links, range, now_ms),
    };
    html(view! {
        <header class="page-head page-head-actions"><h1>"Failures"</h1>{picker(links)}</header>
        <div class="views"><nav aria-label="States">{FailureState::ALL.map(tab).collect_view()}</nav></div>
        {notice(stale)}
        {notice(counted)}
        {body}
        {older}
    })
}

fn picker(links: &Links) -> AnyView {
    let preset = |(label, href, on): (&'static str, String, bool)| {
        let mark = on.then(|| view! { <IconView icon=Icon::Check /> });
        view! { <li><a href=href aria-current=on.then_some("true")>{label}{mark}</a></li> }
    };
    let date = |value: &Option<String>| value.as_deref().and_then(|at| at.get(..10)).map(str::to_owned);
    let label = links.range_label();
    view! {
        <details class="popover-holder time-range" data-popover="">
            <summary class="button arrow" aria-label=format!("Time range: {label}")><span class="time-range-label">{label.clone()}</span></summary>
            <div class="popover">
                <ul class="menu-list">{links.presets().into_iter().map(preset).collect_view()}</ul>
                <form method="get" action="/failures" class="view-form custom-range">
                    <input type="hidden" name="state" value=links.state.as_str() />
                    <input type="hidden" name="sort" value=links.sort.as_str() />
                    <p class="hint">"Custom range, in UTC"</p>
                    <label>"From"<input type="date" name="since" value=date(&links.since) /></label>
                    <label>"Before"<input type="date" name="before" value=date(&links.before) /></label>
                    <button class="button" type="submit">"Apply"</button>
                </form>
            </div>
        </details>
    }
    .into_any()
}

fn table(found: &FailureGroups, links: &Links, range: TimeRange, now_ms: i64) -> AnyView {
    let head = |sort: FailureSort, label: &'static str, class: &'static str| {
        let is_sorted = sort == links.sort;
        let icon = is_sorted.then(|| view! { <IconView icon=Icon::Down /> });
        let order = is_sorted.then_some("descending");
        view! { <th scope="col" class=class aria-sort=order><a href=links.sorted(sort).list()>{icon}{label}</a></th> }
    };
    let rows = found.groups.iter().map(|group| row(group, links, range, now_ms)).collect_view();
    view! {
        <div class="table-scroll" role="region" aria-label="Failure groups" tabindex="0">
            <table class="runs sessions failures">
                <thead>
                    <tr>
                        <th scope="col" class="col-run">"Failure"</th>
                        <th scope="col" class="col-trend">"Trend"</th>
                        {head(FailureSort::Runs, "Runs", "number col-turns")}
                        <th scope="col" class="col-metadata">"Affected"</th>
                        {head(FailureSort::FirstSeen, "First seen", "number col-created")}
                        {head(FailureSort::LastSeen, "Last seen", "number col-created")}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(group: &FailureGroup, links: &Links, range: TimeRange, now_ms: i64) -> AnyView {
    let name = shown(&group.title).into_owned();
    let reopened = group.reopened_by_run_id.is_some().then(|| {
        view! { <span class="mark" title="Was resolved; a new run opened it again"><IconView icon=Icon::Loop />"reopened"</span> }
    });
    let note = group.note.as_ref().map(|note| {
        view! { <span class="mark" title=shown(&note.text).into_owned()><IconView icon=Icon::Chat />"note"</span> }
    });
    view! {
        <tr>
            <td class="cell-run">
                <div class="run-text">
                    <span class="run-line"><a class="run-name" href=links.group(&group.id) title=name.clone()>{name.clone()}</a>{reopened}{note}</span>
                    <span class="preview"><CodeWords text=group.next_step.clone() /></span>
                </div>
            </td>
            <td class="col-trend">{sparkline(&group.trend)}</td>
            <td class="number col-turns" data-unit=if group.runs == 1 { "run" } else { "runs" }><a href=runs_href(&group.id, range, None)>{grouped(group.runs)}</a></td>
            <td class="col-metadata cell-metadata">{affected(group, range)}</td>
            <td class="number col-created" data-unit="(first)">{time(group.first_seen_at_ms, now_ms)}</td>
            <td class="number col-created" data-unit="(last)">{time(group.last_seen_at_ms, now_ms)}</td>
        </tr>
    }
    .into_any()
}

/// The most frequent value of some keys, each a link to the runs that have it.
fn affected(group: &FailureGroup, range: TimeRange) -> AnyView {
    let chips = top_values(group).into_iter().filter_map(|value| {
        let href = runs_href(&group.id, range, Some(term_of(value)?));
        let key = value.key.strip_prefix("metadata.").unwrap_or(&value.key).to_owned();
        if is_redacted(&value.value) || is_redacted(&key) {
            return Some(view! { <span class="chip"><span class="chip-key">{shown(&key).into_owned()}</span><span class="chip-value">{shown(&value.value).into_owned()}</span></span> }.into_any());
        }
        let title = format!("{key}:{} in {}", value.value, super::parts::runs(value.runs));
        Some(view! { <a class="chip" href=href title=title><span class="chip-key">{shown(&key).into_owned()}</span><span class="chip-value">{shown(&value.value).into_owned()}</span></a> }.into_any())
    });
    view! { <span class="chips">{chips.collect_view()}</span> }.into_any()
}

/// The name, then metadata that many runs share. A value that says the same as another one is left out.
fn top_values(group: &FailureGroup) -> Vec<&AffectedValue> {
    let mut top: Vec<&AffectedValue> = Vec::new();
    let is_name = |value: &&AffectedValue| matches!(value.key.as_str(), "name" | "agent");
    let is_metadata = |value: &&AffectedValue| value.key.starts_with("metadata.");
    let names = group.affected.iter().filter(is_name);
    for value in names.chain(group.affected.iter().filter(is_metadata)) {
        let is_shared = value.runs > 1 || group.runs == 1;
        let is_new = !top.iter().any(|known| known.key == value.key || known.value == value.value);
        if is_shared && is_new && top.len() < MAX_VALUES {
            top.push(value);
        }
    }
    top
}

fn empty(links: &Links, found: &FailureGroups) -> AnyView {
    let (heading, text) = match links.state {
        FailureState::Open if found.counts.resolved + found.counts.muted > 0 => {
            ("No open failures", "Every failure in this time range is resolved or muted.")
        }
        FailureState::Open => {
            ("No failures", "Runs that fail, are truncated, refused or stopped by a guard are grouped here.")
        }
        FailureState::Resolved => {
            ("Nothing resolved", "Resolve a failure on its page once it is fixed. A new run of this kind reopens it.")
        }
        FailureState::Muted => ("Nothing muted", "Mute a failure that you know and accept. New runs leave it muted."),
    };
    let all_time = links.presets().pop().filter(|(.., on)| !on);
    let all_time = all_time.map(|(_, href, _)| view! { <p><a class="button" href=href>"Show all time"</a></p> });
    view! { <section class="empty"><IconView icon=Icon::Failures /><h2>{heading}</h2><p>{text}</p>{all_time}</section> }
        .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_shared_values_once_each() {
        let value = |key: &str, value: &str, runs| AffectedValue { key: key.to_owned(), value: value.to_owned(), runs };
        let affected = vec![
            value("metadata.workflow", "invoice-extract", 6),
            value("model", "sandbox/script", 6),
            value("name", "invoice-extract", 6),
            value("metadata.env", "prod", 4),
            value("metadata.env", "dev", 2),
            value("metadata.order", "A1", 1),
        ];
        let group = FailureGroup { runs: 6, affected, ..FailureGroup::default() };
        let top: Vec<&str> = top_values(&group).into_iter().map(|value| value.value.as_str()).collect();
        assert_eq!(top, ["invoice-extract", "prod"]);
    }
}
