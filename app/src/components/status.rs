//! A run's status and marks: always an icon and a word, never colour alone.

use leptos::prelude::*;
use protocol::RunStatus;

use super::icon::{Icon, IconView};
use domain::Marks;

#[component]
pub fn StatusBadge(
    status: RunStatus,
    /// The status is terminal, but the outcome of the run is unknown.
    #[prop(optional)]
    end_is_unknown: bool,
) -> impl IntoView {
    if end_is_unknown {
        let title = "The imported log stops before the run's end. It counts as failed; is:incomplete finds it.";
        return view! { <span class="status" data-status="unknown" title=title><IconView icon=Icon::Alert />"incomplete"</span> }.into_any();
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
    .into_any()
}

/// The badge of a session. Unknown statuses are shown as MANTYX reports them.
#[component]
pub fn SessionStatus(status: String) -> impl IntoView {
    let (icon, tone) = match status.as_str() {
        "active" => (Icon::Chat, "succeeded"),
        _ => (Icon::Slash, "cancelled"),
    };
    view! { <span class="status" data-status=tone><IconView icon />{status}</span> }
}

/// Badges for signals in a run's log: truncated, looping, over budget, waiting.
#[component]
pub fn MarkBadges(marks: Marks) -> impl IntoView {
    let badge = |on: bool, icon, word: &'static str| {
        on.then(
            || view! { <span class="mark" title=word><IconView icon /><span class="mark-word">{word}</span></span> },
        )
    };
    view! {
        {badge(marks.truncated, Icon::Cut, "truncated")}
        {badge(marks.looping, Icon::Loop, "looping")}
        {badge(marks.over_budget, Icon::Gauge, "budget")}
        {badge(marks.waiting, Icon::Clock, "waiting")}
    }
}
