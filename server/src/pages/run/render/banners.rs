//! Banners: what a reader must know first, with its event and one next step.

use leptos::prelude::*;
use protocol::timeline::{Banner, BannerKind, Severity, SpecChange};
use serde_json::Value;

use super::age::banner_age;
use super::{Links, html};
use crate::components::code_words::CodeWords;
use crate::components::icon::{Icon, IconView};
use crate::format;
use crate::run::CallAge;
use domain::url::encode;

/// What the reader may do about it.
#[derive(Clone, Copy)]
pub struct May {
    pub answer: bool,
    /// Also, the spec is known.
    pub relaunch: bool,
}

pub fn banners(banners: Vec<Banner>, may: May, ages: &[CallAge], links: Links<'_>) -> String {
    html(banners.into_iter().map(|banner| draw(banner, may, ages, links)).collect_view())
}

fn draw(banner: Banner, may: May, ages: &[CallAge], links: Links<'_>) -> AnyView {
    let tone = match banner.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    let looping = matches!(banner.kind, BannerKind::LoopNudged | BannerKind::LoopGaveUp);
    let lens = looping.then(|| view! { <a href=links.lens()>"See the iterations"</a> });
    let step = next_step(&banner, may, links);
    let waiting = ages.iter().find(|age| banner.kind == BannerKind::WaitingLocalTool && age.seq == banner.seq);
    let step = step.map(|(href, words)| {
        // A field of another page is found by the browser itself.
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
                    <span><CodeWords text=banner.next_step.text />" "<span class="steps">{lens}{step}</span></span>
                </p>
            </div>
            {links.event(banner.seq)}
        </section>
    }
    .into_any()
}

/// Where the banner's next step leads, and its words.
pub fn next_step(banner: &Banner, may: May, links: Links<'_>) -> Option<(String, String)> {
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

/// The launch form as this run had it, with the change made where it is known what to change to.
fn relaunch_link(id: &str, change: &SpecChange) -> (String, String) {
    let name = change.field.rsplit('/').next().unwrap_or_default();
    match &change.to {
        Some(to) => {
            let set = encode(&format!("{}={to}", change.field));
            (format!("/launch?like={id}&set={set}"), format!("Relaunch with {}", in_words(&change.field, name, to)))
        }
        // The launch form has the catalogue to choose from.
        None if change.field == "/modelId" => {
            let set = encode("/modelId=?larger");
            (format!("/launch?like={id}&set={set}"), "Relaunch with a larger model".to_owned())
        }
        None => {
            let (place, words) = field_to_write(&change.field, name);
            (format!("/launch?like={id}#{place}"), words)
        }
    }
}

/// The place in the launch form where a person has to say what to change, and what for.
fn field_to_write(field: &str, name: &str) -> (String, String) {
    let (place, words) = match field {
        "/tools" => ("tools", "Relaunch with other tools"),
        "/systemPrompt" => ("f-t-systemPrompt", "Relaunch with another system prompt"),
        "/fallbackModelId" => ("f-t-fallbackModelId", "Relaunch with a fallback model"),
        _ if field.starts_with("/outputSchema") => ("output", "Relaunch with another schema"),
        _ => return (format!("f-t{}", field.replace('/', "-")), format!("Relaunch with another {name}")),
    };
    (place.to_owned(), words.to_owned())
}

/// A change as a person would say it.
fn in_words(field: &str, name: &str, to: &Value) -> String {
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
