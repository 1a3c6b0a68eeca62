//! Rows of the timeline without interaction, and the line of a call.

use leptos::prelude::*;
use protocol::messages::Tokens;
use protocol::timeline::{EventGroup, Plan, PlanChanges, ToolFile, Turn};

use super::{Links, html};
use crate::masking::shown;
use crate::pages::code_words::CodeWords;
use app::components::icon::{Icon, IconView};
use app::format::{duration, grouped};
use app::model::run::{CallOutcome, Tone};

pub use super::highlight::highlighted;

pub fn turn(turn: &Turn, took_ms: Option<u64>, links: Links<'_>) -> String {
    let finish = if turn.aborted { Some("stopped by the supervisor".to_owned()) } else { turn.finish_reason.clone() };
    let last = (turn.last_seq > turn.first_seq).then(|| view! { "–" {links.event(turn.last_seq)} });
    html(view! {
        <h3>{format!("Turn {}", turn.index + 1)}</h3>
        {turn.model.as_deref().map(|model| view! { <span class="hint">{shown(model).into_owned()}</span> })}
        {took(took_ms)}
        {turn.tokens.map(|tokens| view! { <span class="hint">{tokens_of_turn(tokens)}</span> })}
        {finish.map(|finish| view! { <span class=finish_class(&finish)>{shown(&finish).replace('_', " ")}</span> })}
        <span class="event-range">{links.event(turn.first_seq)}{last}</span>
    })
}

/// Only problems are coloured.
fn finish_class(finish_reason: &str) -> &'static str {
    if matches!(finish_reason, "max_tokens" | "refusal") { "mark" } else { "hint" }
}

fn tokens_of_turn(tokens: Tokens) -> String {
    format!("{} in, {} out tokens", grouped(tokens.input_tokens), grouped(tokens.output_tokens))
}

/// The prompt, as the user's message.
pub fn prompt(key: &str, text: &str, is_long: bool, open: bool, links: Links<'_>) -> String {
    let href = links.to(links.view.toggled(key));
    let label = if open { "Show less" } else { "Show all" };
    html(view! {
        <span class="role">"User"</span>
        <div>
            <p class="prose raw">{shown(text).into_owned()}{(is_long && !open).then_some("…")}</p>
            {is_long.then(|| view! { <a href=href aria-expanded=open.to_string() data-noscroll="">{label}</a> })}
        </div>
    })
}

pub fn thinking(key: &str, chars: usize, open: Option<&str>, links: Links<'_>) -> String {
    let label = format!("Thinking, {} characters", grouped(chars as u64));
    let line = view! { <IconView icon=Icon::Thought /><span>{label}</span> };
    html(view! {
        {toggle(key, open.is_some(), line.into_any(), links)}
        {open.map(|text| view! { <p class="prose raw">{shown(text).into_owned()}</p> })}
    })
}

/// `plan` is the plan as of this note, with its changes.
pub fn note(
    seq: u64,
    tone: Tone,
    text: &str,
    times: u64,
    plan: Option<(&Plan, PlanChanges<'_>)>,
    links: Links<'_>,
) -> String {
    html(view! {
        <IconView icon=tone_icon(tone) />
        <div>
            <p>{shown(text).into_owned()}{(times > 1).then(|| format!(" (×{})", grouped(times)))}</p>
            {plan.map(|(plan, changes)| super::plan::changes(plan, changes, links))}
        </div>
        {links.event(seq)}
    })
}

/// A fold over repeated calls.
pub struct Repeats<'a> {
    pub key: &'a str,
    pub times: usize,
    /// The first and the last turn, counted from 1.
    pub turns: (usize, usize),
    pub first_wasted: bool,
    pub seq: u64,
    /// The number of repeats whose calls were skipped.
    pub skipped: usize,
    pub tools: Vec<String>,
    pub open: bool,
}

pub fn repeats(fold: Repeats<'_>, links: Links<'_>) -> String {
    let repeats = match (fold.times, fold.skipped) {
        (1, 0) => "1 repeat".to_owned(),
        (times, 0) => format!("{times} repeats"),
        (1, _) => "1 skipped repeat".to_owned(),
        (times, skipped) if skipped >= times => format!("{times} skipped repeats"),
        (times, skipped) => format!("{times} repeats ({skipped} skipped)"),
    };
    let names: Vec<String> = fold.tools.into_iter().map(|tool| format!("`{tool}`")).collect();
    let turns = match fold.turns {
        (first, last) if first == last => format!("turn {first}"),
        (first, last) => format!("turns {first}–{last}"),
    };
    let text = format!("of {}, {turns}", names.join(", "));
    let line = view! {
        <IconView icon=Icon::Loop />
        <strong class="times">{repeats}</strong>
        <span><CodeWords text /></span>
    };
    let first_wasted = fold.first_wasted.then(|| view! { "first wasted " {links.event(fold.seq)}", " });
    html(view! {
        {toggle(fold.key, fold.open, line.into_any(), links)}
        <span class="hint">{first_wasted}<a href=links.loops()>"what changed"</a></span>
    })
}

pub fn outcome(seq: u64, tone: Tone, text: &str, links: Links<'_>) -> String {
    html(view! { <IconView icon=tone_icon(tone) /><p>{shown(text).into_owned()}</p>{links.event(seq)} })
}

/// One event, or several deltas in a row.
pub struct EventLine<'a> {
    pub key: &'a str,
    pub group: &'a EventGroup,
    pub preview: &'a str,
    pub is_open: bool,
}

pub fn event(event: EventLine<'_>, links: Links<'_>) -> String {
    let EventGroup { kind, first_seq, last_seq, count, .. } = event.group;
    let line = view! {
        <code>{shown(kind).into_owned()}</code>
        {(*count > 1).then(|| view! { <span class="hint">{format!("×{} up to #{last_seq}", grouped(*count))}</span> })}
        <span class="event-preview">{shown(event.preview).into_owned()}</span>
    };
    html(view! { {links.event(*first_seq)}{toggle(event.key, event.is_open, line.into_any(), links)} })
}

/// The content of a call's line.
pub struct CallLine<'a> {
    pub key: &'a str,
    pub seq: u64,
    pub name: &'a str,
    pub is_local: bool,
    pub arguments: &'a str,
    pub answer: Option<&'a str>,
    pub files: usize,
    pub outcome: CallOutcome,
    /// The answerer, if the answer came from this server.
    pub answered: Option<String>,
    /// The failed call that this one retries.
    pub retried_seq: Option<u64>,
    pub took_ms: Option<u64>,
    pub open: bool,
}

pub fn call(call: CallLine<'_>, links: Links<'_>) -> String {
    let problem = match call.outcome {
        // Only problems are marked.
        CallOutcome::Ok => None,
        CallOutcome::Error => Some(("error", Icon::Cross)),
        CallOutcome::ReportedFailure => Some(("reported failure", Icon::Cross)),
        CallOutcome::Intercepted => Some(("over budget", Icon::Gauge)),
        CallOutcome::Skipped => Some(("skipped", Icon::Loop)),
        CallOutcome::Waiting => Some(("waiting", Icon::Clock)),
        CallOutcome::Unanswered => Some(("no answer", Icon::Alert)),
    };
    let files = match call.files {
        0 => None,
        1 => Some("1 file".to_owned()),
        files => Some(format!("{files} files")),
    };
    let line = view! {
        <IconView icon=if call.is_local { Icon::Hand } else { Icon::Tool } />
        <span class="call-name">{shown(call.name).into_owned()}</span>
        <span class="call-texts">
            <span class="call-args">{shown(call.arguments).into_owned()}</span>
            <span class="call-answer">{call.answer.map(|answer| shown(answer).into_owned())}</span>
        </span>
        {files.map(|files| view! { <span class="hint">{files}</span> })}
        {call.retried_seq.map(|seq| view! { <span class="hint call-retry">{format!("retries #{seq}")}</span> })}
        {call.answered.map(|by| view! { <span class="hint call-by">{shown(&by).into_owned()}</span> })}
        {took(call.took_ms)}
        {problem.map(|(word, icon)| view! { <span class="call-outcome"><IconView icon />{word}</span> })}
    };
    html(view! { {toggle(call.key, call.open, line.into_any(), links)}{links.event(call.seq)} })
}

fn took(ms: Option<u64>) -> Option<AnyView> {
    ms.map(|ms| view! { <span class="took">{duration(ms)}</span> }.into_any())
}

/// The tool, server or agent that answers an open call.
pub fn resolver(resolver: Option<&str>, id: Option<&str>) -> String {
    html(resolver.map(|resolver| {
        let id = id.map(|id| view! { ", call " <code>{shown(id).into_owned()}</code> });
        view! { <p class="hint">"Answered by a " {shown(resolver).into_owned()}{id}</p> }
    }))
}

/// Files that came with an answer.
pub fn files(files: &[ToolFile]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let lines = files.iter().map(|file| {
        let name = shown(file.filename.as_deref().unwrap_or("file")).into_owned();
        let size = file.size_bytes.map(|bytes| format!(", {} bytes", grouped(bytes)));
        let name = match file.url.clone().filter(|url| crate::markdown::is_safe_url(url)) {
            Some(url) => {
                view! { <a href=url rel="noopener noreferrer nofollow external" target="_blank">{name}</a> }.into_any()
            }
            None => name.into_any(),
        };
        let kind = file.mime_type.as_deref().map(|kind| shown(kind).into_owned());
        view! { <li>{name} " " <span class="hint">{kind}{size}</span></li> }
    });
    html(view! { <h4>"Files"</h4><ul class="files">{lines.collect_view()}</ul> })
}

/// A link that opens or closes a row, so that it works without scripts and can be shared.
fn toggle(key: &str, open: bool, line: AnyView, links: Links<'_>) -> AnyView {
    let href = links.to(links.view.toggled(key));
    view! { <a class="toggle" href=href aria-expanded=open.to_string() data-noscroll="">{line}</a> }.into_any()
}

fn tone_icon(tone: Tone) -> Icon {
    match tone {
        Tone::Success => Icon::Check,
        Tone::Info => Icon::Info,
        Tone::Warning => Icon::Alert,
        Tone::Error => Icon::Cross,
    }
}
