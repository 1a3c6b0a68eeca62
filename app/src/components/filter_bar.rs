//! The filter bar: a plain GET form, and a chip per clause.

use leptos::html::Input;
use leptos::prelude::*;

use super::completion::{Completion, Source, Suggestions};
use super::get_form::GetForm;
use super::icon::{Icon, IconView};
use crate::model::list::{FilterBarModel, FilterError};
use domain::ViewList;

#[component]
pub fn FilterBar(list: ViewList, bar: FilterBarModel, placeholder: &'static str) -> impl IntoView {
    let invalid = bar.error.is_some().then_some("true");
    let described = bar.error.is_some().then_some("filter-error");
    let input = NodeRef::<Input>::new();
    let completion = Completion::new(input, "filter", Source::Filter(list));
    // The form is rendered in place. A pair that was added is part of the filter now, so its field is cleared; an
    // invalid pair stays.
    let pair = NodeRef::<Input>::new();
    let invalid_pair = bar.invalid_pair.clone();
    Effect::new(move |_| pair.get().inspect(|pair| pair.set_value(&invalid_pair)).is_some());
    let chips: Vec<_> = bar
        .chips
        .into_iter()
        .map(|chip| {
            let label = format!("Remove the filter {}", chip.text);
            view! { <a class="chip removable" href=chip.href aria-label=label><span class="chip-value">{chip.text}</span><IconView icon=Icon::Cross /></a> }
        })
        .collect();
    let chips = (!chips.is_empty()).then(|| {
        view! { <div class="chips filter-chips">{chips}<a class="clear" href=format!("{}?q=", list.path())>"Clear all"</a></div> }
    });
    view! {
        <GetForm action=list.path() class="filter" role="search">
            <div class="filter-text">
                <label class="visually-hidden" for="filter-text">"Filter"</label>
                <input
                    id="filter-text"
                    node_ref=input
                    name="q"
                    value=bar.text.clone()
                    prop:value=bar.text
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
                    on:keydown=move |event| completion.on_key(&event)
                    on:blur=move |_| completion.close()
                />
                <Suggestions completion />
            </div>
            {bar.view.map(|view| view! { <input type="hidden" name="view" value=view /> })}
            <label class="filter-pair">
                <span class="visually-hidden">"Add metadata, as key:value"</span>
                <input node_ref=pair name="metadata" value=bar.invalid_pair placeholder="add key:value" maxlength="321" autocomplete="off" spellcheck="false" />
            </label>
            <button class="button primary" type="submit">"Filter"</button>
        </GetForm>
        {bar.error.map(|error| view! { <FilterErrorView error /> })}
        {chips}
    }
}

/// The error message, with the invalid part of the filter marked.
#[component]
fn FilterErrorView(error: FilterError) -> impl IntoView {
    let excerpt = (!error.invalid.is_empty())
        .then(|| view! { <code class="fault-place">{error.before}<mark>{error.invalid}</mark>{error.after}</code> });
    view! {
        <div class="field-error" id="filter-error" role="alert">{excerpt}<p>{error.message}</p></div>
    }
}
