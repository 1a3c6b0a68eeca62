//! A run's status and marks: an icon and a word, never colour alone.

use leptos::prelude::*;
use protocol::RunStatus;

use super::icon::{Icon, IconView};
use domain::Marks;

#[component]
pub fn StatusBadge(
    status: RunStatus,
    /// Nobody knows how it ended, whatever it counts as.
    #[prop(optional)]
    end_is_unknown: bool,
) -> impl IntoView {
    if end_is_unknown {
        return view! { <span class="status" data-status="unknown"><IconView icon=Icon::Alert />"no end"</span> };
    }
    let icon = match status {
        RunStatus::Pending => Icon::Clock,
        RunStatus::Running => Icon::Play,
        RunStatus::Succeeded => Icon::Check,
        RunStatus::Failed => Icon::Cross,
        RunStatus::Cancelled => Icon::Slash,
    };
    view! {
        <span class="status" data-status=status.as_str()>
            <IconView icon />
            {status.as_str()}
        </span>
    }
}

/// A session is active or has ended; other words are shown as they come.
#[component]
pub fn SessionStatus(status: String) -> impl IntoView {
    let (icon, tone) = match status.as_str() {
        "active" => (Icon::Chat, "succeeded"),
        _ => (Icon::Slash, "cancelled"),
    };
    view! { <span class="status" data-status=tone><IconView icon />{status}</span> }
}

/// What the log of a run showed: truncated, looping, over budget.
#[component]
pub fn MarkBadges(marks: Marks) -> impl IntoView {
    let badge =
        |on: bool, icon, word: &'static str| on.then(|| view! { <span class="mark"><IconView icon />{word}</span> });
    view! {
        {badge(marks.truncated, Icon::Cut, "truncated")}
        {badge(marks.looping, Icon::Loop, "looping")}
        {badge(marks.over_budget, Icon::Gauge, "budget")}
    }
}
