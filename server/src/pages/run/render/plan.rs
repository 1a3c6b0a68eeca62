//! The plan as a checklist.

use leptos::prelude::*;
use protocol::timeline::{Plan, PlanStep};

use super::{Links, html};
use app::components::icon::{Icon, IconView};
use app::plain_text::visible;

pub fn checklist(plan: &Plan, links: Links<'_>) -> String {
    html(view! { <section class="panel"><h2>"Plan"</h2>{steps(plan, links)}</section> })
}

pub fn steps(plan: &Plan, links: Links<'_>) -> AnyView {
    let lines = plan.steps.iter().map(|one| step(one, links)).collect_view();
    view! {
        {plan.brief.as_ref().map(|brief| view! { <p class="hint">{visible(brief).into_owned()}</p> })}
        <ol class="plan">{lines}</ol>
    }
    .into_any()
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
        <li data-step=step.status.clone()>
            <IconView icon />
            <span>{visible(&step.title).into_owned()}</span>
            <span class="hint">{visible(&step.status).replace('_', " ")}{turns}</span>
        </li>
    }
    .into_any()
}
