//! Pieces that both pages of failure groups show.

use app::components::icon::{Icon, IconView};
use app::components::time::RelativeTime;
use domain::FailureState;
use leptos::prelude::*;

pub fn title(state: FailureState) -> &'static str {
    match state {
        FailureState::Open => "Open",
        FailureState::Resolved => "Resolved",
        FailureState::Muted => "Muted",
    }
}

pub fn badge(state: FailureState) -> AnyView {
    let (icon, tone) = match state {
        FailureState::Open => (Icon::Alert, "failed"),
        FailureState::Resolved => (Icon::Check, "succeeded"),
        FailureState::Muted => (Icon::Mute, "cancelled"),
    };
    view! { <span class="status" data-status=tone><IconView icon />{state.as_str()}</span> }.into_any()
}

pub fn time(at_ms: Option<i64>, now_ms: i64) -> AnyView {
    match at_ms {
        Some(at_ms) => view! { <RelativeTime at_ms now_ms /> }.into_any(),
        None => "–".into_any(),
    }
}

pub fn notice(text: Option<String>) -> Option<AnyView> {
    text.map(|text| view! { <p class="notice" role="status"><IconView icon=Icon::Alert />{text}</p> }.into_any())
}

/// «1 run», «12 runs».
pub fn runs(count: u64) -> String {
    format!("{} run{}", app::format::grouped(count), if count == 1 { "" } else { "s" })
}

/// Renders a view as a string. The page inserts it and never hydrates it.
pub fn html(view: impl IntoView) -> String {
    view.into_view().to_html()
}
