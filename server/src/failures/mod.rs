//! Failure groups of a workspace: lists, one group, and changes by people. Pages and the JSON API use this module.

mod range;

use std::cmp::Reverse;

use app::AppError;
use domain::{AuditAction, FailureChange, FailureCounts, FailureGroup, FailureGroups, FailureSort, FailureState};

use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mirror::Freshness;
use crate::state::AppState;
use crate::store::{MAX_GROUPS, TaggedGroup};

pub use range::TimeRange;

/// Groups of a page.
pub const PAGE_SIZE: u32 = 50;
const MAX_PAGE_SIZE: u32 = 200;
const MAX_NOTE_CHARS: usize = 2_000;
/// Newest runs whose values are counted: for each group of a list, and for a group alone.
const LIST_SAMPLE: u32 = 60;
const GROUP_SAMPLE: u32 = 1_000;

/// The part of the list that is asked for.
#[derive(Clone, Debug, Default)]
pub struct ListQuery {
    /// `None` for all states.
    pub state: Option<FailureState>,
    pub range: TimeRange,
    pub sort: FailureSort,
    pub cursor: Option<String>,
    pub limit: u32,
}

/// A page of groups that have runs in the time range. The first page is synced with MANTYX first.
pub async fn list(state: &AppState, caller: &Caller, query: &ListQuery) -> Result<(FailureGroups, Freshness), Error> {
    let freshness = match query.cursor {
        None => state.mirror.sync_newest(state, caller).await?,
        Some(_) => Freshness::Fresh,
    };
    let span = query.range.span(now_ms())?;
    let (mut found, may_be_more) = state.store.failure_groups(caller.workspace_id, span).await?;
    let mut counts = FailureCounts::default();
    found.iter().for_each(|found| counts.add(found.group.state));
    found.retain(|found| query.state.is_none_or(|state| state == found.group.state));
    found.sort_by_cached_key(|found| position(query.sort, &found.group));
    if let Some(cursor) = &query.cursor {
        let after = parse_cursor(cursor)?;
        found.retain(|found| position(query.sort, &found.group) > after);
    }
    let limit = query.limit.clamp(1, MAX_PAGE_SIZE) as usize;
    let more = found.len() > limit;
    found.truncate(limit);
    state.store.add_affected(caller.workspace_id, &mut found, span, LIST_SAMPLE).await?;
    let last = found.last().filter(|_| more).map(|last| position(query.sort, &last.group));
    let next_cursor = last.map(|(Reverse(value), id)| format!("{value}.{id}"));
    let counted_newest = may_be_more.then_some(u64::from(MAX_GROUPS));
    let groups = found.into_iter().map(|found| found.group).collect();
    Ok((FailureGroups { groups, next_cursor, counts, counted_newest }, freshness))
}

/// A group with the values that its newest runs in the time range have.
pub async fn find(state: &AppState, caller: &Caller, id: &str, range: &TimeRange) -> Result<FailureGroup, Error> {
    let span = range.span(now_ms())?;
    let found = state.store.failure_group(caller.workspace_id, id, span).await?;
    let mut found: Vec<TaggedGroup> = found.into_iter().collect();
    state.store.add_affected(caller.workspace_id, &mut found, span, GROUP_SAMPLE).await?;
    found.pop().map(|found| found.group).ok_or_else(|| AppError::not_found("failure group").into())
}

/// Sets the state or the note of a group. What is so already gets no entry in the audit log.
pub async fn change(state: &AppState, caller: &Caller, id: &str, change: FailureChange) -> Result<FailureGroup, Error> {
    let note = change.note.as_deref().map(valid_note).transpose()?;
    let current = find(state, caller, id, &TimeRange::default()).await?;
    let replaces = change.replaces_note_at_ms.unwrap_or_else(|| note_time(&current));
    if replaces != note_time(&current) {
        return Err(note_conflict());
    }
    if let Some(new) = change.state {
        let action = match new {
            FailureState::Open => AuditAction::ReopenFailureGroup,
            FailureState::Resolved => AuditAction::ResolveFailureGroup,
            FailureState::Muted => AuditAction::MuteFailureGroup,
        };
        let entry = caller.actor.entry(action).about(id);
        state.store.set_failure_state(caller.workspace_id, id, new, &entry).await?;
    }
    if let Some(note) = note {
        let entry = caller.actor.entry(AuditAction::ChangeFailureNote).about(id);
        let note = Some(note).filter(|note| !note.is_empty());
        let is_saved = state.store.set_failure_note(caller.workspace_id, id, note, replaces, &entry).await?;
        if !is_saved && note != current.note.as_ref().map(|note| note.text.as_str()) {
            return Err(note_conflict());
        }
    }
    find(state, caller, id, &TimeRange::default()).await
}

/// The time of a group's note, 0 without one.
fn note_time(group: &FailureGroup) -> i64 {
    group.note.as_ref().map_or(0, |note| note.at_ms)
}

fn note_conflict() -> Error {
    let message = "Someone else changed the note in the meantime. Read it, then save yours again.";
    AppError::Conflict { message: message.to_owned() }.into()
}

/// The place in the list: the value that it is sorted by, then the id.
fn position(sort: FailureSort, group: &FailureGroup) -> (Reverse<i64>, String) {
    let value = match sort {
        FailureSort::Runs => i64::try_from(group.runs).ok(),
        FailureSort::LastSeen => group.last_seen_at_ms,
        FailureSort::FirstSeen => group.first_seen_at_ms,
    };
    (Reverse(value.unwrap_or(0)), group.id.clone())
}

fn parse_cursor(text: &str) -> Result<(Reverse<i64>, String), Error> {
    let parsed = text.split_once('.').and_then(|(value, id)| Some((Reverse(value.parse().ok()?), id.to_owned())));
    let message = "This page of the list no longer exists. Go back to the first page.";
    parsed.ok_or_else(|| AppError::Invalid { field: "cursor".to_owned(), message: message.to_owned() }.into())
}

fn valid_note(note: &str) -> Result<&str, Error> {
    let invalid = |message: String| AppError::Invalid { field: "note".to_owned(), message }.into();
    let note = note.trim();
    if note.chars().count() > MAX_NOTE_CHARS {
        return Err(invalid(format!("A note can have up to {MAX_NOTE_CHARS} characters. Shorten it.")));
    }
    if note.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return Err(invalid("A note can't contain control characters. Remove them.".to_owned()));
    }
    Ok(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_to_the_groups_after_it() {
        let group = |id: &str, runs| FailureGroup { id: id.to_owned(), runs, ..FailureGroup::default() };
        let at = |id: &str, runs| position(FailureSort::Runs, &group(id, runs));
        assert!(at("a", 9) < at("a", 3) && at("a", 3) < at("b", 3));
        assert_eq!(parse_cursor("3.failed-0.1").ok(), Some(at("failed-0.1", 3)));
        for invalid in ["", "3", "x.a"] {
            assert!(parse_cursor(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn notes_are_short_texts() {
        assert_eq!(valid_note(" since the deploy\nask Kim ").ok(), Some("since the deploy\nask Kim"));
        assert!(valid_note(&"x".repeat(MAX_NOTE_CHARS + 1)).is_err() && valid_note("\u{7}").is_err());
    }
}
