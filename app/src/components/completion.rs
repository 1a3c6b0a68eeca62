//! A text field with suggestions that the server returns as the viewer types: keys and stored values for the filter,
//! pages and runs for the palette. Without JavaScript it is a plain field.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::web_sys::KeyboardEvent;

use crate::api::palette::search_palette;
use crate::api::runs::complete_filter;
use crate::model::list::Suggestion;
use crate::wire::Wire;
use domain::ViewList;

/// The origin of the suggestions, and the effect of accepting one.
#[derive(Clone, Copy)]
pub enum Source {
    /// Completes a list's filter. An accepted suggestion replaces the field's text.
    Filter(ViewList),
    /// Finds pages, views and runs. Accepting one opens it.
    Palette(Callback<String>),
}

#[derive(Clone, Copy)]
pub struct Completion {
    input: NodeRef<Input>,
    /// The prefix of the element ids.
    name: &'static str,
    source: Source,
    suggestions: RwSignal<Vec<Suggestion>>,
    active: RwSignal<Option<usize>>,
    /// The number of the latest request. Responses can arrive out of order, and only the latest one is shown.
    latest_request: StoredValue<u32>,
}

impl Completion {
    pub fn new(input: NodeRef<Input>, name: &'static str, source: Source) -> Self {
        let (suggestions, active) = (RwSignal::default(), RwSignal::default());
        Self { input, name, source, suggestions, active, latest_request: StoredValue::new(0) }
    }

    pub fn is_open(&self) -> bool {
        self.suggestions.with(|suggestions| !suggestions.is_empty())
    }

    pub fn active_id(&self) -> Option<String> {
        self.active.get().map(|at| self.option_id(at))
    }

    fn option_id(&self, at: usize) -> String {
        format!("{}-suggestion-{at}", self.name)
    }

    pub fn request(self) {
        let Some(input) = self.input.get_untracked() else { return };
        let (text, caret) = (input.value(), input.selection_start().ok().flatten().unwrap_or(0));
        let number = self.latest_request.get_value() + 1;
        self.latest_request.set_value(number);
        spawn_local(async move {
            let (response, first) = match self.source {
                Source::Filter(list) => (complete_filter(list, text, caret).await, None),
                // Enter opens the first result.
                Source::Palette(_) => (search_palette(text).await, Some(0)),
            };
            if self.latest_request.try_get_value() == Some(number) {
                self.active.set(first);
                self.suggestions.set(response.and_then(Wire::decode).unwrap_or_default());
            }
        });
    }

    pub fn close(self) {
        self.latest_request.update_value(|latest_request| *latest_request += 1);
        self.active.set(None);
        self.suggestions.set(Vec::new());
    }

    pub fn on_key(self, event: &KeyboardEvent) {
        // The keys of an input method choose its own suggestions.
        if event.is_composing() {
            return;
        }
        // Applies the filter as typed. A response on its way must not open the list again.
        if event.key() == "Enter" && matches!(self.source, Source::Filter(_)) && self.active.get_untracked().is_none() {
            return self.close();
        }
        let count = self.suggestions.with_untracked(Vec::len);
        if count == 0 {
            if event.key() == "ArrowDown" {
                event.prevent_default();
                self.request();
            }
            return;
        }
        let active = self.active.get_untracked();
        match event.key().as_str() {
            "ArrowDown" => self.active.set(Some(active.map_or(0, |at| (at + 1) % count))),
            "ArrowUp" => self.active.set(Some(active.map_or(count - 1, |at| (at + count - 1) % count))),
            "Escape" if matches!(self.source, Source::Filter(_)) => self.close(),
            "Enter" | "Tab" if active.is_some() => self.accept(active.unwrap_or(0)),
            _ => return,
        }
        event.prevent_default();
    }

    fn accept(self, at: usize) {
        let accepted = self.suggestions.with_untracked(|suggestions| suggestions.get(at).cloned());
        let (Some(input), Some(accepted)) = (self.input.get_untracked(), accepted) else { return };
        if let Source::Palette(open_page) = self.source {
            input.set_value("");
            return open_page.run(accepted.value);
        }
        input.set_value(&accepted.value);
        let _ = input.set_selection_range(accepted.caret, accepted.caret);
        self.close();
        // After a key, suggest its values.
        if accepted.label.ends_with(':') {
            self.request();
        }
    }
}

#[component]
pub fn Suggestions(completion: Completion) -> impl IntoView {
    let option = move |(i, suggestion): (usize, Suggestion)| {
        view! {
            <li
                id=completion.option_id(i)
                role="option"
                aria-selected=move || (completion.active.get() == Some(i)).to_string()
                on:mousedown=move |event| {
                    // Keeps the focus in the field.
                    event.prevent_default();
                    completion.accept(i);
                }
            >
                <code>{suggestion.label}</code>
                <span class="hint">{suggestion.note}</span>
            </li>
        }
    };
    view! {
        <ul class="suggestions" id=format!("{}-suggestions", completion.name) role="listbox" aria-label="Suggestions" hidden=move || !completion.is_open()>
            {move || completion.suggestions.get().into_iter().enumerate().map(option).collect_view()}
        </ul>
    }
}
