//! The timeline's rows. Each is drawn anew only when it changes.

use leptos::prelude::*;

use super::Run;
use super::answer_call::AnswerCall;
use super::plan::Checklist;
use crate::components::code_words::CodeWords;
use crate::components::copy::CopyButton;
use crate::components::event_link::EventLink;
use crate::components::icon::{Icon, IconView};
use crate::components::json_tree::JsonTree;
use crate::components::markdown::Markdown;
use crate::format::grouped;
use crate::plain_text::visible;
use crate::run::{Body, CallBody, CallOutcome, Row, RowKind, RunView, Tone};

#[component]
pub fn Timeline() -> impl IntoView {
    let run = expect_context::<Run>();
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
        {move || run.state.with(|state| state.window.total == 0).then(|| view! { <p class="hint">"Nothing has happened yet."</p> })}
    }
}

/// Links to the rows before and after, where a log has more than are shown.
#[component]
fn Pager(earlier: bool) -> impl IntoView {
    let run = expect_context::<Run>();
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
        target.get().map(|(from, left)| {
            let href = run.href(|view| RunView { from: Some(from), focus: None, ..view.clone() });
            let word = if earlier { "earlier" } else { "later" };
            view! { <p class="row-pager"><a class="button" href=href data-noscroll="">{format!("{} {word} rows", grouped(left as u64))}</a></p> }
        })
    }
}

#[component]
fn RowView(row: Memo<Option<Row>>) -> impl IntoView {
    move || row.get().map(draw)
}

fn draw(row: Row) -> AnyView {
    let (key, seq, hit, depth) = (row.key, row.seq, row.hit, row.depth.to_string());
    let anchor = format!("e{seq}");
    match row.kind {
        RowKind::Turn { number, first_seq, last_seq, model, finish, writing } => view! {
            <li class="row turn-head" id=anchor data-depth=depth class:writing=writing>
                <h3>{format!("Turn {number}")}</h3>
                {model.map(|model| view! { <span class="hint">{model}</span> })}
                {finish.map(|finish| view! { <span class="finish" data-finish=finish.clone()>{finish.replace('_', " ")}</span> })}
                <span class="event-range"><EventLink seq=first_seq />{(last_seq > first_seq).then(|| view! { "–" <EventLink seq=last_seq /> })}</span>
            </li>
        }
        .into_any(),
        RowKind::Thinking { chars, open } => {
            let label = format!("Thinking, {} characters", grouped(chars as u64));
            let shown = open.is_some();
            view! {
                <li class="row thinking" id=anchor data-depth=depth class:hit=hit>
                    <Toggle key open=shown><IconView icon=Icon::Thought /><span>{label}</span></Toggle>
                    {open.map(|text| view! { <p class="prose raw">{visible(&text).into_owned()}</p> })}
                </li>
            }
            .into_any()
        }
        RowKind::Text { text, cut, writing } => view! {
            <li class="row text" id=anchor data-depth=depth class:hit=hit class:writing=writing>
                <Prose text />
                {(cut > 0).then(|| view! { <ShowAll key cut /> })}
            </li>
        }
        .into_any(),
        RowKind::Call { name, resolver, arguments, outcome, answer, files, waiting_id, open } => {
            let (word, tone, icon) = match outcome {
                CallOutcome::Ok => ("answered", "success", Icon::Check),
                CallOutcome::Error => ("error", "error", Icon::Cross),
                CallOutcome::Waiting => ("waiting", "waiting", Icon::Clock),
                CallOutcome::Unanswered => ("never answered", "warning", Icon::Alert),
            };
            let kind_icon = if resolver.is_some() { Icon::Hand } else { Icon::Tool };
            let shown = open.is_some();
            view! {
                <li class="row call" id=anchor data-depth=depth data-outcome=tone class:hit=hit>
                    <Toggle key open=shown>
                        <IconView icon=kind_icon />
                        <span class="call-name">{name}</span>
                        <span class="call-args">{visible(&arguments).into_owned()}</span>
                        <span class="call-answer">{answer.map(|answer| visible(&answer).into_owned())}</span>
                        {(files > 0).then(|| view! { <span class="hint">{format!("{files} file{}", if files == 1 { "" } else { "s" })}</span> })}
                        <span class="call-outcome"><IconView icon />{word}</span>
                    </Toggle>
                    <EventLink seq />
                    {open.map(|body| view! { <CallDetails body=*body resolver /> })}
                    {waiting_id.map(|id| view! { <AnswerCall tool_use_id=id /> })}
                </li>
            }
            .into_any()
        }
        RowKind::Note { tone, text, times, plan } => view! {
            <li class="row note" id=anchor data-depth=depth data-tone=tone.as_str() class:hit=hit>
                <IconView icon=tone_icon(tone) />
                <div>
                    <p>{visible(&text).into_owned()}{(times > 1).then(|| format!(" (×{})", grouped(times)))}</p>
                    {plan.map(|plan| view! { <Checklist plan /> })}
                </div>
                <EventLink seq />
            </li>
        }
        .into_any(),
        RowKind::Repeats { times, last_turn, first_wasted_seq, tools, open } => {
            let names: Vec<String> = tools.into_iter().map(|tool| format!("`{tool}`")).collect();
            let text = format!("{} again with the same arguments, up to turn {}.", names.join(", "), last_turn + 1);
            view! {
                <li class="row repeats" id=anchor data-depth=depth class:hit=hit>
                    <Toggle key open>
                        <IconView icon=Icon::Loop />
                        <strong class="times">{format!("×{times}")}</strong>
                        <span><CodeWords text /></span>
                    </Toggle>
                    <span class="hint">"first wasted step " <EventLink seq=first_wasted_seq /></span>
                </li>
            }
            .into_any()
        }
        RowKind::Outcome { tone, text } => view! {
            <li class="row note outcome" id=anchor data-depth=depth data-tone=tone.as_str() class:hit=hit>
                <IconView icon=tone_icon(tone) />
                <p>{visible(&text).into_owned()}</p>
                <EventLink seq />
            </li>
        }
        .into_any(),
        RowKind::Event { kind, last_seq, count } => view! {
            <li class="row event" id=anchor data-depth=depth class:hit=hit>
                <EventLink seq />
                <code>{visible(&kind).into_owned()}</code>
                {(count > 1).then(|| view! { <span class="hint">{format!("×{} up to #{last_seq}", grouped(count))}</span> })}
            </li>
        }
        .into_any(),
    }
}

fn tone_icon(tone: Tone) -> Icon {
    match tone {
        Tone::Success => Icon::Check,
        Tone::Info => Icon::Info,
        Tone::Warning => Icon::Alert,
        Tone::Error => Icon::Cross,
    }
}

/// Opens and closes a row. A link, so that it works without scripts and an open row can be shared.
#[component]
fn Toggle(key: String, open: bool, children: Children) -> impl IntoView {
    let run = expect_context::<Run>();
    let href = move || run.href(|view| view.toggled(&key));
    view! { <a class="toggle" href=href aria-expanded=open.to_string() data-noscroll="">{children()}</a> }
}

#[component]
fn ShowAll(key: String, cut: usize) -> impl IntoView {
    let run = expect_context::<Run>();
    let is_open = run.view.with(|view| view.open.contains(&key));
    if is_open {
        return view! { <p class="hint">{format!("{} more bytes are in the raw log.", grouped(cut as u64))}</p> }
            .into_any();
    }
    let href = move || run.href(|view| view.toggled(&key));
    view! { <p><a href=href data-noscroll="">{format!("Show {} more bytes", grouped(cut as u64))}</a></p> }.into_any()
}

/// What the model wrote: as Markdown, or as it is.
#[component]
pub fn Prose(text: String) -> impl IntoView {
    let run = expect_context::<Run>();
    move || {
        if run.view.with(|view| view.raw) {
            view! { <p class="prose raw">{visible(&text).into_owned()}</p> }.into_any()
        } else {
            view! { <Markdown text=text.clone() /> }.into_any()
        }
    }
}

#[component]
fn CallDetails(body: CallBody, resolver: Option<String>) -> impl IntoView {
    let files = body.files.into_iter().map(|file| {
        let name = file.filename.unwrap_or_else(|| "file".to_owned());
        let size = file.size_bytes.map(|bytes| format!(", {} bytes", grouped(bytes)));
        let link = file.url.filter(|url| crate::markdown::is_safe_address(url));
        let name = match link {
            Some(url) => view! { <a href=url rel="noopener noreferrer nofollow external" target="_blank">{visible(&name).into_owned()}</a> }.into_any(),
            None => visible(&name).into_owned().into_any(),
        };
        view! { <li>{name} <span class="hint">{file.mime_type}{size}</span></li> }
    });
    let files: Vec<_> = files.collect();
    view! {
        <div class="call-body">
            {resolver.map(|resolver| view! { <p class="hint">"Answered by a " {resolver} {body.id.map(|id| view! { ", call " <code>{id}</code> })}</p> })}
            <h4>"Arguments"</h4>
            <BodyView body=body.input label="the arguments" />
            {body.answer.map(|(seq, answer)| view! {
                <h4 id=format!("e{seq}")>"Answer " <EventLink seq /></h4>
                <BodyView body=answer label="the answer" />
            })}
            {(!files.is_empty()).then(|| view! { <h4>"Files"</h4><ul class="files">{files}</ul> })}
        </div>
    }
}

#[component]
pub fn BodyView(body: Body, label: &'static str) -> impl IntoView {
    match body {
        Body::Json(value) => view! { <JsonTree value label /> }.into_any(),
        Body::Text { text, cut } => view! {
            <div class="text-body">
                <CopyButton text=text.clone() label="Copy the text" />
                <pre class="code" tabindex="0">{visible(&text).into_owned()}</pre>
                {(cut > 0).then(|| view! { <p class="hint">{format!("{} more bytes are in the raw log.", grouped(cut as u64))}</p> })}
            </div>
        }
        .into_any(),
    }
}
