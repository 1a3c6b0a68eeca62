//! The page of a failure group as HTML.

use crate::html::escape_text;
use crate::masking::{is_redacted, shown};
use crate::pages::code_words::CodeWords;
use app::components::icon::{Icon, IconView};
use app::components::status::StatusBadge;
use app::components::text_area::textarea_content;
use app::components::time::RelativeTime;
use app::format::{duration, grouped, short_id};
use domain::url::encode_segment;
use domain::{AffectedValue, FailureGroup, FailureState, RunSummary};
use leptos::prelude::*;

use super::links::{Links, runs_href, term_of};
use super::parts::{badge, html, notice, runs, time};
use super::trend::chart;
use crate::failures::TimeRange;

/// Values per key.
const MAX_VALUES: usize = 6;

/// What surrounds the group.
pub struct Page<'a> {
    pub links: &'a Links,
    pub range: TimeRange,
    pub runs: &'a [RunSummary],
    /// HTML.
    pub finding: String,
    pub can_write: bool,
    pub notice: Option<String>,
    pub now_ms: i64,
}

pub fn render(group: &FailureGroup, page: &Page<'_>) -> String {
    let name = shown(&group.title).into_owned();
    let all_runs = runs_href(&group.id, page.range, None);
    html(view! {
        <header class="page-head run-head">
            <div class="run-title">
                <p class="crumbs"><a href="/failures">"Failures"</a></p>
                <h1 title=name.clone()>{name.clone()}</h1>
                {page.can_write.then(|| actions(group, page.links))}
            </div>
            <dl class="facts">
                <div><dt class="visually-hidden">"State"</dt><dd>{badge(group.state)}</dd></div>
                <div><dt>"Runs"</dt><dd><a href=all_runs.clone()>{grouped(group.runs)}</a></dd></div>
                <div><dt>"First seen"</dt><dd>{time(group.first_seen_at_ms, page.now_ms)}</dd></div>
                <div><dt>"Last seen"</dt><dd>{time(group.last_seen_at_ms, page.now_ms)}</dd></div>
                <div><dt>"Range"</dt><dd>{page.links.range_label()}</dd></div>
                <div><dt>"Filter"</dt><dd><code>{format!("group:{}", group.id)}</code></dd></div>
            </dl>
            {history(group, page.now_ms)}
        </header>
        {notice(page.notice.clone())}
        <div class="list-body">
            <div class="list-main">
                {chart(group)}
                {finding(group, page)}
                {newest(page, &all_runs, group.runs)}
                {note(group, page)}
            </div>
            {affected(group, page.range)}
        </div>
    })
}

/// One plain form with a button for each state that the group is not in.
fn actions(group: &FailureGroup, links: &Links) -> AnyView {
    let button = |state: FailureState, class: &'static str, icon: Icon, label: &'static str| {
        (state != group.state).then(|| {
            view! { <button class=class name="state" value=state.as_str()><IconView icon />{label}</button> }
        })
    };
    let action = format!("/failures/{}", encode_segment(&group.id));
    view! {
        <form class="page-head-actions" method="post" action=action>
            {return_to(group, links)}
            {button(FailureState::Open, "button", Icon::Loop, "Reopen")}
            {button(FailureState::Muted, "button", Icon::Mute, "Mute")}
            {button(FailureState::Resolved, "button primary", Icon::Check, "Resolve")}
        </form>
    }
    .into_any()
}

/// The forms lead back to the same time range.
fn return_to(group: &FailureGroup, links: &Links) -> AnyView {
    view! { <input type="hidden" name="return_to" value=links.group(&group.id) /> }.into_any()
}

/// Who set the state, or which run opened the group again.
fn history(group: &FailureGroup, now_ms: i64) -> Option<AnyView> {
    let at_ms = group.changed_at_ms?;
    let what = match (&group.reopened_by_run_id, &group.changed_by, group.state) {
        (Some(run), ..) => {
            let href = format!("/runs/{}", encode_segment(run));
            view! { "Was resolved, and reopened by the new run " <a href=href>{short_id(run)}</a> }.into_any()
        }
        (None, Some(by), FailureState::Open) => format!("Reopened by {by}").into_any(),
        (None, Some(by), state) => format!("{} by {by}", super::parts::title(state)).into_any(),
        (None, None, _) => "Was resolved, and reopened by a run that is deleted".into_any(),
    };
    Some(view! { <p class="hint">{what}", "<RelativeTime at_ms now_ms />"."</p> }.into_any())
}

/// The finding of the newest run, which has the next step too.
fn finding(group: &FailureGroup, page: &Page<'_>) -> AnyView {
    let of_run = page.runs.first().map(|run| {
        let href = format!("/runs/{}", encode_segment(&run.id));
        view! { <span class="hint">"of the newest run, "<a href=href>{short_id(&run.id)}</a></span> }
    });
    let shown = match page.finding.is_empty() {
        true => None,
        false => Some(view! { <div class="findings" inner_html=page.finding.clone()></div> }),
    };
    // Without a message of its own, the finding already says it outside of its fold.
    let unfolded = page.finding.split("<details").next().unwrap_or_default();
    let is_said = unfolded.contains(&escape_text(&group.next_step));
    view! {
        <section class="failure-section">
            <h2>"Typical finding "{of_run}</h2>
            {shown}
            {(!is_said).then(|| view! { <p><b>"Next step: "</b><CodeWords text=group.next_step.clone() /></p> })}
        </section>
    }
    .into_any()
}

fn newest(page: &Page<'_>, all_runs: &str, count: u64) -> AnyView {
    let row = |run: &RunSummary| {
        let name = shown(&run.title()).into_owned();
        let reason = run.reason.clone().map(|reason| shown(&reason).into_owned());
        let model = run.model.clone().map(|model| shown(&model).into_owned());
        let took = run.duration_ms.map(duration);
        view! {
            <tr>
                <td class="cell-status col-status"><StatusBadge status=run.status end_is_unknown=run.end_is_unknown() /></td>
                <td class="cell-run">
                    <div class="run-text">
                        <span class="run-line"><a class="run-name" href=format!("/runs/{}", encode_segment(&run.id)) title=name.clone()>{name.clone()}</a></span>
                        <span class="preview reason">{reason}</span>
                    </div>
                </td>
                <td class="col-model" title=model.clone()>{model.clone()}</td>
                <td class="number col-duration" data-unknown=took.is_none().then_some("")>{took.clone().unwrap_or_else(|| "–".to_owned())}</td>
                <td class="number col-created"><RelativeTime at_ms=run.created_at_ms now_ms=page.now_ms /></td>
            </tr>
        }
    };
    let body = match page.runs.is_empty() {
        true => view! { <p class="hint">"No runs of this group in this time range."</p> }.into_any(),
        false => view! {
            <div class="table-scroll" role="region" aria-label="Newest runs" tabindex="0">
                <table class="runs compact">
                    <thead>
                        <tr>
                            <th scope="col" class="col-status">"Status"</th>
                            <th scope="col" class="col-run">"Run"</th>
                            <th scope="col" class="col-model">"Model"</th>
                            <th scope="col" class="number col-duration">"Duration"</th>
                            <th scope="col" class="number col-created">"Created"</th>
                        </tr>
                    </thead>
                    <tbody>{page.runs.iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any(),
    };
    let more = (count > page.runs.len() as u64).then(|| format!("Show all {}", runs(count)));
    let more = more.unwrap_or_else(|| "Show in the list of runs".to_owned());
    view! {
        <section class="failure-section">
            <h2>"Newest runs "<span class="hint"><a href=all_runs.to_owned()>{more}</a></span></h2>
            {body}
        </section>
    }
    .into_any()
}

/// The values that most runs have, by key.
fn affected(group: &FailureGroup, range: TimeRange) -> AnyView {
    let mut keys: Vec<&str> = Vec::new();
    for value in &group.affected {
        if !keys.contains(&value.key.as_str()) {
            keys.push(&value.key);
        }
    }
    // Metadata first: it says who is affected. Then what failed.
    keys.sort_by_key(|key| (!key.starts_with("metadata."), *key != "failed-tool"));
    let section = |key: &str| {
        let values: Vec<&AffectedValue> = group.affected.iter().filter(|value| value.key == key).collect();
        // Ids that are different in each run say nothing.
        let is_shared = values.iter().any(|value| value.runs > 1) || group.runs == 1;
        is_shared.then(|| {
            let rows = values.into_iter().take(MAX_VALUES).filter_map(|value| value_link(group, value, range));
            view! { <details class="facet" open=true><summary>{key_title(key)}</summary><ul>{rows.collect_view()}</ul></details> }
        })
    };
    let note = group.counted_newest.map(|counted| format!("Counted in the newest {}.", runs(counted)));
    view! {
        <aside class="facets" aria-label="Affected">
            <h2>"Affected"</h2>
            {note.map(|note| view! { <p class="hint">{note}</p> })}
            {group.affected.is_empty().then(|| view! { <p class="hint">"Its runs have no metadata."</p> })}
            {keys.into_iter().filter_map(section).collect_view()}
        </aside>
    }
    .into_any()
}

fn value_link(group: &FailureGroup, value: &AffectedValue, range: TimeRange) -> Option<AnyView> {
    if is_redacted(&value.value) || is_redacted(value.key.strip_prefix("metadata.").unwrap_or(&value.key)) {
        let text = shown(&value.value).into_owned();
        return Some(view! { <li><span class="facet-value">{text}</span>" "<span class="facet-count">{grouped(value.runs)}</span></li> }.into_any());
    }
    let text = shown(&value.value).into_owned();
    let href = runs_href(&group.id, range, Some(term_of(value)?));
    let link = view! {
        <li>
            <a href=href title=text.clone()><span class="facet-value">{text.clone()}</span>" "<span class="facet-count">{grouped(value.runs)}</span></a>
        </li>
    };
    Some(link.into_any())
}

fn key_title(key: &str) -> String {
    match key {
        "name" => "Name".to_owned(),
        "agent" => "Agent".to_owned(),
        "model" => "Model".to_owned(),
        "tool" => "Called tools".to_owned(),
        "failed-tool" => "Tools that failed".to_owned(),
        key => shown(key.strip_prefix("metadata.").unwrap_or(key)).into_owned(),
    }
}

fn note(group: &FailureGroup, page: &Page<'_>) -> AnyView {
    let written = group.note.as_ref().map(|note| {
        view! { <p class="hint">{format!("By {}, ", note.by)}<RelativeTime at_ms=note.at_ms now_ms=page.now_ms /></p> }
    });
    let text = group.note.as_ref().map(|note| note.text.clone()).unwrap_or_default();
    let content = match page.can_write {
        true => view! {
            <form class="view-form" method="post" action=format!("/failures/{}", encode_segment(&group.id))>
                {return_to(group, page.links)}
                <input type="hidden" name="replaces_note_at_ms" value=group.note.as_ref().map_or(0, |note| note.at_ms) />
                <label><span class="visually-hidden">"Note"</span><textarea name="note" rows="4" maxlength="2000" placeholder="Cause, owner, link to the fix">{textarea_content(&text)}</textarea></label>
                <button class="button" type="submit">"Save note"</button>
            </form>
        }
        .into_any(),
        false => view! { <p class="prose raw">{shown(&text).into_owned()}</p> }.into_any(),
    };
    view! { <section class="failure-section"><h2>"Note"</h2>{written}{content}</section> }.into_any()
}
