//! The log as turns, in the order it happened.

use std::sync::Arc;

use leptos::prelude::*;
use protocol::Timeline;
use protocol::timeline::{Ending, Entry, Note, NoteKind, Outcome, Turn};

use super::call::CallView;
use super::icon::{Icon, IconView};

/// Each turn is drawn anew only when that turn changes.
#[component]
pub fn TimelineView(timeline: RwSignal<Timeline>) -> impl IntoView {
    let turn_count = Memo::new(move |_| timeline.with(|timeline| timeline.turns.len()));
    let outcome = Memo::new(move |_| timeline.with(|timeline| timeline.outcome.clone()));
    view! {
        <ol class="timeline">
            <For each=move || 0..turn_count.get() key=|index| *index let(index)>
                <TurnView turn=Memo::new(move |_| timeline.with(|timeline| timeline.turns.get(index).cloned())) />
            </For>
            {move || outcome.get().map(|outcome| view! { <OutcomeView outcome /> })}
        </ol>
    }
}

#[component]
fn TurnView(turn: Memo<Option<Arc<Turn>>>) -> impl IntoView {
    move || {
        turn.get().map(|turn| {
            let finish = turn.finish_reason.clone();
            let writing = turn.message_seq.is_none();
            let anchor = turn.message_seq.unwrap_or(turn.first_seq);
            view! {
                <li class="turn" class:writing=writing>
                    <header class="turn-head" id=turn.message_seq.map(|seq| format!("e{seq}"))>
                        <h3>{format!("Turn {}", turn.index + 1)}</h3>
                        {turn.model.clone().map(|model| view! { <span class="hint">{model}</span> })}
                        {finish.map(|finish| view! { <span class="finish" data-finish=finish.clone()>{finish.clone()}</span> })}
                        <a class="event-link" href=format!("#e{anchor}") rel="external">{format!("#{}–{}", turn.first_seq, turn.last_seq)}</a>
                    </header>
                    {(!turn.thinking.is_empty()).then(|| view! {
                        <details class="thinking"><summary><IconView icon=Icon::Thought />"Thinking"</summary><p class="prose">{turn.thinking.clone()}</p></details>
                    })}
                    {(!turn.text.is_empty()).then(|| view! { <p class="prose">{turn.text.clone()}</p> })}
                    {turn.entries.iter().map(entry_view).collect_view()}
                </li>
            }
        })
    }
}

fn entry_view(entry: &Entry) -> AnyView {
    match entry {
        Entry::Call(call) => view! { <CallView call=call.clone() /> }.into_any(),
        Entry::Note(note) => view! { <NoteView note=note.clone() /> }.into_any(),
    }
}

#[component]
fn NoteView(note: Arc<Note>) -> impl IntoView {
    let (tone, icon, mut text) = describe(&note.kind);
    if note.times > 1 {
        text += &format!(" {} of these came in a row, up to #{}.", note.times, note.last_seq);
    }
    view! {
        <p class="note" data-tone=tone id=format!("e{}", note.seq)>
            <IconView icon />
            <span>{text}</span>
            <a class="event-link" href=format!("#e{}", note.seq) rel="external">{format!("#{}", note.seq)}</a>
        </p>
    }
}

fn describe(kind: &NoteKind) -> (&'static str, Icon, String) {
    match kind {
        NoteKind::LoopDetected { consecutive_count, hard_cutoff: false, tools } => (
            "warning",
            Icon::Loop,
            format!("Looping — nudged: {} made the same call {consecutive_count} times in a row.", tools.join(", ")),
        ),
        NoteKind::LoopDetected { consecutive_count, hard_cutoff: true, tools } => (
            "error",
            Icon::Loop,
            format!(
                "Looping — gave up: {} made the same call {consecutive_count} times in a row; tools are off from here.",
                tools.join(", ")
            ),
        ),
        NoteKind::BudgetExceeded { tool, max_calls, call_index } => {
            ("warning", Icon::Gauge, format!("Call {call_index} of {tool} was intercepted: its budget is {max_calls}."))
        }
        NoteKind::Supervisor { action, reason, redirect, .. } => {
            let tone = if action == "on_track" { "info" } else { "warning" };
            let redirect = redirect.as_ref().map(|redirect| format!(" It said: {redirect}")).unwrap_or_default();
            (tone, Icon::Info, format!("Supervisor: {}. {reason}{redirect}", action.replace('_', " ")))
        }
        NoteKind::ModelFallback { error_class, primary, fallback, .. } => {
            let name = |model: &Option<String>| model.clone().unwrap_or_else(|| "another model".to_owned());
            let text = format!("{} failed ({error_class}); {} took over.", name(primary), name(fallback));
            ("warning", Icon::Alert, text)
        }
        NoteKind::Plan { plan, stale, .. } => {
            let steps = plan.steps.iter().map(|step| format!("{} ({})", step.title, step.status.replace('_', " ")));
            let name = if *stale { "An older plan, not applied" } else { "Plan" };
            ("info", Icon::Info, format!("{name}: {}", steps.collect::<Vec<_>>().join(" · ")))
        }
        NoteKind::Files { tool, files } => {
            let names: Vec<&str> = files.iter().map(|file| file.filename.as_deref().unwrap_or("a file")).collect();
            ("info", Icon::Info, format!("{tool} gave files: {}", names.join(", ")))
        }
        NoteKind::EarlyResult { tool } => {
            ("info", Icon::Info, format!("The result of {tool} came before its call; the call has it."))
        }
        NoteKind::RepeatedResult { tool } => {
            ("info", Icon::Info, format!("{tool} was answered a second time; the first answer stands."))
        }
        NoteKind::Message { role, text, .. } => ("info", Icon::Info, format!("{role}: {text}")),
        NoteKind::Unknown { event } => {
            ("info", Icon::Info, format!("An event of a type that is not known here: {event}"))
        }
        NoteKind::Malformed { event, reason } => {
            ("warning", Icon::Alert, format!("A {event} event cannot be read: {reason}"))
        }
        NoteKind::AfterEnd { event } => ("warning", Icon::Alert, format!("A {event} event came after the end.")),
    }
}

#[component]
fn OutcomeView(outcome: Arc<Outcome>) -> impl IntoView {
    let (tone, icon, text) = match outcome.ending {
        Ending::Succeeded => ("success", Icon::Check, "Succeeded.".to_owned()),
        Ending::Failed => {
            let class = outcome.error_class.as_deref().unwrap_or_default();
            ("error", Icon::Cross, format!("Failed ({class}). {}", outcome.error.as_deref().unwrap_or_default()))
        }
        Ending::Cancelled => ("info", Icon::Slash, "Cancelled.".to_owned()),
    };
    view! {
        <li class="turn outcome">
            <p class="note" data-tone=tone id=format!("e{}", outcome.seq)>
                <IconView icon />
                <span>{text}</span>
                <a class="event-link" href=format!("#e{}", outcome.seq) rel="external">{format!("#{}", outcome.seq)}</a>
            </p>
        </li>
    }
}
