//! Banners: what a reader must know first, with a link to the event it rests on.

use leptos::prelude::*;
use protocol::timeline::{Banner, BannerKind, Severity};

use super::icon::{Icon, IconView};

#[component]
pub fn Banners(#[prop(into)] banners: Signal<Vec<Banner>>) -> impl IntoView {
    view! {
        <div class="banners" role="status" aria-live="polite">
            {move || banners.get().into_iter().map(|banner| view! { <BannerView banner /> }).collect_view()}
        </div>
    }
}

#[component]
fn BannerView(banner: Banner) -> impl IntoView {
    let tone = match banner.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    view! {
        <section class="banner" data-tone=tone data-kind=banner.kind.as_str()>
            <IconView icon=icon(banner.kind) />
            <div>
                <h2>{banner.title}</h2>
                <p>{banner.detail} " " {banner.next_step.text}</p>
            </div>
            <a class="event-link" href=format!("#e{}", banner.seq) rel="external">{format!("#{}", banner.seq)}</a>
        </section>
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
