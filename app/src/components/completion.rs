//! A field with suggestions, asked of the server as somebody types: of the filter, keys and observed values; of the
//! palette, places. Without scripts there is a plain field, and nothing is lost.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::web_sys::KeyboardEvent;

use crate::api::palette::search_palette;
use crate::api::runs::complete_filter;
use crate::model::list::Suggestion;
use crate::wire::Wire;
use domain::ViewList;

/// Where suggestions come from, and what taking one does.
#[derive(Clone, Copy)]
pub enum Source {
    /// Words of a filter of a list; one that is taken is put into the field.
    Filter(ViewList),
    /// Places; the one that is taken is gone to.
    Places(Callback<String>),
}

#[derive(Clone, Copy)]
pub struct Completion {
    input: NodeRef<Input>,
    /// What the ids of its elements begin with.
    name: &'static str,
    source: Source,
    found: RwSignal<Vec<Suggestion>>,
    active: RwSignal<Option<usize>>,
    /// Counts what was asked: answers can overtake each other, and only the last question counts.
    asked: StoredValue<u32>,
}

impl Completion {
    pub fn new(input: NodeRef<Input>, name: &'static str, source: Source) -> Self {
        let (found, active) = (RwSignal::default(), RwSignal::default());
        Self { input, name, source, found, active, asked: StoredValue::new(0) }
    }

    pub fn is_open(&self) -> bool {
        self.found.with(|found| !found.is_empty())
    }

    pub fn active_id(&self) -> Option<String> {
        self.active.get().map(|at| self.option_id(at))
    }

    fn option_id(&self, at: usize) -> String {
        format!("{}-suggestion-{at}", self.name)
    }

    pub fn ask(self) {
        let Some(input) = self.input.get_untracked() else { return };
        let (text, caret) = (input.value(), input.selection_start().ok().flatten().unwrap_or(0));
        let ticket = self.asked.get_value() + 1;
        self.asked.set_value(ticket);
        spawn_local(async move {
            let (answer, first) = match self.source {
                Source::Filter(list) => (complete_filter(list, text, caret).await, None),
                // Enter goes to the first.
                Source::Places(_) => (search_palette(text).await, Some(0)),
            };
            if self.asked.try_get_value() == Some(ticket) {
                self.active.set(first);
                self.found.set(answer.map(|Wire(found)| found).unwrap_or_default());
            }
        });
    }

    pub fn close(self) {
        self.asked.update_value(|asked| *asked += 1);
        self.active.set(None);
        self.found.set(Vec::new());
    }

    pub fn on_key(self, event: &KeyboardEvent) {
        let count = self.found.with_untracked(Vec::len);
        if count == 0 {
            if event.key() == "ArrowDown" {
                event.prevent_default();
                self.ask();
            }
            return;
        }
        let active = self.active.get_untracked();
        match event.key().as_str() {
            "ArrowDown" => self.active.set(Some(active.map_or(0, |at| (at + 1) % count))),
            "ArrowUp" => self.active.set(Some(active.map_or(count - 1, |at| (at + count - 1) % count))),
            "Escape" if matches!(self.source, Source::Filter(_)) => self.close(),
            "Enter" | "Tab" if active.is_some() => self.take(active.unwrap_or(0)),
            _ => return,
        }
        event.prevent_default();
    }

    fn take(self, at: usize) {
        let taken = self.found.with_untracked(|found| found.get(at).cloned());
        let (Some(input), Some(taken)) = (self.input.get_untracked(), taken) else { return };
        if let Source::Places(go) = self.source {
            input.set_value("");
            return go.run(taken.value);
        }
        input.set_value(&taken.value);
        let _ = input.set_selection_range(taken.caret, taken.caret);
        self.close();
        // After a key its values are next.
        if taken.label.ends_with(':') {
            self.ask();
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
                    // The field keeps the focus.
                    event.prevent_default();
                    completion.take(i);
                }
            >
                <code>{suggestion.label}</code>
                <span class="hint">{suggestion.note}</span>
            </li>
        }
    };
    view! {
        <ul class="suggestions" id=format!("{}-suggestions", completion.name) role="listbox" aria-label="Suggestions" hidden=move || !completion.is_open()>
            {move || completion.found.get().into_iter().enumerate().map(option).collect_view()}
        </ul>
    }
}
