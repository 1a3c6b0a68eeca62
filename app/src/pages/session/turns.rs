//! What was said, a page of it, oldest first. Whoever asked leads to the run that answered.

use leptos::prelude::*;

use crate::browse::{Turn, TurnRun, Turns};
use crate::browser::while_shown;
use crate::components::icon::{Icon, IconView};
use crate::components::markdown::Markdown;
use crate::components::metadata::MetadataChips;
use crate::components::status::StatusBadge;
use crate::components::time::RelativeTime;
use crate::format;

/// Which messages the address asks for: those before a seq, and where their runs begin.
type Place = Memo<(Option<u64>, Option<String>)>;

#[component]
pub fn Conversation(page: Turns, place: Place, read_again: Callback<()>) -> impl IntoView {
    if page.going {
        while_shown(read_again);
    }
    let latest = place.with_untracked(|(before, _)| before.is_some());
    let empty = page.turns.is_empty().then(|| view! { <p class="hint">"Nothing was said in this session yet."</p> });
    let now_ms = page.now_ms;
    let turns: Vec<_> = page.turns.into_iter().map(|turn| view! { <TurnView turn now_ms /> }).collect();
    view! {
        {page.earlier.map(|href| view! { <p class="earlier"><a class="button" href=href><IconView icon=Icon::Up />"Earlier messages"</a></p> })}
        {empty}
        <ol class="conversation">{turns}</ol>
        {latest.then(|| view! { <p class="earlier"><a class="button" href="?"><IconView icon=Icon::Down />"Newest messages"</a></p> })}
    }
}

#[component]
fn TurnView(turn: Turn, now_ms: i64) -> impl IntoView {
    let who = match turn.role.as_str() {
        "user" => "Asked".to_owned(),
        "assistant" => "Answered".to_owned(),
        other => other.to_owned(),
    };
    let attachments = (turn.attachments > 0).then(|| {
        let s = if turn.attachments == 1 { "" } else { "s" };
        view! { <p class="hint">{format!("with {} attachment{s}", turn.attachments)}</p> }
    });
    let silent = turn
        .preview
        .then(|| view! { <p class="hint">"The conversation has no answer to this; its run tells why."</p> });
    let going = turn.run.as_ref().is_some_and(|run| !run.status.is_terminal());
    view! {
        <li class="turn-said" data-role=turn.role>
            <header class="turn-head"><strong>{who}</strong>{turn.run.map(|run| view! { <RunLink run now_ms /> })}</header>
            <Markdown text=turn.text />
            {attachments}
            {if going { Some(view! { <p class="hint" role="status">"The answer is being written."</p> }.into_any()) } else { silent.map(IntoAny::into_any) }}
        </li>
    }
}

#[component]
fn RunLink(run: TurnRun, now_ms: i64) -> impl IntoView {
    let figures: Vec<String> = [
        run.model.clone(),
        run.tokens.map(|tokens| format!("{} tokens", format::compact_number(tokens))),
        run.duration_ms.map(format::duration),
    ]
    .into_iter()
    .flatten()
    .collect();
    let own = (!run.own.is_empty()).then(|| {
        view! { <span class="overridden"><span class="hint">"of this turn alone:"</span><MetadataChips metadata=run.own.clone() /></span> }
    });
    view! {
        <StatusBadge status=run.status />
        <a href=format!("/runs/{}", run.id)>"Open its run"</a>
        <span class="hint">{figures.join(" · ")}</span>
        <span class="hint"><RelativeTime at_ms=run.created_at_ms now_ms /></span>
        {own}
    }
}
