//! Banners, each with its event and one next step.

use leptos::prelude::*;
use protocol::timeline::{Banner, BannerKind, Severity, SpecChange, Step, Timing};
use serde_json::Value;

use super::call_age::banner_age;
use super::{Links, html};
use crate::masking::is_redacted;
use crate::pages::code_words::CodeWords;
use crate::pages::run::waiting::CallAge;
use app::components::icon::{Icon, IconView};
use app::format;
use app::launch::ControlName;
use domain::url::encode;

/// In a shorter run it does not matter what took the most time.
const MIN_NOTABLE_MS: u64 = 10_000;

/// The actions that the viewer may take.
#[derive(Clone, Copy)]
pub struct Permissions {
    pub answer: bool,
    /// The sign-in may launch runs, and the spec is known.
    pub relaunch: bool,
}

/// Renders the most important banner as a card, and the others in a fold. Without any, a run that waited for most of its time has
/// a card that says so.
pub fn findings(
    mut banners: Vec<Banner>,
    may: Permissions,
    ages: &[CallAge],
    timing: Option<&Timing>,
    links: Links<'_>,
) -> String {
    // The nudge and the end of one loop are one finding.
    if banners.iter().any(|banner| banner.kind == BannerKind::LoopGaveUp) {
        banners.retain(|banner| banner.kind != BannerKind::LoopNudged);
    }
    let mut rest = banners.into_iter();
    let Some(first) = rest.next() else { return longest_wait(timing).unwrap_or_default() };
    let others = rest.len();
    let (sentence, details) = split_sentence(&first.detail);
    let next = first.next_step.text.as_str();
    // The message of a failure may say no more than its title.
    let (sentence, next) = if says_again(&first.title, sentence) { (next, "") } else { (sentence, next) };
    let summary = match others {
        0 => "Details".to_owned(),
        1 => "1 more finding".to_owned(),
        others => format!("{others} more findings"),
    };
    let has_more = others > 0 || !details.is_empty() || !next.is_empty();
    let more = has_more.then(|| {
        view! {
            <details class="more-findings">
                <summary>{summary}</summary>
                <p><bdi><CodeWords text=details.to_owned() /></bdi>" "<CodeWords text=next.to_owned() /></p>
                {rest.map(|banner| other_finding(banner, may, ages, links)).collect_view()}
            </details>
        }
    });
    html(view! {
        <div class="finding" data-tone=tone(first.severity)>
            <section class="first-finding" data-kind=first.kind.as_str() aria-label="Finding">
                <IconView icon=icon(first.kind) />
                <div class="finding-text">
                    <h2><CodeWords text=first.title.clone() />{age(&first, ages)}</h2>
                    <p><bdi><CodeWords text=sentence.to_owned() /></bdi>" "{links.event(first.seq)}{longest_step(timing)}</p>
                </div>
                <p class="next-step">{loop_link(first.kind, links)}" "{step_link(&first, may, "button", links)}</p>
            </section>
            {more}
        </div>
    })
}

/// Returns true if the title ends in the same words.
fn says_again(title: &str, sentence: &str) -> bool {
    let spoken = |text: &str| {
        let words =
            text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>()
    };
    let sentence = spoken(sentence);
    !sentence.is_empty() && spoken(title).ends_with(&sentence)
}

/// The card of a run that waited for most of its time.
fn longest_wait(timing: Option<&Timing>) -> Option<String> {
    let is_wait = matches!(timing?.shares.first()?.step, Step::Waiting(_));
    let sentence = longest_step(timing).filter(|_| is_wait)?;
    Some(html(view! {
        <div class="finding" data-tone="info">
            <section class="first-finding" aria-label="Finding">
                <IconView icon=Icon::Hand />
                <div class="finding-text"><h2>"Mostly waiting"</h2><p>{sentence}</p></div>
            </section>
        </div>
    }))
}

/// A sentence about the tool that took most of the time.
fn longest_step(timing: Option<&Timing>) -> Option<AnyView> {
    let (timing, longest) = timing.and_then(|timing| Some((timing, timing.shares.first()?)))?;
    if timing.total_ms() < MIN_NOTABLE_MS || longest.ms * 2 < timing.total_ms() {
        return None;
    }
    let what = match &longest.step {
        Step::Waiting(tool) => format!("waiting for `{tool}`"),
        Step::Tool(tool) => format!("in `{tool}`"),
        Step::Model | Step::Unobserved => return None,
    };
    let text =
        format!(" {} of {} were spent {what}.", format::duration(longest.ms), format::duration(timing.total_ms()));
    Some(view! { <CodeWords text /> }.into_any())
}

fn other_finding(banner: Banner, may: Permissions, ages: &[CallAge], links: Links<'_>) -> AnyView {
    view! {
        <section class="other-finding" data-tone=tone(banner.severity) data-kind=banner.kind.as_str()>
            <IconView icon=icon(banner.kind) />
            <div>
                <h3><CodeWords text=banner.title.clone() />{age(&banner, ages)}</h3>
                <p><bdi><CodeWords text=banner.detail.clone() /></bdi>" "{links.event(banner.seq)}</p>
                <p class="next-step"><CodeWords text=banner.next_step.text.clone() />" "{loop_link(banner.kind, links)}" "{step_link(&banner, may, "", links)}</p>
            </div>
        </section>
    }
    .into_any()
}

fn tone(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

fn loop_link(kind: BannerKind, links: Links<'_>) -> Option<AnyView> {
    let is_loop = matches!(kind, BannerKind::LoopNudged | BannerKind::LoopGaveUp);
    is_loop.then(|| view! { <a href=links.loops()>"See the iterations"</a> }.into_any())
}

fn step_link(banner: &Banner, may: Permissions, class: &'static str, links: Links<'_>) -> Option<AnyView> {
    let (href, label) = next_step(banner, may, links)?;
    // The browser must scroll to a field of another page itself.
    let rel = (href.contains("/launch") && href.contains('#')).then_some("external");
    Some(view! { <a class=class href=href rel=rel>{label}</a> }.into_any())
}

fn age(banner: &Banner, ages: &[CallAge]) -> Option<AnyView> {
    let age = ages.iter().find(|age| banner.kind == BannerKind::WaitingLocalTool && age.seq == banner.seq)?;
    Some(view! { " "{banner_age(*age)} }.into_any())
}

/// Splits a text after its first sentence.
fn split_sentence(text: &str) -> (&str, &str) {
    let ends = text.match_indices(". ").map(|(at, _)| at + 1);
    let at = ends.into_iter().find(|at| text[at + 1..].starts_with(char::is_uppercase)).unwrap_or(text.len());
    (&text[..at], text[at..].trim_start())
}

/// The URL and the label of the banner's next step.
fn next_step(banner: &Banner, may: Permissions, links: Links<'_>) -> Option<(String, String)> {
    match &banner.next_step.change {
        _ if banner.kind == BannerKind::WaitingLocalTool => Some(match may.answer {
            true => (links.step(banner.seq), "Answer it here".to_owned()),
            false => (links.focus(banner.seq), "See the call".to_owned()),
        }),
        _ if !may.relaunch => None,
        Some(change) if is_secret(change) => None,
        Some(change) => Some(relaunch_link(links.run_id, change)),
        None => banner.next_step.again.then(|| (format!("/launch?like={}", links.run_id), "Relaunch".to_owned())),
    }
}

/// The link would show what is masked.
fn is_secret(change: &SpecChange) -> bool {
    is_redacted(&change.field) || change.to.as_ref().is_some_and(|to| is_redacted(&to.to_string()))
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
    let control = || ControlName::field(field).dom_id();
    match field {
        "/tools" => ("tools".to_owned(), "Relaunch with other tools".to_owned()),
        "/systemPrompt" => (control(), "Relaunch with another system prompt".to_owned()),
        "/fallbackModelId" => (control(), "Relaunch with a fallback model".to_owned()),
        _ if field.starts_with("/outputSchema") => ("output".to_owned(), "Relaunch with another schema".to_owned()),
        _ => (control(), format!("Relaunch with another {name}")),
    }
}

/// Describes a change.
fn describe_change(field: &str, name: &str, to: &Value) -> String {
    let number = |field: &str| to.get(field).and_then(Value::as_u64).unwrap_or(0);
    let reviews = |interval: u64| format!("a review every {interval} model calls");
    match (field, to.as_u64()) {
        ("/loopDetection", _) => "a stricter loop guard".to_owned(),
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

#[cfg(test)]
mod tests {
    use super::says_again;

    #[test]
    fn a_message_that_repeats_the_title_is_recognized() {
        let title = "Failed: the provider rejected the credentials";
        assert!(says_again(title, "The provider rejected the credentials."));
        assert!(!says_again(title, "The key has expired."));
        assert!(!says_again(title, ""));
    }
}
