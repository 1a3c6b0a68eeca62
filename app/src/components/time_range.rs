//! The time range picker: links to the usual ranges, and a form for any other.

use leptos::prelude::*;

use super::get_form::GetForm;
use super::icon::{Icon, IconView};
use crate::model::runs::{RangeLink, TimeRange};

/// `action`: the path of the page. `kept`: parameters of the URL that the form keeps.
#[component]
pub fn TimeRangePicker(action: &'static str, range: TimeRange, kept: Vec<(String, String)>) -> impl IntoView {
    let preset = |preset: RangeLink| {
        let mark = preset.on.then(|| view! { <IconView icon=Icon::Check /> });
        view! { <li><a href=preset.href aria-current=preset.on.then_some("true")>{preset.label}{mark}</a></li> }
    };
    view! {
        <details class="popover-holder time-range" data-popover="">
            <summary class="button arrow" aria-label=format!("Time range: {}", range.label)>
                <span class="time-range-label">{range.label.clone()}</span>
            </summary>
            <div class="popover">
                <ul class="menu-list">{range.presets.into_iter().map(preset).collect_view()}</ul>
                <GetForm action=action class="view-form custom-range">
                    <input type="hidden" name="q" value=range.rest />
                    {kept.into_iter().map(|(name, value)| view! { <input type="hidden" name=name value=value /> }).collect_view()}
                    <p class="hint">"Custom range, in UTC"</p>
                    <label>"From"<input type="date" name="since" value=range.since.clone() prop:value=range.since /></label>
                    <label>"Before"<input type="date" name="before" value=range.before.clone() prop:value=range.before /></label>
                    <button class="button" type="submit">"Apply"</button>
                </GetForm>
            </div>
        </details>
    }
}
