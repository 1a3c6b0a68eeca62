//! The look of pages in this browser: plain forms, stored in cookies.

use leptos::prelude::*;

use crate::browser::{apply_theme, browser_time_zone};
use crate::components::display_forms::{ColumnsForm, RowsForm};
use crate::model::settings::DisplayModel;
use crate::preferences::Theme;

const HERE: &str = "/settings#display";

#[component]
pub fn Display(display: DisplayModel) -> impl IntoView {
    let DisplayModel { rows, columns, columns_chosen, time_zone } = display;
    view! {
        <p class="hint">"Stored in this browser."</p>
        <ThemeForm />
        <RowsForm rows here=HERE.to_owned() />
        <TimeZoneForm time_zone />
        <ColumnsForm columns columns_chosen here=HERE.to_owned() />
    }
}

#[component]
fn ThemeForm() -> impl IntoView {
    let button = |theme: Theme, label: &'static str| {
        view! {
            <button
                class="button quiet"
                name="theme"
                value=theme.as_str()
                data-theme-choice=theme.as_str()
                on:click=move |event| {
                    event.prevent_default();
                    apply_theme(theme);
                }
            >
                {label}
            </button>
        }
    };
    view! {
        <form class="view-form" method="post" action="/preferences">
            <input type="hidden" name="return_to" value=HERE />
            <fieldset>
                <legend>"Theme"</legend>
                <span class="segmented">
                    {button(Theme::System, "System")}
                    {button(Theme::Light, "Light")}
                    {button(Theme::Dark, "Dark")}
                </span>
            </fieldset>
        </form>
    }
}

/// With JavaScript, one button chooses the time zone of the browser.
#[component]
fn TimeZoneForm(time_zone: String) -> impl IntoView {
    let own = RwSignal::new(None::<String>);
    Effect::new(move |_| own.set(browser_time_zone()));
    let label = move || own.get().map(|own| format!("Use the browser's: {own}"));
    view! {
        <form class="view-form" method="post" action="/preferences">
            <input type="hidden" name="return_to" value=HERE />
            <label>"Time zone"<input name="zone" value=time_zone maxlength="60" autocomplete="off" spellcheck="false" /></label>
            <p class="hint">"Of exact times and charts: UTC, or a name such as Europe/Vienna. Filters use UTC."</p>
            <button class="button" type="submit">"Apply"</button>
        </form>
        <form class="view-form js-only" method="post" action="/preferences">
            <input type="hidden" name="return_to" value=HERE />
            <input type="hidden" name="zone" prop:value=move || own.get().unwrap_or_default() />
            <button class="button quiet" type="submit" disabled=move || own.with(Option::is_none)>{label}</button>
        </form>
    }
}
