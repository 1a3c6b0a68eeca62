//! Completion of the filter: keys and observed values, asked of the server as somebody types. Without scripts there is a
//! plain field, and nothing is lost.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::web_sys::KeyboardEvent;

use crate::api::browse::suggest;
use crate::browse::Suggestion;
use crate::wire::Wire;

#[derive(Clone, Copy)]
pub struct Completion {
    input: NodeRef<Input>,
    /// What is completed is what runs have.
    enabled: bool,
    found: RwSignal<Vec<Suggestion>>,
    active: RwSignal<Option<usize>>,
    /// Counts what was asked: answers can overtake each other, and only the last question counts.
    asked: StoredValue<u32>,
}

impl Completion {
    pub fn new(input: NodeRef<Input>, enabled: bool) -> Self {
        Self { input, enabled, found: RwSignal::default(), active: RwSignal::default(), asked: StoredValue::new(0) }
    }

    pub fn is_open(&self) -> bool {
        self.found.with(|found| !found.is_empty())
    }

    pub fn active_id(&self) -> Option<String> {
        self.active.get().map(option_id)
    }

    pub fn ask(self) {
        let Some(input) = self.input.get_untracked().filter(|_| self.enabled) else { return };
        let (text, caret) = (input.value(), input.selection_start().ok().flatten().unwrap_or(0));
        let ticket = self.asked.get_value() + 1;
        self.asked.set_value(ticket);
        spawn_local(async move {
            let answer = suggest(text, caret).await;
            if self.asked.try_get_value() == Some(ticket) {
                self.active.set(None);
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
            "Escape" => self.close(),
            "Enter" | "Tab" if active.is_some() => self.take(active.unwrap_or(0)),
            _ => return,
        }
        event.prevent_default();
    }

    fn take(self, at: usize) {
        let taken = self.found.with_untracked(|found| found.get(at).cloned());
        let (Some(input), Some(taken)) = (self.input.get_untracked(), taken) else { return };
        input.set_value(&taken.filter);
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
                id=option_id(i)
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
        <ul class="suggestions" id="filter-suggestions" role="listbox" aria-label="Suggestions" hidden=move || !completion.is_open()>
            {move || completion.found.get().into_iter().enumerate().map(option).collect_view()}
        </ul>
    }
}

fn option_id(at: usize) -> String {
    format!("filter-suggestion-{at}")
}
