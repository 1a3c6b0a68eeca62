//! Masks texts of models, tools and people before anyone sees them: secrets, and what the workspace's redaction patterns match.
//!
//! Everything that leaves the server goes through this module: pages through [`shown`] and the functions beside it, the JSON
//! API through [`api_responses`], exports and streams through [`Patterns`]. The patterns are those of the request's workspace,
//! which [`with_patterns`] sets. Code that runs outside of it shows nothing: a forgotten scope hides everything.

mod api;
mod patterns;
mod scope;
mod values;

use std::borrow::Cow;

use app::plain_text::visible;
use domain::{RunSummary, SessionSummary, View};
use protocol::Event;
use protocol::messages::Metadata;
use protocol::redact::redact_text;
use protocol::timeline::Banner;
use serde_json::Value;

pub use api::{Masked, api_responses};
pub use patterns::{MAX_PATTERNS, Patterns};
pub use scope::{current, with_patterns};

/// The text as a page shows it.
pub fn shown(text: &str) -> Cow<'_, str> {
    match masked(text) {
        Cow::Borrowed(text) => visible(text),
        Cow::Owned(masked) => Cow::Owned(visible(&masked).into_owned()),
    }
}

/// The text without secrets and redacted, for models of pages that make hidden characters visible themselves.
pub fn masked(text: &str) -> Cow<'_, str> {
    let without_secrets = redact_text(text).map_or(Cow::Borrowed(text), Cow::Owned);
    match current().redact_text(&without_secrets) {
        Some(redacted) => Cow::Owned(redacted),
        None => without_secrets,
    }
}

/// Masks a payload of a log, in place: what models and tools sent, with the names and numbers in it.
pub fn mask_payload(value: &mut Value) {
    protocol::redact::redact(value);
    current().redact_payload(value);
}

/// Masks a spec or an event, in place. Its own names and numbers stay, but for those of its payloads.
pub fn mask_document(document: &mut Value) {
    protocol::redact::redact(document);
    current().redact_document(document);
}

/// Masks a spec that calls and answers are compared with, in place. [`mask_document`] masks what is shown of it.
pub fn mask_spec(spec: &mut Value) {
    protocol::redact::redact(spec);
    current().redact_spec(spec);
}

/// The event as JSON, masked.
pub fn masked_event(event: &Event) -> Value {
    let mut value = current().redact_event(event);
    protocol::redact::redact(&mut value);
    value
}

pub fn mask_runs<'a>(runs: impl IntoIterator<Item = &'a mut RunSummary>) {
    for run in runs {
        mask_all([&mut run.name, &mut run.input_preview, &mut run.output_preview, &mut run.error, &mut run.reason]);
        mask_all([&mut run.model, &mut run.agent_id, &mut run.error_class]);
        mask_metadata(&mut run.metadata);
    }
}

pub fn mask_sessions<'a>(sessions: impl IntoIterator<Item = &'a mut SessionSummary>) {
    for session in sessions {
        mask_all([&mut session.name, &mut session.summary]);
        mask_metadata(&mut session.metadata);
    }
}

/// Masks the names of views. A filter that would show what is masked is left out, so links have only the view's id.
pub fn masked_views(mut views: Vec<View>) -> Vec<View> {
    for view in &mut views {
        mask_text(&mut view.name);
        if is_redacted(&view.query) {
            view.query.clear();
        }
    }
    views
}

/// Masks what pages show of banners.
pub fn mask_banners(banners: &mut [Banner]) {
    for banner in banners {
        for text in [&mut banner.title, &mut banner.detail, &mut banner.next_step.text] {
            mask_text(text);
        }
    }
}

/// Redacts the keys and values of metadata.
pub fn mask_metadata(metadata: &mut Metadata) {
    let patterns = current();
    if !patterns.is_empty() {
        let redacted = |text: String| patterns.redact_text(&text).unwrap_or(text);
        *metadata = std::mem::take(metadata).into_iter().map(|(key, value)| (redacted(key), redacted(value))).collect();
    }
}

/// Returns true if a part of the text is masked. A URL would show it, so pages have no link with it.
pub fn is_redacted(text: &str) -> bool {
    matches!(masked(text), Cow::Owned(_))
}

fn mask_all<'a>(texts: impl IntoIterator<Item = &'a mut Option<String>>) {
    texts.into_iter().flatten().for_each(mask_text);
}

fn mask_text(text: &mut String) {
    if let Cow::Owned(masked) = masked(text) {
        *text = masked;
    }
}
