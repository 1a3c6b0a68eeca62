//! Texts and numbers from outside as both engines can store them: PostgreSQL refuses a whole batch because of one text with
//! a NUL, one long text in an index, or one sum that is too large.

use std::borrow::Cow;

use domain::{RunSummary, SessionSummary};
use protocol::messages::Metadata;

use super::RunUpdate;
use super::log_summary::truncate;

/// Stands for a NUL, as on pages.
const NUL: &str = "\u{2400}";
/// The longest text in an index: a value of metadata may have 256 characters of four bytes.
const MAX_NAME_BYTES: usize = 1_024;
/// Previews, errors and reasons. The log has the whole text.
const MAX_EXCERPT_BYTES: usize = 16 * 1_024;
/// The largest number: browsers read larger integers inexactly, and sums of these fit.
const MAX_NUMBER: u64 = (1 << 53) - 1;

/// PostgreSQL's code for a text with a character that it cannot store.
const UNSTORABLE_CHARACTER: &str = "22021";

/// Returns true if PostgreSQL refused a text that is bound as it came, such as an id.
pub fn has_unstorable_text(error: &super::Error) -> bool {
    matches!(error, super::Error::Database(error) if error.code().is_some_and(|code| code == UNSTORABLE_CHARACTER))
}

/// A text without NUL.
pub(super) fn text(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', NUL).into() } else { text.into() }
}

/// The same for a text that is not needed any more.
pub(super) fn owned_text(text: String) -> String {
    if text.contains('\0') { text.replace('\0', NUL) } else { text }
}

/// A text without NUL that is short enough for an index.
pub(super) fn name(text: &str) -> Cow<'_, str> {
    shortened(text, MAX_NAME_BYTES)
}

/// A text without NUL that is short enough for a row: lists read many.
fn excerpt(text: &str) -> Cow<'_, str> {
    shortened(text, MAX_EXCERPT_BYTES)
}

fn shortened(long: &str, max_bytes: usize) -> Cow<'_, str> {
    match text(long) {
        short if short.len() <= max_bytes => short,
        long => format!("{}…", truncate(&long, max_bytes - '…'.len_utf8())).into(),
    }
}

pub(super) fn update(update: &RunUpdate) -> Cow<'_, RunUpdate> {
    let mut summary = update.summary.clone();
    run(&mut summary);
    match summary == update.summary {
        true => Cow::Borrowed(update),
        false => Cow::Owned(RunUpdate { summary, ..update.clone() }),
    }
}

pub(super) fn run(run: &mut RunSummary) {
    for short in [&mut run.session_id, &mut run.name, &mut run.agent_id, &mut run.model, &mut run.error_class] {
        change(short, name);
    }
    for long in [&mut run.input_preview, &mut run.output_preview, &mut run.error, &mut run.reason] {
        change(long, excerpt);
    }
    if let Some(tokens) = &mut run.tokens {
        for number in [
            &mut tokens.input_tokens,
            &mut tokens.cached_tokens,
            &mut tokens.reasoning_tokens,
            &mut tokens.output_tokens,
        ] {
            *number = (*number).min(MAX_NUMBER);
        }
    }
    for number in [&mut run.turns, &mut run.tool_calls, &mut run.duration_ms, &mut run.waited_ms, &mut run.cost_micros]
    {
        *number = number.map(|number| number.min(MAX_NUMBER));
    }
    metadata(&mut run.metadata);
}

pub(super) fn session(session: &SessionSummary) -> SessionSummary {
    let mut session = session.clone();
    session.status = text(&session.status).into_owned();
    change(&mut session.name, name);
    change(&mut session.summary, excerpt);
    metadata(&mut session.metadata);
    session
}

fn change(value: &mut Option<String>, storable: fn(&str) -> Cow<'_, str>) {
    let Some(Cow::Owned(changed)) = value.as_deref().map(storable) else { return };
    *value = Some(changed);
}

fn metadata(metadata: &mut Metadata) {
    let is_storable = |text: &String| matches!(name(text), Cow::Borrowed(_));
    if !metadata.iter().all(|(key, value)| is_storable(key) && is_storable(value)) {
        let entries = std::mem::take(metadata).into_iter();
        *metadata = entries.map(|(key, value)| (name(&key).into_owned(), name(&value).into_owned())).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_changed_only_if_it_cannot_be_stored() {
        assert!(matches!(name("a name"), Cow::Borrowed("a name")));
        assert_eq!(text("a\0b"), "a␀b");
        let long = "ä".repeat(2_000);
        assert!(name(&long).len() <= MAX_NAME_BYTES && name(&long).ends_with("ä…") && text(&long) == long);
        assert_eq!(name(&name(&long)), name(&long));
    }
}
