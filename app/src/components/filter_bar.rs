//! The filter bar: one field with a chip per clause, and room to type after them. Without JavaScript it is a plain form
//! that sends the filter so far and the typed text.

use leptos::ev;
use leptos::html::Input;
use leptos::prelude::*;
use leptos::web_sys::KeyboardEvent;
use leptos_router::hooks::use_navigate;

use super::code_words::CodeWords;
use super::completion::{Completion, Source, Suggestions};
use super::get_form::GetForm;
use super::icon::{Icon, IconView};
use crate::browser::is_in_control;
use crate::model::list::{Chip, FilterBarModel, FilterErrors};
use domain::ViewList;

#[component]
pub fn FilterBar(
    list: ViewList,
    bar: FilterBarModel,
    placeholder: &'static str,
    /// The path of the page, if it is not the list.
    #[prop(optional)]
    action: &'static str,
) -> impl IntoView {
    let action = if action.is_empty() { list.path() } else { action };
    let is_invalid = !bar.errors.is_empty();
    let invalid = is_invalid.then_some("true");
    let described = is_invalid.then_some("filter-error");
    let input = NodeRef::<Input>::new();
    let completion = Completion::new(input, "filter", Source::Filter(list));
    focus_on_slash(input);
    let value = if bar.chips.is_empty() { bar.text.clone() } else { String::new() };
    replace_typed(input, bar.text.clone(), value.clone());
    let filter = (!bar.chips.is_empty()).then(|| view! { <input type="hidden" name="q" value=bar.text /> });
    let placeholder = if bar.chips.is_empty() { placeholder } else { "Add a filter" };
    let last_chip = StoredValue::new(bar.chips.last().map(|chip| chip.href.clone()));
    // With chips there is no room for it on a narrow screen.
    let slash = bar.chips.is_empty().then(|| view! { <kbd class="js-only" aria-hidden="true">"/"</kbd> });
    let clear = (!bar.chips.is_empty()).then(|| {
        let href = format!("{action}?q=");
        view! { <a class="icon-button filter-clear" href=href title="Clear all filters" aria-label="Clear all filters"><IconView icon=Icon::Cross /></a> }
    });
    let navigate = use_navigate();
    let on_key = move |event: KeyboardEvent| {
        let is_empty = input.get_untracked().is_some_and(|input| input.value().is_empty());
        if event.key() == "Backspace"
            && is_empty
            && !event.repeat()
            && let Some(href) = last_chip.get_value()
        {
            event.prevent_default();
            return navigate(&href, Default::default());
        }
        completion.on_key(&event);
    };
    view! {
        <GetForm action=action class="filter" role="search">
            <div class="filter-field" data-invalid=invalid>
                <IconView icon=Icon::Search />
                {bar.chips.into_iter().map(chip).collect_view()}
                {filter}
                <label class="visually-hidden" for="filter-text">"Filter"</label>
                <input
                    id="filter-text"
                    node_ref=input
                    name="q"
                    value=value
                    placeholder=placeholder
                    maxlength="2000"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    role="combobox"
                    aria-autocomplete="list"
                    aria-controls="filter-suggestions"
                    aria-expanded=move || completion.is_open().to_string()
                    aria-activedescendant=move || completion.active_id()
                    aria-invalid=invalid
                    aria-describedby=described
                    on:input=move |_| completion.request()
                    on:keydown=on_key
                    on:blur=move |_| completion.close()
                />
                <span class="filter-end">
                    {slash}
                    <button class="button no-js-only" type="submit">"Filter"</button>
                </span>
                {clear}
                <Suggestions completion />
            </div>
            {bar.kept.into_iter().map(|(name, value)| view! { <input type="hidden" name=name value=value /> }).collect_view()}
        </GetForm>
        {is_invalid.then(|| view! { <Errors errors=bar.errors /> })}
    }
}

fn chip(chip: Chip) -> impl IntoView {
    let label = format!("Remove the filter {}", chip.text);
    view! { <a class="chip removable" href=chip.href aria-label=label.clone() title=label><span class="chip-value">{chip.text}</span><IconView icon=Icon::Cross /></a> }
}

/// The error messages, with the invalid parts of the filter marked.
#[component]
fn Errors(errors: FilterErrors) -> impl IntoView {
    let pieces: Vec<_> = errors
        .pieces
        .into_iter()
        .map(|piece| match piece.is_invalid {
            true => view! { <mark>{piece.text}</mark> }.into_any(),
            false => piece.text.into_any(),
        })
        .collect();
    let excerpt = (!pieces.is_empty()).then(|| view! { <code class="fault-place">{pieces}</code> });
    let messages =
        errors.messages.into_iter().map(|message| view! { <p><CodeWords text=message /></p> }).collect_view();
    view! { <div class="field-error" id="filter-error" role="alert">{excerpt}{messages}</div> }
}

/// Replaces the typed text when the filter changes, because it is a chip then: the page is rendered in place, so that the
/// field would keep it. When the same list is loaded again, the text stays.
fn replace_typed(input: NodeRef<Input>, filter: String, value: String) {
    const SHOWN: &str = "data-filter";
    Effect::new(move |_| {
        let Some(input) = input.get() else { return };
        let shown = input.get_attribute(SHOWN);
        if shown.is_some_and(|shown| shown != filter) {
            input.set_value(&value);
        }
        let _ = input.set_attribute(SHOWN, &filter);
    });
}

fn focus_on_slash(input: NodeRef<Input>) {
    Effect::new(move |_| {
        let keys = window_event_listener(ev::keydown, move |event| {
            let is_other = event.ctrl_key() || event.meta_key() || event.alt_key() || is_in_control(&event);
            if event.key() == "/"
                && !is_other
                && let Some(input) = input.get_untracked()
            {
                event.prevent_default();
                let _ = input.focus();
            }
        });
        on_cleanup(move || keys.remove());
    });
}
