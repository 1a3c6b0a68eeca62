//! The frame around every signed-in page: the navigation rail, and the page beside it.

use leptos::prelude::*;
use leptos_router::components::{A, Outlet};
use leptos_router::hooks::use_location;

use super::icon::{Icon, IconView};
use super::palette::Palette;
use super::when_loaded::when_loaded;
use crate::api::viewer::load_viewer;
use crate::browser::{apply_rail, apply_theme, close_popovers};
use crate::model::Viewer;
use crate::preferences::{Rail, Theme};

#[component]
pub fn Frame() -> impl IntoView {
    let viewer = Resource::new_blocking(|| (), |()| load_viewer());
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
                    <A href="/launch?draft=new"><IconView icon=Icon::Play /><span class="rail-text">"Launch"</span></A>
                </nav>
                <div class="rail-foot">
                    <Preferences />
                    <Suspense>{when_loaded(viewer, |viewer| viewer.ok().map(|viewer| view! { <Account viewer /> }).into_any())}</Suspense>
                </div>
            </aside>
            <main class="page" id="main" tabindex="-1"><RejectedForm /><Outlet /></main>
        </div>
    }
}

/// What the server has to say about this request, shown until the viewer leaves the page: that nothing can be saved, and the
/// error of a plain form that was rejected. Rendered on the server only, so it adds almost nothing to the client.
#[component]
fn RejectedForm() -> impl IntoView {
    let html = RwSignal::new(rejected_form());
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
fn rejected_form() -> String {
    let cannot_save = crate::backend::cannot_save().then(|| {
        let error = crate::AppError::CannotSave;
        view! { <p class="notice" role="status">{error.title()} ". " {error.advice()}</p> }.to_html()
    });
    let rejected = crate::backend::rejected_form().map(|rejected| {
        if rejected.is_success {
            return view! { <p class="notice" role="status">{rejected.message}</p> }.to_html();
        }
        let input = rejected.input.into_iter().map(|text| view! { <pre class="written">{text}</pre> }).collect_view();
        view! { <div class="refused" role="alert"><p class="field-error">{rejected.message}</p>{input}</div> }.to_html()
    });
    cannot_save.into_iter().chain(rejected).collect()
}

#[cfg(not(feature = "ssr"))]
fn rejected_form() -> String {
    String::new()
}

/// Plain forms, so that they work without JavaScript. With JavaScript they take effect immediately.
#[component]
fn Preferences() -> impl IntoView {
    let location = use_location();
    let here = move || {
        let search = location.search.get();
        let mark = if search.is_empty() { "" } else { "?" };
        format!("{}{mark}{}", location.pathname.get(), search.trim_start_matches('?'))
    };
    let theme_button = |theme: Theme, icon: Icon, label: &'static str| {
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
        <form class="preferences" method="post" action="/preferences">
            <input type="hidden" name="return_to" value=here />
            <span class="segmented" role="group" aria-label="Theme">
                {theme_button(Theme::System, Icon::System, "System theme")}
                {theme_button(Theme::Light, Icon::Sun, "Light theme")}
                {theme_button(Theme::Dark, Icon::Moon, "Dark theme")}
            </span>
            {rail_button(Rail::Narrow, "Collapse the navigation")}
            {rail_button(Rail::Wide, "Expand the navigation")}
        </form>
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
                <a href="/api/docs">"API"</a>
                <form method="post" action="/auth/sign-out">
                    <button class="button" type="submit"><IconView icon=Icon::Out />"Sign out"</button>
                </form>
            </div>
        </details>
    }
}
