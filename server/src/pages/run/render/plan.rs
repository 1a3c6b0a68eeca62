//! The plan as a checklist.

use leptos::prelude::*;
use protocol::timeline::{Plan, PlanChanges, PlanStep};

use super::{Links, html};
use crate::masking::shown;
use app::components::icon::{Icon, IconView};

pub fn checklist(plan: &Plan, links: Links<'_>) -> String {
    let lines = plan.steps.iter().map(|one| step(one, links)).collect_view();
    html(view! { <section class="panel"><h2>"Plan"</h2>{brief(plan)}<ol class="plan">{lines}</ol></section> })
}

/// A new plan is shown whole, a revision by its changes.
pub fn changes(plan: &Plan, changes: PlanChanges<'_>, links: Links<'_>) -> AnyView {
    let is_whole = changes.steps.len() == plan.steps.len();
    let removed = changes.removed.iter().map(|step| {
        let title = shown(&step.title).into_owned();
        view! { <li data-step="removed"><IconView icon=Icon::Cross /><span>{title}</span><span class="hint">"removed"</span></li> }
    });
    let removed = removed.collect_view();
    let lines = changes.steps.iter().map(|one| step(one, links)).collect_view();
    view! { {is_whole.then(|| brief(plan))}<ul class="plan">{lines}{removed}</ul> }.into_any()
}

fn brief(plan: &Plan) -> Option<AnyView> {
    plan.brief.as_ref().map(|brief| view! { <p class="hint">{shown(brief).into_owned()}</p> }.into_any())
}

fn step(step: &PlanStep, links: Links<'_>) -> AnyView {
    let icon = match step.status.as_str() {
        "done" => Icon::Check,
        "in_progress" => Icon::Play,
        "blocked" => Icon::Alert,
        "skipped" => Icon::Slash,
        _ => Icon::Clock,
    };
    let turns = match (step.begun, step.ended) {
        (Some(begun), Some(ended)) if ended.turn > begun.turn => {
            Some(format!("turns {}–{}", begun.turn + 1, ended.turn + 1))
        }
        (Some(moment), _) | (None, Some(moment)) => Some(format!("turn {}", moment.turn + 1)),
        (None, None) => None,
    };
    let turns = turns.zip(step.begun.or(step.ended)).map(|(turns, moment)| {
        view! { " · " <a href=links.focus(moment.seq)>{turns}</a> }
    });
    view! {
        <li data-step=shown(&step.status).into_owned()>
            <IconView icon />
            <span>{shown(&step.title).into_owned()}</span>
            <span class="hint">{shown(&step.status).replace('_', " ")}{turns}</span>
        </li>
    }
    .into_any()
}
