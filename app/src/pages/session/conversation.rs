//! One page of a conversation, oldest first. An answer links to its run, and a message without an answer to the run that it started.

use leptos::prelude::*;

use crate::browser::{POLL_EVERY, poll_while_visible};
use crate::components::icon::{Icon, IconView};
use crate::components::metadata::MetadataChips;
use crate::components::status::StatusBadge;
use crate::components::time::RelativeTime;
use crate::format;
use crate::model::session::{Conversation, Message, MessageRun};

/// The page of messages that the URL names: the seq to end before, and the cursor of the runs.
type Position = Memo<(Option<u64>, Option<String>)>;

#[component]
pub fn ConversationView(page: Conversation, position: Position, reload_conversation: Callback<()>) -> impl IntoView {
    if page.in_progress {
        poll_while_visible(POLL_EVERY, reload_conversation);
    }
    let has_later = position.with_untracked(|(before, _)| before.is_some());
    let empty = page.messages.is_empty().then(|| view! { <p class="hint">"No messages yet."</p> });
    let now_ms = page.now_ms;
    let messages: Vec<_> = page.messages.into_iter().map(|message| view! { <MessageView message now_ms /> }).collect();
    view! {
        {page.earlier.map(|href| view! { <p class="earlier"><a class="button" href=href><IconView icon=Icon::Up />"Earlier messages"</a></p> })}
        {empty}
        <ol class="conversation">{messages}</ol>
        {has_later.then(|| view! { <p class="earlier"><a class="button" href="?"><IconView icon=Icon::Down />"Newest messages"</a></p> })}
    }
}

#[component]
fn MessageView(message: Message, now_ms: i64) -> impl IntoView {
    let author = match message.role.as_str() {
        "user" => "User".to_owned(),
        "assistant" => "Assistant".to_owned(),
        other => other.to_owned(),
    };
    let attachments = (message.attachments > 0).then(|| {
        let s = if message.attachments == 1 { "" } else { "s" };
        view! { <p class="hint">{format!("with {} attachment{s}", message.attachments)}</p> }
    });
    let no_answer = message.preview.then(|| view! { <p class="hint">"No answer. See the run for the reason."</p> });
    let waiting = message.run.as_ref().filter(|run| run.waiting && !run.status.is_terminal());
    let waiting = waiting.map(|run| {
        view! { <p class="hint" role="status">"A tool call waits for an answer. "<a href=format!("/runs/{}", run.id)>"Answer it"</a></p> }.into_any()
    });
    let is_running = message.run.as_ref().is_some_and(|run| !run.status.is_terminal());
    view! {
        <li class="turn-said" data-role=message.role>
            <header><strong>{author}</strong>{message.run.map(|run| view! { <RunLink run now_ms /> })}</header>
            <div inner_html=message.text></div>
            {attachments}
            {match (waiting, is_running) {
                (Some(waiting), _) => Some(waiting),
                (None, true) => Some(view! { <p class="hint" role="status">"The answer is being written. "<a class="no-js-only" href="?">"Refresh"</a></p> }.into_any()),
                (None, false) => no_answer.map(IntoAny::into_any),
            }}
        </li>
    }
}

#[component]
fn RunLink(run: MessageRun, now_ms: i64) -> impl IntoView {
    let figures: Vec<String> = [
        run.model.clone(),
        run.tokens.map(|tokens| format!("{} tokens", format::compact_number(tokens))),
        run.duration_ms.map(format::duration),
    ]
    .into_iter()
    .flatten()
    .collect();
    let own = (!run.own_metadata.is_empty()).then(|| {
        view! { <span class="overridden"><span class="hint">"for this turn only:"</span><MetadataChips metadata=run.own_metadata.clone() /></span> }
    });
    view! {
        <StatusBadge status=run.status />
        <a href=format!("/runs/{}", run.id)>"View run"</a>
        <span class="hint">{figures.join(" · ")}</span>
        <span class="hint"><RelativeTime at_ms=run.created_at_ms now_ms /></span>
        {own}
    }
}
