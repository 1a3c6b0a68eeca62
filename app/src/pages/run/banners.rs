//! Banners: what a reader must know first, with its event and one next step.

use leptos::prelude::*;
use protocol::timeline::{BannerKind, Severity, SpecChange};

use super::Run;
use crate::components::code_words::CodeWords;
use crate::components::event_link::EventLink;
use crate::components::filter_bar::encode;
use crate::components::icon::{Icon, IconView};
use crate::run::{BannerLine, RunView, Tab};

#[component]
pub fn Banners() -> impl IntoView {
    let run = expect_context::<Run>();
    let banners = Memo::new(move |_| run.state.with(|state| state.banners.clone()));
    view! {
        <div class="banners" role="status" aria-live="polite">
            {move || banners.get().into_iter().map(|banner| view! { <BannerView banner /> }).collect_view()}
        </div>
    }
}

#[component]
fn BannerView(banner: BannerLine) -> impl IntoView {
    let tone = match banner.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    let run = expect_context::<Run>();
    let looping = matches!(banner.kind, BannerKind::LoopNudged | BannerKind::LoopGaveUp);
    let lens = looping.then(|| {
        let href = move || run.href(|view| RunView { tab: Tab::Loop, focus: None, ..view.clone() });
        view! { " " <a href=href data-noscroll="">"See the iterations"</a> }
    });
    let relaunch = banner.next_step.change.filter(|_| run.can_write).map(|change| {
        let (href, words) = relaunch_link(&run.id.get_value(), &change);
        view! { " " <a href=href>{words}</a> }
    });
    view! {
        <section class="banner" data-tone=tone data-kind=banner.kind.as_str()>
            <IconView icon=icon(banner.kind) />
            <div>
                <h2><CodeWords text=banner.title /></h2>
                <p><CodeWords text=banner.detail /></p>
                <p class="next-step"><IconView icon=Icon::Next /><span><CodeWords text=banner.next_step.text /></span>{lens}{relaunch}</p>
            </div>
            <EventLink seq=banner.seq />
        </section>
    }
}

/// The launch form as this run had it, with the change made where it is known what to change to.
fn relaunch_link(id: &str, change: &SpecChange) -> (String, String) {
    let name = change.field.rsplit('/').next().unwrap_or_default();
    match &change.to {
        Some(to) => {
            let shown = to.as_str().map_or_else(|| to.to_string(), str::to_owned);
            let set = encode(&format!("{}={to}", change.field));
            (format!("/launch?like={id}&set={set}"), format!("Relaunch with {name} {shown}"))
        }
        None => (format!("/launch?like={id}"), format!("Relaunch with another {name}")),
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
