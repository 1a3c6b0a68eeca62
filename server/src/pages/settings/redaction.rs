//! The form of the redaction patterns as HTML.

use app::components::text_area::textarea_content;
use domain::{RedactionMode, RedactionPattern};
use leptos::prelude::*;
use protocol::validate::FieldError;
use serde::{Deserialize, Serialize};

use super::{error_id, field_error};
use crate::error::Error;
use crate::masking::MAX_PATTERNS;
use crate::redaction;
use crate::workspace::SignedInWorkspace;

/// The form as it was sent.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RedactionDraft {
    pub patterns: Vec<RedactionPattern>,
    pub replaces_version: i64,
    pub sample: String,
    /// The sample as pages would show it.
    pub tested: Option<String>,
    pub errors: Vec<FieldError>,
}

pub async fn load(workspace: &SignedInWorkspace, draft: Option<RedactionDraft>) -> Result<String, Error> {
    let saved = redaction::load(&workspace.state, &workspace.caller).await?;
    if let Some(refusal) = super::refusal(workspace, "Changing the patterns") {
        let count = match saved.patterns.len() {
            0 => "This workspace has no redaction patterns.".to_owned(),
            1 => "1 pattern is active.".to_owned(),
            count => format!("{count} patterns are active."),
        };
        return Ok(view! { <p>{count}</p><p class="hint">{refusal}</p> }.to_html());
    }
    let is_conflict = draft.as_ref().is_some_and(|draft| draft.replaces_version != saved.version);
    let mut draft =
        draft.unwrap_or_else(|| RedactionDraft { patterns: saved.patterns.clone(), ..RedactionDraft::default() });
    draft.replaces_version = saved.version;
    let theirs = is_conflict.then(|| {
        let patterns = saved.patterns.iter().map(|pattern| pattern.pattern.clone()).collect::<Vec<_>>();
        view! { <p>"Saved by someone else in the meantime:"</p><pre class="written">{patterns.join("\n")}</pre> }
    });
    Ok(view! { {theirs}{form(draft)} }.to_html())
}

fn form(mut draft: RedactionDraft) -> AnyView {
    let too_many = field_error(&draft.errors, "/patterns");
    if draft.patterns.len() < MAX_PATTERNS {
        draft.patterns.push(RedactionPattern { pattern: String::new(), mode: RedactionMode::Hide });
    }
    let rows =
        draft.patterns.iter().enumerate().map(|(index, pattern)| row(index, pattern, &draft.errors)).collect_view();
    let tested = draft.tested.map(|shown| {
        view! { <p>"Shown as:"</p><pre class="written" data-tested="">{app::plain_text::visible(&shown).into_owned()}</pre> }
    });
    view! {
        <p class="hint">
            "Regular expressions. What they match is replaced on pages, in exports, in reports and in the JSON API. Stored runs \
            stay as they are, so filters and search still find the text. A match becomes a mark, or a short hash, \
            which is the same for equal values. Clear a pattern to remove it."
        </p>
        <form class="view-form" method="post" action="/settings/redaction">
            <input type="hidden" name="replaces_version" value=draft.replaces_version />
            {too_many}
            <div class="table-scroll" role="region" aria-label="Patterns" tabindex="0">
                <table class="tools">
                    <thead><tr><th scope="col">"Pattern"</th><th scope="col">"Shown instead"</th></tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <label>"Sample text"<textarea name="sample" rows="3" maxlength="5000">{textarea_content(&draft.sample)}</textarea></label>
            {tested}
            <div class="form-buttons">
                <button class="button primary" type="submit" name="action" value="save">"Save patterns"</button>
                <button class="button" type="submit" name="action" value="test">"Test"</button>
            </div>
        </form>
    }
    .into_any()
}

fn row(index: usize, pattern: &RedactionPattern, errors: &[FieldError]) -> AnyView {
    let label = format!("Pattern {}", index + 1);
    let path = format!("/patterns/{index}/pattern");
    let error = field_error(errors, &path);
    let is_invalid = error.is_some().then_some("true");
    let described_by = error.is_some().then(|| error_id(&path));
    let option = |mode: RedactionMode, value: &'static str, label: &'static str| {
        view! { <option value=value selected=pattern.mode == mode>{label}</option> }
    };
    let mode_label = format!("Shown instead of pattern {}", index + 1);
    view! {
        <tr>
            <td>
                <input type="text" name="pattern" value=pattern.pattern.clone() maxlength="500" spellcheck="false" autocomplete="off" aria-label=label aria-invalid=is_invalid
                    aria-describedby=described_by />
                {error}
            </td>
            <td>
                <select name="mode" aria-label=mode_label>
                    {option(RedactionMode::Hide, "hide", "A mark")}
                    {option(RedactionMode::Hash, "hash", "A short hash")}
                </select>
            </td>
        </tr>
    }
    .into_any()
}
