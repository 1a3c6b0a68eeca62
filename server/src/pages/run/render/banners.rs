//! Banners, each with its event and one next step.

use leptos::prelude::*;
use protocol::timeline::{Banner, BannerKind, Severity, SpecChange};
use serde_json::Value;

use super::call_age::banner_age;
use super::{Links, html};
use crate::pages::run::waiting::CallAge;
use app::components::code_words::CodeWords;
use app::components::icon::{Icon, IconView};
use app::format;
use domain::url::encode;

/// The actions that the viewer may take.
#[derive(Clone, Copy)]
pub struct Permissions {
    pub answer: bool,
    /// The sign-in may launch runs, and the spec is known.
    pub relaunch: bool,
}

pub fn banners(banners: Vec<Banner>, may: Permissions, ages: &[CallAge], links: Links<'_>) -> String {
    html(banners.into_iter().map(|banner| render(banner, may, ages, links)).collect_view())
}

fn render(banner: Banner, may: Permissions, ages: &[CallAge], links: Links<'_>) -> AnyView {
    let tone = match banner.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    let looping = matches!(banner.kind, BannerKind::LoopNudged | BannerKind::LoopGaveUp);
    let loop_link = looping.then(|| view! { <a href=links.loops()>"See the iterations"</a> });
    let step = next_step(&banner, may, links);
    let waiting = ages.iter().find(|age| banner.kind == BannerKind::WaitingLocalTool && age.seq == banner.seq);
    let step = step.map(|(href, words)| {
        // The browser must scroll to a field of another page itself.
        let rel = (href.contains("/launch") && href.contains('#')).then_some("external");
        view! { <a href=href rel=rel>{words}</a> }
    });
    view! {
        <section class="banner" data-tone=tone data-kind=banner.kind.as_str()>
            <IconView icon=icon(banner.kind) />
            <div>
                <h2><CodeWords text=banner.title /></h2>
                <p><CodeWords text=banner.detail /></p>
                {waiting.map(|age| banner_age(*age))}
                <p class="next-step">
                    <IconView icon=Icon::Next />
                    <span><CodeWords text=banner.next_step.text />" "<span class="steps">{loop_link}{step}</span></span>
                </p>
            </div>
            {links.event(banner.seq)}
        </section>
    }
    .into_any()
}

/// The URL and the label of the banner's next step.
pub fn next_step(banner: &Banner, may: Permissions, links: Links<'_>) -> Option<(String, String)> {
    match &banner.next_step.change {
        _ if banner.kind == BannerKind::WaitingLocalTool => Some(match may.answer {
            true => (links.reply(banner.seq), "Answer it here".to_owned()),
            false => (links.focus(banner.seq), "See the call".to_owned()),
        }),
        _ if !may.relaunch => None,
        Some(change) => Some(relaunch_link(links.run_id, change)),
        None => banner.next_step.again.then(|| (format!("/launch?like={}", links.run_id), "Relaunch".to_owned())),
    }
}

/// A link to the launch form with this run's spec, changed if the new value is known.
fn relaunch_link(id: &str, change: &SpecChange) -> (String, String) {
    let name = change.field.rsplit('/').next().unwrap_or_default();
    match &change.to {
        Some(to) => {
            let set = encode(&format!("{}={to}", change.field));
            (
                format!("/launch?like={id}&set={set}"),
                format!("Relaunch with {}", describe_change(&change.field, name, to)),
            )
        }
        // The launch form picks it from the catalogue.
        None if change.field == "/modelId" => {
            let set = encode("/modelId=?larger");
            (format!("/launch?like={id}&set={set}"), "Relaunch with a larger model".to_owned())
        }
        None => {
            let (place, words) = field_to_edit(&change.field, name);
            (format!("/launch?like={id}#{place}"), words)
        }
    }
}

/// The element id of the field that has to be edited, and the label of the link.
fn field_to_edit(field: &str, name: &str) -> (String, String) {
    let (place, words) = match field {
        "/tools" => ("tools", "Relaunch with other tools"),
        "/systemPrompt" => ("f-t-systemPrompt", "Relaunch with another system prompt"),
        "/fallbackModelId" => ("f-t-fallbackModelId", "Relaunch with a fallback model"),
        _ if field.starts_with("/outputSchema") => ("output", "Relaunch with another schema"),
        _ => return (format!("f-t{}", field.replace('/', "-")), format!("Relaunch with another {name}")),
    };
    (place.to_owned(), words.to_owned())
}

/// Describes a change.
fn describe_change(field: &str, name: &str, to: &Value) -> String {
    let number = |field: &str| to.get(field).and_then(Value::as_u64).unwrap_or(0);
    let reviews = |interval: u64| format!("a review every {interval} model calls");
    match (field, to.as_u64()) {
        ("/loopDetection", _) => {
            let (nudge, stop) = (number("consecutiveThreshold"), number("hardCutoffThreshold"));
            format!("a stricter loop guard: nudge at {nudge}, give up at {stop}")
        }
        ("/supervisor", _) => reviews(number("interval")),
        ("/supervisor/interval", Some(interval)) => reviews(interval),
        ("/budgets/localToolTimeoutMs", Some(ms)) => format!("a timeout of {}", format::duration(ms)),
        ("/budgets/maxToolTurns", Some(turns)) => format!("up to {turns} tool turns"),
        (field, Some(1)) if field.starts_with("/toolBudgets/") => "a budget of 1 call".to_owned(),
        (field, Some(calls)) if field.starts_with("/toolBudgets/") => format!("a budget of {calls} calls"),
        _ => format!("{name} {}", to.as_str().map_or_else(|| to.to_string(), str::to_owned)),
    }
}

fn icon(kind: BannerKind) -> Icon {
    match kind {
        BannerKind::Truncated => Icon::Cut,
        BannerKind::LoopNudged | BannerKind::LoopGaveUp => Icon::Loop,
        BannerKind::BudgetExceeded => Icon::Gauge,
        BannerKind::WaitingLocalTool | BannerKind::LocalToolTimeout => Icon::Hand,
        BannerKind::Cancelled => Icon::Slash,
        BannerKind::Refused | BannerKind::ContextWindow | BannerKind::Failed => Icon::Cross,
        BannerKind::SupervisorRedirect | BannerKind::SupervisorFinalize | BannerKind::ModelFallback => Icon::Info,
        BannerKind::ToolInputInvalid => Icon::Tool,
        BannerKind::SchemaNotEnforced | BannerKind::LogGap | BannerKind::LogIncomplete => Icon::Alert,
    }
}
