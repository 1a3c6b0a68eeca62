//! The command palette and the list of keyboard shortcuts, available on every page.

use leptos::ev;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

use super::completion::{Completion, Source, Suggestions};
use super::icon::{Icon, IconView};
use crate::browser::is_in_control;

const SHORTCUTS: [(&str, &str); 15] = [
    ("Ctrl K, ⌘ K", "go to a page, a view or a run"),
    ("?", "this list"),
    ("/", "list and Insights: filter"),
    ("Backspace", "list: remove the last filter, when the field is empty"),
    ("J / K", "list: preview next / previous run"),
    ("Enter", "list: open the previewed run"),
    ("J / K / R", "Waiting: next call, previous call, reply"),
    ("Esc", "close the open menu or panel"),
    ("← / →", "run: one event back or forward"),
    ("Space", "run: play or pause the replay"),
    ("+ / − / 0", "waterfall: zoom in, zoom out, the whole run"),
    ("Shift ← / →", "waterfall: earlier or later, when zoomed in"),
    ("↑ / ↓", "suggestions: choose"),
    ("Click a name in JSON", "copy its path; with Shift, its value"),
    ("Tab", "move through everything else"),
];

/// The two dialogs, and the button that opens the palette.
#[component]
pub fn Palette() -> impl IntoView {
    let (palette, shortcuts) = (NodeRef::<Dialog>::new(), NodeRef::<Dialog>::new());
    let input = NodeRef::<Input>::new();
    let navigate = use_navigate();
    let open_page = Callback::new(move |href: String| {
        if let Some(palette) = palette.get_untracked() {
            palette.close();
        }
        navigate(&href, Default::default());
    });
    let completion = Completion::new(input, "palette", Source::Palette(open_page));
    let open = move || {
        if let Some(palette) = palette.get_untracked().filter(|palette| !palette.open()) {
            let _ = palette.show_modal();
            if let Some(input) = input.get_untracked() {
                // The text from last time is replaced by what is typed now.
                input.select();
            }
            completion.request();
        }
    };
    Effect::new(move |_| {
        let keys = window_event_listener(ev::keydown, move |event| {
            let key = event.key();
            if (event.ctrl_key() || event.meta_key()) && key.eq_ignore_ascii_case("k") {
                open();
            } else if key == "?" && !is_in_control(&event) {
                if let Some(shortcuts) = shortcuts.get_untracked().filter(|shortcuts| !shortcuts.open()) {
                    let _ = shortcuts.show_modal();
                }
            } else {
                return;
            }
            event.prevent_default();
        });
        on_cleanup(move || keys.remove());
    });
    let rows =
        SHORTCUTS.map(|(keys, description)| view! { <div><dt><kbd>{keys}</kbd></dt><dd>{description}</dd></div> });
    view! {
        <button class="rail-go js-only" type="button" title="Go to… (Ctrl K)" on:click=move |_| open()>
            <IconView icon=Icon::Search /><span class="rail-text">"Go to…"</span><kbd class="rail-text">"Ctrl K"</kbd>
        </button>
        <dialog class="palette" aria-label="Go to" node_ref=palette on:close=move |_| completion.close()>
            <input
                node_ref=input
                placeholder="A page, a view, a run’s id, or text to find"
                aria-label="Go to"
                maxlength="200"
                autocomplete="off"
                spellcheck="false"
                role="combobox"
                aria-autocomplete="list"
                aria-controls="palette-suggestions"
                aria-expanded=move || completion.is_open().to_string()
                aria-activedescendant=move || completion.active_id()
                on:input=move |_| completion.request()
                on:keydown=move |event| completion.on_key(&event)
            />
            <Suggestions completion />
        </dialog>
        <dialog class="shortcuts" aria-label="Shortcuts" node_ref=shortcuts>
            <h2>"Shortcuts"</h2>
            <dl>{rows.collect_view()}</dl>
            <form method="dialog"><button class="button" type="submit">"Close"</button></form>
        </dialog>
    }
}
