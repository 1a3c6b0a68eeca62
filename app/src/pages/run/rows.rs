//! The rows of the timeline. A row is rendered again only when it changes.

use leptos::prelude::*;

use super::answer_call::{AnswerCall, Draft, UnsentDraft};
use crate::browser::NEWEST_ID;
use crate::browser::RunContext;
use crate::components::copy::CopyButton;
use crate::components::event_link::EventLink;
use crate::components::json_tree::JsonTree;
use crate::format::grouped;
use crate::model::run::{Body, CallBody, Row, RowKind, RunView, Tone};
use crate::plain_text::visible_html;

#[component]
pub fn Timeline() -> impl IntoView {
    let run = expect_context::<RunContext>();
    let keys = Memo::new(move |_| {
        run.state.with(|state| state.window.rows.iter().map(|row| row.key.clone()).collect::<Vec<_>>())
    });
    let row = move |key: String| {
        Memo::new(move |_| run.state.with(|state| state.window.rows.iter().find(|row| row.key == key).cloned()))
    };
    view! {
        <Pager earlier=true />
        <ol class="timeline" class:searching=move || run.view.with(|view| !view.find.text.is_empty())>
            <For each=move || keys.get() key=String::clone let(key)>
                <RowView row=row(key) />
            </For>
        </ol>
        <Pager earlier=false />
        <p id=NEWEST_ID></p>
        {move || run.state.with(|state| state.window.total == 0).then(|| view! { <p class="hint">"Nothing has happened yet."</p> })}
    }
}

/// Links to earlier and later rows of a long log.
#[component]
fn Pager(earlier: bool) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let target = Memo::new(move |_| {
        run.state.with(|state| {
            let (start, shown, total) = (state.window.start, state.window.rows.len(), state.window.total);
            let step = shown.max(1) / 2;
            match earlier {
                true if start > 0 => Some((start.saturating_sub(step), start)),
                false if start + shown < total => Some((start + step, total - start - shown)),
                _ => None,
            }
        })
    });
    move || {
        target.get().map(|(from, remaining)| {
            let href = run.href(|view| RunView { from: Some(from), focus: None, ..view.clone() });
            let word = if earlier { "earlier" } else { "later" };
            view! { <p class="row-pager"><a class="button" href=href data-noscroll="">{format!("{} {word} rows", grouped(remaining as u64))}</a></p> }
        })
    }
}

#[component]
fn RowView(row: Memo<Option<Row>>) -> impl IntoView {
    // The parts of a call's row are rendered separately, so that text in its reply box survives other changes. The key
    // of a row decides whether it is a call, and never changes.
    if row.with_untracked(|row| row.as_ref().is_some_and(|row| row.as_call().is_some())) {
        view! { <CallRowView row /> }.into_any()
    } else {
        (move || row.get().map(render)).into_any()
    }
}

#[component]
fn CallRowView(row: Memo<Option<Row>>) -> impl IntoView {
    let outcome = move || row.with(|row| row.as_ref()?.as_call().map(|call| call.outcome.tone()));
    let class =
        move || row.with(|row| if row.as_ref().is_some_and(|row| row.hit) { "row call hit" } else { "row call" });
    let is_current = is_current(row.with_untracked(|row| row.as_ref().map(|row| row.key.clone())));
    let anchor = move || row.with(|row| row.as_ref()?.anchor.map(|seq| format!("e{seq}")));
    let depth = move || row.with(|row| row.as_ref().map(|row| row.depth.to_string()));
    let line = move || row.with(|row| row.as_ref().and_then(Row::as_call).map(|call| call.line.clone()));
    let open = Memo::new(move |_| row.with(|row| row.as_ref()?.as_call()?.open.clone()));
    let reply = Memo::new(move |_| row.with(|row| row.as_ref()?.as_call()?.reply.clone()));
    let draft = Draft::new();
    let age = Signal::derive(move || {
        row.with(|row| row.as_ref().and_then(Row::as_call).map(|call| call.age.clone())).unwrap_or_default()
    });
    view! {
        <li class=class class:current=is_current id=anchor data-depth=depth data-outcome=outcome>
            <div class="call-line" inner_html=move || line().unwrap_or_default()></div>
            {move || open.get().map(|body| view! { <CallDetails body=*body /> })}
            {move || match reply.get() {
                Some(controls) => view! { <AnswerCall controls age draft /> }.into_any(),
                None => view! { <UnsentDraft draft /> }.into_any(),
            }}
        </li>
    }
}

/// Returns true if a replay is at the row. Separate from the row, so that a replay doesn't render rows again.
fn is_current(key: Option<String>) -> impl Fn() -> bool + Copy + Send + Sync + 'static {
    let run = expect_context::<RunContext>();
    let key = StoredValue::new(key);
    move || run.state.with(|state| state.window.current.is_some() && key.with_value(|key| *key == state.window.current))
}

fn render(row: Row) -> AnyView {
    let (key, hit, depth) = (row.key, row.hit, row.depth.to_string());
    let anchor = row.anchor.map(|seq| format!("e{seq}"));
    let is_current = is_current(Some(key.clone()));
    let class = |kind: &str| if hit { format!("row {kind} hit") } else { format!("row {kind}") };
    match row.kind {
        RowKind::Html { class: kind, tone, html } => view! {
            <li class=class(&kind) class:current=is_current id=anchor data-depth=depth data-tone=tone.map(Tone::as_str) inner_html=html></li>
        }
        .into_any(),
        RowKind::Text { html, text, cut, writing } => view! {
            <li class=class("text") class:current=is_current id=anchor data-depth=depth class:writing=writing>
                {(cut > 0 && writing).then(|| view! { <p class="hint">{format!("{} bytes before this", grouped(cut as u64))}</p> })}
                {if writing { view! { <p class="prose raw" inner_html=visible_html(&text)></p> }.into_any() } else { view! { <div inner_html=html></div> }.into_any() }}
                {(cut > 0 && !writing).then(|| view! { <ShowAll key cut /> })}
            </li>
        }
        .into_any(),
        RowKind::Event { line, body } => view! {
            <li class=class("event") class:current=is_current id=anchor>
                <div class="event-line" inner_html=line></div>
                {body.map(|body| view! { <BodyView body label="the event" /> })}
            </li>
        }
        .into_any(),
        RowKind::Call(_) => ().into_any(),
    }
}

#[component]
fn ShowAll(key: String, cut: usize) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let is_open = run.view.with(|view| view.open.contains(&key));
    if is_open {
        return view! { <p class="hint">{format!("{} more bytes are in the exported log.", grouped(cut as u64))}</p> }
            .into_any();
    }
    let from = run.state.with_untracked(|state| Some(state.window.start).filter(|start| *start > 0));
    let href = move || run.href(|view| RunView { from, ..view.toggled(&key) });
    view! { <p><a href=href data-noscroll="">{format!("Show {} more bytes", grouped(cut as u64))}</a></p> }.into_any()
}

#[component]
fn CallDetails(body: CallBody) -> impl IntoView {
    view! {
        <div class="call-body">
            <div inner_html=body.resolver></div>
            <h4>"Arguments"</h4>
            <BodyView body=body.input label="the arguments" />
            {body.answer.map(|(seq, answer)| view! {
                <h4 id=format!("e{seq}")>"Answer " <EventLink seq /></h4>
                <BodyView body=answer label="the answer" />
            })}
            <div inner_html=body.files></div>
        </div>
    }
}

#[component]
fn BodyView(body: Body, label: &'static str) -> impl IntoView {
    match body {
        Body::Json(value) => view! { <JsonTree value label /> }.into_any(),
        Body::Text { text, cut } => view! {
            <div class="text-body">
                <CopyButton text=text.clone() label="Copy the text" />
                <pre class="code" tabindex="0" inner_html=visible_html(&text)></pre>
                {(cut > 0).then(|| view! { <p class="hint">{format!("{} more bytes are in the exported log.", grouped(cut as u64))}</p> })}
            </div>
        }
        .into_any(),
    }
}
