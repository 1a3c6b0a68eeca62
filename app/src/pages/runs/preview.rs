//! The preview of a run beside the list. J and K move through the list, Enter opens the run, Escape closes the panel.
//! Links do the same.

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
use crate::components::page_data::PageData;
use crate::components::status::StatusBadge;
use crate::components::time::RelativeTime;
use crate::format;
use crate::model::runs::RunPreview;
use domain::RunSummary;
use domain::url::encode;

/// The runs and pages that the panel can move to.
#[derive(Clone, Copy)]
struct PanelLinks {
    ids: StoredValue<Vec<String>>,
    here: StoredValue<String>,
    /// The URLs of the pages before and after this one.
    newer: StoredValue<Option<String>>,
    older: StoredValue<Option<String>>,
    previewed_id: Memo<Option<String>>,
}

impl PanelLinks {
    /// The URL of the next or previous run. After the last run of a page comes the first one of the next page; before
    /// the first run comes the last one of the previous page.
    ///
    /// `None` also after the list was replaced: a preview that loads meanwhile still renders this panel once.
    fn adjacent(&self, forward: bool) -> Option<String> {
        let previewed_id = self.previewed_id.try_get()?;
        let at = self.ids.try_with_value(|ids| ids.iter().position(|id| Some(id) == previewed_id.as_ref()))?;
        let to = match (at, forward) {
            (None, _) => 0,
            (Some(at), true) => at + 1,
            (Some(0), false) => return self.newer.try_get_value()?.map(|newer| format!("{newer}&preview=last")),
            (Some(at), false) => at - 1,
        };
        let adjacent = self.ids.try_with_value(|ids| ids.get(to).cloned())?;
        match adjacent {
            Some(id) => self.here.try_with_value(|here| format!("{here}&preview={}", encode(&id))),
            None => self.older.try_get_value()?.map(|older| format!("{older}&preview=first")),
        }
    }
}

#[component]
pub fn PreviewPanel(
    previewed_id: Memo<Option<String>>,
    ids: Vec<String>,
    here: String,
    /// The list's.
    filter: String,
    newer: Option<String>,
    older: Option<String>,
) -> impl IntoView {
    let (newer, older) = (StoredValue::new(newer), StoredValue::new(older));
    let links = PanelLinks { ids: StoredValue::new(ids), here: StoredValue::new(here), newer, older, previewed_id };
    handle_keys(links);
    let preview = PageData::load_some(move || previewed_id.get(), move |id| preview_run(id, filter.clone()));
    preview.show_later(move |preview| {
        let (title, content) = match preview {
            Ok(preview) => (title(&preview.run), view! { <Content preview /> }.into_any()),
            Err(error) => (().into_any(), view! { <ErrorView error /> }.into_any()),
        };
        view! { <Panel links title>{content}</Panel> }.into_any()
    })
}

#[component]
fn Panel(links: PanelLinks, title: AnyView, children: Children) -> impl IntoView {
    let step = move |forward: bool, icon: Icon, label: &'static str| {
        move || {
            match links.adjacent(forward) {
            Some(href) => view! { <a class="icon-button" href=href title=label aria-label=label data-noscroll=""><IconView icon /></a> }.into_any(),
            None => view! { <span class="icon-button off"><IconView icon /></span> }.into_any(),
        }
        }
    };
    let full = move || links.previewed_id.try_get().flatten().map(|id| format!("/runs/{}", encode(&id)));
    view! {
        <aside class="preview-panel" aria-label="Preview">
            <header class="preview-head">
                {step(false, Icon::Up, "Previous run (K)")}
                {step(true, Icon::Down, "Next run (J)")}
                {title}
                <a class="button" href=full title="Enter">"Open run"</a>
                <a class="icon-button preview-close" href=links.here.try_get_value() title="Close preview (Esc)" aria-label="Close preview" data-noscroll=""><IconView icon=Icon::Cross /></a>
            </header>
            {children()}
        </aside>
    }
}

fn title(run: &RunSummary) -> AnyView {
    view! { <h2 title=run.title()>{run.title()}</h2> }.into_any()
}

/// Begins with the cause.
#[component]
fn Content(preview: RunPreview) -> impl IntoView {
    let run = preview.run;
    let figure = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let fact = |name: &'static str, value: String| view! { <div><dt>{name}</dt><dd>{value}</dd></div> };
    let text = |title: &'static str, text: String| view! { <section class="preview-text"><h3>{title}</h3><div inner_html=text></div></section> };
    view! {
        <div class="preview-body">
            {match preview.findings.is_empty() {
                true => run.reason.clone().map(|reason| view! { <p class="cause">{reason}</p> }.into_any()),
                false => Some(view! { <div class="findings" inner_html=preview.findings></div> }.into_any()),
            }}
            {(!preview.matches.is_empty()).then(|| view! { <div inner_html=preview.matches></div> })}
            <dl class="facts">
                <div><dt>"Status"</dt><dd><StatusBadge status=preview.status end_is_unknown=run.end_is_unknown() /></dd></div>
                <div><dt>"Run"</dt><dd><code title=run.id.clone()>{format::short_id(&run.id)}</code></dd></div>
                <div><dt>"Created"</dt><dd><RelativeTime at_ms=run.created_at_ms now_ms=preview.now_ms /></dd></div>
                {fact("Model", figure(run.model.clone()))}
                {fact("Turns", figure(run.turns.map(format::grouped)))}
                {fact("Tool calls", figure(run.tool_calls.map(format::grouped)))}
                {fact("Tokens", figure(run.tokens.map(Tokens::total).map(format::grouped)))}
                {fact("Cost", figure(run.cost_micros.map(format::dollars)))}
                {fact("Duration", figure(run.duration_ms.map(format::duration)))}
            </dl>
            <MetadataChips metadata=run.metadata.clone() />
            {(!preview.prompt.is_empty()).then(|| text("Prompt", preview.prompt))}
            {(!preview.answer.is_empty()).then(|| text("Output", preview.answer))}
        </div>
    }
}

fn handle_keys(links: PanelLinks) {
    let navigate = use_navigate();
    Effect::new(move |_| {
        let navigate = navigate.clone();
        let keys = window_event_listener(ev::keydown, move |event| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() || is_in_control(&event) {
                return;
            }
            let open = links.previewed_id.get_untracked();
            // Moving from run to run adds no history entries, so that Back closes the panel.
            let replace = open.is_some() && matches!(event.key().as_str(), "j" | "k");
            let target = untrack(|| match (event.key().as_str(), open) {
                ("j", _) => links.adjacent(true),
                ("k", Some(_)) => links.adjacent(false),
                ("Enter", Some(id)) => Some(format!("/runs/{}", encode(&id))),
                ("Escape", Some(_)) => Some(links.here.get_value()),
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
