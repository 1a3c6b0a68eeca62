//! A look at one run beside the list. J and K move through the list, Enter opens the run, Escape closes. All are links too.

use leptos::ev;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use protocol::messages::Tokens;

use crate::api::runs::preview_run;
use crate::browser::is_in_control;
use crate::components::error_view::ErrorView;
use crate::components::icon::{Icon, IconView};
use crate::components::metadata::MetadataChips;
use crate::components::status::StatusBadge;
use crate::components::time::RelativeTime;
use crate::format;
use crate::model::runs::RunPreview;
use crate::wire::Wire;
use domain::url::encode;

/// Where the panel can go from here.
#[derive(Clone, Copy)]
struct Path {
    ids: StoredValue<Vec<String>>,
    here: StoredValue<String>,
    /// The pages of the list before and after this one.
    newer: StoredValue<Option<String>>,
    older: StoredValue<Option<String>>,
    peek: Memo<Option<String>>,
}

impl Path {
    /// The run beside the one that is looked at: at the end of a page, the first of the next; at its beginning, the last
    /// of the one before.
    fn beside(&self, forward: bool) -> Option<String> {
        let peek = self.peek.get();
        let at = self.ids.with_value(|ids| ids.iter().position(|id| Some(id) == peek.as_ref()));
        let to = match (at, forward) {
            (None, _) => 0,
            (Some(at), true) => at + 1,
            (Some(0), false) => return self.newer.get_value().map(|newer| format!("{newer}&peek=last")),
            (Some(at), false) => at - 1,
        };
        let beside = self.ids.with_value(|ids| ids.get(to).cloned());
        match beside {
            Some(id) => Some(self.here.with_value(|here| format!("{here}&peek={}", encode(&id)))),
            None => self.older.get_value().map(|older| format!("{older}&peek=first")),
        }
    }
}

#[component]
pub fn PreviewPanel(
    peek: Memo<Option<String>>,
    ids: Vec<String>,
    here: String,
    newer: Option<String>,
    older: Option<String>,
) -> impl IntoView {
    let (newer, older) = (StoredValue::new(newer), StoredValue::new(older));
    let path = Path { ids: StoredValue::new(ids), here: StoredValue::new(here), newer, older, peek };
    follow_keys(path);
    let found = Resource::new_blocking(
        move || peek.get(),
        |id| async move {
            match id {
                Some(id) => Some(preview_run(id).await),
                None => None,
            }
        },
    );
    view! {
        <Transition>
            {move || Suspend::new(async move {
                let found = found.await?;
                let content = match found {
                    Ok(Wire(found)) => view! { <Content found /> }.into_any(),
                    Err(error) => view! { <ErrorView error /> }.into_any(),
                };
                Some(view! { <Panel path>{content}</Panel> })
            })}
        </Transition>
    }
}

#[component]
fn Panel(path: Path, children: Children) -> impl IntoView {
    let step = move |forward: bool, icon: Icon, label: &'static str| {
        move || {
            match path.beside(forward) {
            Some(href) => view! { <a class="icon-button" href=href title=label aria-label=label data-noscroll=""><IconView icon /></a> }.into_any(),
            None => view! { <span class="icon-button off"><IconView icon /></span> }.into_any(),
        }
        }
    };
    let full = move || path.peek.get().map(|id| format!("/runs/{}", encode(&id)));
    view! {
        <aside class="peek" aria-label="A look at the run">
            <header class="peek-head">
                {step(false, Icon::Up, "The run above (K)")}
                {step(true, Icon::Down, "The run below (J)")}
                <a class="button" href=full title="Enter">"Open the run"</a>
                <a class="icon-button peek-close" href=path.here.get_value() title="Close (Esc)" aria-label="Close" data-noscroll=""><IconView icon=Icon::Cross /></a>
            </header>
            {children()}
        </aside>
    }
}

#[component]
fn Content(found: RunPreview) -> impl IntoView {
    let run = found.run;
    let figure = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let fact = |name: &'static str, value: String| view! { <div><dt>{name}</dt><dd>{value}</dd></div> };
    let text = |title: &'static str, text: String| view! { <section class="peek-text"><h3>{title}</h3><div inner_html=text></div></section> };
    view! {
        <div class="peek-body">
            <h2>{run.title()}</h2>
            <p class="run-line"><StatusBadge status=found.status end_is_unknown=run.end_is_unknown() /><code title=run.id.clone()>{format::short_id(&run.id)}</code><span class="hint"><RelativeTime at_ms=run.created_at_ms now_ms=found.now_ms /></span></p>
            <section class="verdict" inner_html=found.verdict></section>
            <dl class="facts">
                {fact("Model", figure(run.model.clone()))}
                {fact("Turns", figure(run.turns.map(format::grouped)))}
                {fact("Tool calls", figure(run.tool_calls.map(format::grouped)))}
                {fact("Tokens", figure(run.tokens.map(Tokens::total).map(format::grouped)))}
                {fact("Duration", figure(run.duration_ms.map(format::duration)))}
            </dl>
            <MetadataChips metadata=run.metadata.clone() />
            {(!found.prompt.is_empty()).then(|| text("Prompt", found.prompt))}
            {(!found.answer.is_empty()).then(|| text("Answer", found.answer))}
        </div>
    }
}

fn follow_keys(path: Path) {
    let navigate = use_navigate();
    Effect::new(move |_| {
        let navigate = navigate.clone();
        let keys = window_event_listener(ev::keydown, move |event| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() || is_in_control(&event) {
                return;
            }
            let open = path.peek.get_untracked();
            // From run to run the address changes in place: the way back is out of the panel, not through all of them.
            let replace = open.is_some() && matches!(event.key().as_str(), "j" | "k");
            let target = untrack(|| match (event.key().as_str(), open) {
                ("j", _) => path.beside(true),
                ("k", Some(_)) => path.beside(false),
                ("Enter", Some(id)) => Some(format!("/runs/{}", encode(&id))),
                ("Escape", Some(_)) => Some(path.here.get_value()),
                _ => None,
            });
            if let Some(href) = target {
                event.prevent_default();
                navigate(&href, NavigateOptions { scroll: false, replace, ..NavigateOptions::default() });
            }
        });
        on_cleanup(move || keys.remove());
    });
}
