//! The frame around every signed-in page: the navigation rail, and the page beside it.

use leptos::prelude::*;
use leptos_router::components::{A, Outlet};
use leptos_router::hooks::use_location;

use super::icon::{Icon, IconView};
use super::page_data::PageData;
use super::palette::Palette;
use super::waiting_count::{WaitingBadge, WaitingCount};
use crate::api::viewer::load_viewer;
use crate::browser::{apply_rail, apply_theme, close_popovers};
use crate::model::Viewer;
use crate::preferences::{Rail, Theme};

#[component]
pub fn Frame() -> impl IntoView {
    let viewer = PageData::load(|| (), |()| load_viewer());
    let waiting = WaitingCount::default();
    provide_context(waiting);
    close_popovers();
    view! {
        <a class="skip" href="#main">"Skip to content"</a>
        <div class="frame">
            <aside class="rail" aria-label="Navigation">
                <div class="brand"><img src="/favicon.svg" alt="" width="20" height="20" /><span class="rail-text">"Runlens"</span></div>
                <Palette />
                <nav class="rail-nav">
                    <A href="/runs"><IconView icon=Icon::Runs /><span class="rail-text">"Runs"</span></A>
                    <A href="/sessions"><IconView icon=Icon::Chat /><span class="rail-text">"Sessions"</span></A>
                    <A href="/failures"><IconView icon=Icon::Failures /><span class="rail-text">"Failures"</span></A>
                    <A href="/waiting"><IconView icon=Icon::Clock /><span class="rail-text">"Waiting"</span>{viewer.show_later(move |viewer| viewer.ok().map(|viewer| view! { <WaitingBadge count=waiting first=viewer.waiting /> }).into_any())}</A>
                    <A href="/insights"><IconView icon=Icon::Chart /><span class="rail-text">"Insights"</span></A>
                    <A href="/launch?draft=new"><IconView icon=Icon::Play /><span class="rail-text">"Launch"</span></A>
                </nav>
                <div class="rail-foot">
                    <div class="rail-nav"><A href="/settings"><IconView icon=Icon::Settings /><span class="rail-text">"Settings"</span></A></div>
                    <PreferenceForm>
                        {rail_button(Rail::Narrow, "Collapse the navigation")}
                        {rail_button(Rail::Wide, "Expand the navigation")}
                    </PreferenceForm>
                    {viewer.show_later(|viewer| match viewer {
                        Ok(viewer) => view! { <Account viewer /> }.into_any(),
                        Err(_) => view! { <ThemeButtons /> }.into_any(),
                    })}
                </div>
            </aside>
            <main class="page" id="main" tabindex="-1"><Notices /><Outlet /></main>
        </div>
    }
}

/// Notices about this request, shown until the viewer leaves the page: that nothing can be saved, and the result of a plain
/// form. Rendered on the server only, so it adds almost nothing to the client.
#[component]
fn Notices() -> impl IntoView {
    let html = RwSignal::new(notices());
    let location = use_location();
    Effect::new(move |before: Option<()>| {
        location.pathname.track();
        if before.is_some() {
            html.set(String::new());
        }
    });
    view! { <div inner_html=html></div> }
}

#[cfg(feature = "ssr")]
fn notices() -> String {
    let cannot_save = crate::backend::cannot_save().then(|| {
        let error = crate::AppError::CannotSave;
        view! { <p class="notice" role="status">{error.title()} ". " {error.advice()}</p> }.to_html()
    });
    let form = crate::backend::form_notice().map(|notice| {
        if notice.is_success {
            return view! { <p class="notice" role="status">{notice.message}</p> }.to_html();
        }
        let input = notice.input.into_iter().map(|text| view! { <pre class="written">{text}</pre> }).collect_view();
        view! { <div class="refused" role="alert"><p class="field-error">{notice.message}</p>{input}</div> }.to_html()
    });
    cannot_save.into_iter().chain(form).collect()
}

#[cfg(not(feature = "ssr"))]
fn notices() -> String {
    String::new()
}

/// A plain form, so that it works without JavaScript. With JavaScript its buttons take effect immediately.
#[component]
fn PreferenceForm(children: Children) -> impl IntoView {
    let location = use_location();
    let here = move || {
        let search = location.search.get();
        let mark = if search.is_empty() { "" } else { "?" };
        format!("{}{mark}{}", location.pathname.get(), search.trim_start_matches('?'))
    };
    view! {
        <form method="post" action="/preferences">
            <input type="hidden" name="return_to" value=here />
            {children()}
        </form>
    }
}

#[component]
fn ThemeButtons() -> impl IntoView {
    let button = |theme: Theme, icon: Icon, label: &'static str| {
        view! {
            <button
                name="theme"
                value=theme.as_str()
                class="icon-button"
                data-theme-choice=theme.as_str()
                title=label
                aria-label=label
                on:click=move |event| {
                    event.prevent_default();
                    apply_theme(theme);
                }
            >
                <IconView icon />
            </button>
        }
    };
    view! {
        <PreferenceForm>
            <span class="segmented" role="group" aria-label="Theme">
                {button(Theme::System, Icon::System, "System theme")}
                {button(Theme::Light, Icon::Sun, "Light theme")}
                {button(Theme::Dark, Icon::Moon, "Dark theme")}
            </span>
        </PreferenceForm>
    }
}

/// There is one button per state, and the style sheet shows the one that changes the state.
fn rail_button(rail: Rail, label: &'static str) -> impl IntoView {
    view! {
        <button
            name="rail"
            value=rail.as_str()
            class="icon-button rail-toggle"
            data-rail-choice=rail.as_str()
            title=label
            aria-label=label
            on:click=move |event| {
                event.prevent_default();
                apply_rail(rail);
            }
        >
            <IconView icon=Icon::Rail />
        </button>
    }
}

#[component]
fn Account(viewer: Viewer) -> impl IntoView {
    let initial = viewer.workspace.chars().next().unwrap_or('?').to_string();
    view! {
        <details class="account" data-popover="">
            <summary title=viewer.email.clone()>
                <span class="avatar" aria-hidden="true">{initial}</span>
                <span class="rail-text account-text">
                    <span class="account-workspace">{viewer.workspace.clone()}</span>
                    <span class="account-email">{viewer.email.clone()}</span>
                </span>
            </summary>
            <div class="menu">
                <p class="menu-note">{viewer.email}<br />"Workspace " <code>{viewer.workspace_slug}</code></p>
                <ThemeButtons />
                <a href="/settings">"Settings"</a>
                <a href="/api/docs">"API"</a>
                <form method="post" action="/auth/sign-out">
                    <button class="button" type="submit"><IconView icon=Icon::Out />"Sign out"</button>
                </form>
            </div>
        </details>
    }
}
