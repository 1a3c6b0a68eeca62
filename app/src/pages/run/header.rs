//! The run's name, status, figures and actions.

use leptos::prelude::*;
use protocol::messages::Tokens;

use super::actions::Actions;
use crate::browser::RunContext;
use crate::components::copy::CopyButton;
use crate::components::metadata::MetadataChips;
use crate::components::status::StatusBadge;
use crate::components::time::RelativeTime;
use crate::format;
use crate::plain_text::visible;
use domain::{Feedback, Origin, RunSummary};

#[component]
pub fn Header(now_ms: i64, feedback: Option<Feedback>) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let first = run.summary.get_untracked();
    let is_past = Memo::new(move |_| run.at().is_some());
    let status = Memo::new(move |_| {
        // In a live run the log is newer than the summary. In a replay it is older, and the status stays that of the run.
        let log_status = run.state.with(|state| state.status);
        if log_status.is_terminal() { log_status } else { run.summary.with(|run| run.status) }
    });
    // The summary describes the end of the run, so it doesn't apply to an earlier event.
    let at_end = move |read: fn(&RunSummary) -> Option<String>| match is_past.get() {
        true => None,
        false => run.summary.with(read),
    };
    let tokens =
        move || run.state.with(|state| state.tokens).map(total).or_else(|| at_end(|run| run.tokens.map(total)));
    // Prefer the catalogue's name of the model, which filters and the launch page use.
    let model = move || {
        let known = run.summary.with(|run| run.model.clone());
        known.or_else(|| run.state.with(|state| state.model.clone()))
    };
    let calls = move || format::grouped(run.state.with(|state| state.calls));
    let skipped = move || {
        let skipped = run.state.with(|state| state.skipped_calls);
        (skipped > 0).then(|| format::grouped(skipped))
    };
    // A page that was opened during the run keeps room for what changes, so that nothing moves. What is unknown until later
    // comes last, where its room is not seen.
    let is_live = !run.state.with_untracked(|state| state.ended);
    let may_skip = is_live || is_past.get_untracked() || run.state.with_untracked(|state| state.skipped_calls > 0);
    let is_running = Memo::new(move |_| !status.get().is_terminal() && !is_past.get());
    let age_s = u64::try_from(now_ms.saturating_sub(first.created_at_ms) / 1000).unwrap_or(0);
    let is_counting = first.origin == Origin::Mirrored && is_running.get_untracked();
    let id = first.id.clone();
    view! {
        <header class="page-head run-head" class:live=is_live>
            <div class="run-title">
                <p class="crumbs"><a href="/runs">"Runs"</a></p>
                <h1 title=visible(&first.title()).into_owned()>{visible(&first.title()).into_owned()}</h1>
                <Actions feedback now_ms />
            </div>
            <dl class="facts">
                <div>
                    <dt class="visually-hidden">"Status"</dt>
                    <dd class="run-status" tabindex="-1">
                        {move || {
                            let status = status.get();
                            view! { <StatusBadge status end_is_unknown=status.is_terminal() && run.summary.with(|run| run.end_is_unknown()) /> }
                        }}
                    </dd>
                </div>
                <div><dt class="visually-hidden">"Run"</dt><dd class="run-id"><code title=id.clone()>{format::short_id(&id)}</code><CopyButton text=id.clone() label="Copy the run's id" /></dd></div>
                <div data-fact="Model"><dt class="visually-hidden">"Model"</dt><dd>{move || figure(model().map(|model| visible(&model).into_owned()))}</dd></div>
                {first.agent_id.as_deref().map(|agent| view! { <div><dt>"Agent"</dt><dd>{visible(agent).into_owned()}</dd></div> })}
                {first.session_id.clone().map(|session| view! { <div><dt>"Session"</dt><dd><a href=format!("/sessions/{session}")><code title=session.clone()>{format::short_id(&session)}</code></a></dd></div> })}
                <div data-fact="Created"><dt class="visually-hidden">"Created"</dt><dd><RelativeTime at_ms=first.created_at_ms now_ms /></dd></div>
                <div data-fact="Duration"><dt>"Duration"</dt><dd>
                    {is_counting.then(|| view! { <Elapsed age_s shown=is_running /> })}
                    {move || (!is_counting || !is_running.get()).then(|| figure(at_end(|run| run.duration_ms.map(format::duration))))}
                </dd></div>
                {fact("Turns", Signal::derive(move || Some(format::grouped(run.state.with(|state| state.turns)))))}
                {fact("Tool calls", Signal::derive(move || Some(calls())))}
                {fact("Tokens", Signal::derive(tokens))}
                {fact("Cost", Signal::derive(move || at_end(|run| run.cost_micros.map(format::dollars))))}
                {may_skip.then(|| fact("Skipped", Signal::derive(skipped)))}
            </dl>
            <MetadataChips metadata=first.metadata.clone() />
        </header>
    }
}

/// A figure that changes. Takes a signal and not a closure, so that the client contains this code only once.
fn fact(name: &'static str, value: Signal<Option<String>>) -> AnyView {
    let is_unknown = move || value.with(Option::is_none);
    view! { <div data-fact=name class:unknown=is_unknown><dt>{name}</dt><dd>{move || figure(value.get())}</dd></div> }
        .into_any()
}

fn total(tokens: Tokens) -> String {
    format::grouped(tokens.total())
}

fn figure(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".to_owned())
}

/// The time since the run was created. Stays in the page while hidden, because it counts from the time of rendering.
#[component]
fn Elapsed(age_s: u64, shown: Memo<bool>) -> impl IntoView {
    let (length, age) = (format!("PT{age_s}S"), age_s.to_string());
    view! {
        <span class="elapsed" hidden=move || !shown.get() title="Since it was created">
            <time class="counted" datetime=length data-age=age>{format::age(age_s)}</time>" so far"
        </span>
    }
}
