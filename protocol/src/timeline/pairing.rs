//! Finds the call of a result: by id or, if one of the two has none, by name and order.
//!
//! This is an index over the turns. It is not part of JSON nor of equality, since it can be rebuilt: each lookup first
//! indexes the entries that are new. A lookup costs O(log n).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::append_only::TextMap;
use super::{Entry, ToolCall, Turn};

/// The position of a call: its turn, and its entry there.
pub(super) type Place = (usize, usize);

#[derive(Clone, Debug, Default)]
pub(super) struct Pairing {
    /// Entries before this position are indexed.
    next: Place,
    ids: TextMap<Place>,
    tools: BTreeMap<String, OpenCalls>,
    answered: AnsweredCalls,
}

/// The answered calls of the newest turn that has any, by tool, without those that a budget stopped.
#[derive(Clone, Debug, Default)]
struct AnsweredCalls {
    turn: usize,
    tools: BTreeMap<String, BTreeSet<usize>>,
}

/// The unanswered calls of one tool, in order: those with an id, and those without.
#[derive(Clone, Debug, Default)]
struct OpenCalls {
    with_id: BTreeSet<Place>,
    without_id: BTreeSet<Place>,
    /// Those that were announced but not made yet.
    announced: BTreeSet<Place>,
    announced_without_id: BTreeSet<Place>,
}

impl PartialEq for Pairing {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Pairing {
    /// Indexes the entries that are new.
    pub fn catch_up(&mut self, turns: &[Arc<Turn>]) {
        let (first_turn, first_entry) = self.next;
        for (turn_index, turn) in turns.iter().enumerate().skip(first_turn) {
            let skip = if turn_index == first_turn { first_entry } else { 0 };
            for (entry_index, entry) in turn.entries.iter().enumerate().skip(skip) {
                if let Entry::Call(call) = entry {
                    self.learn_id((turn_index, entry_index), call);
                    self.open_again((turn_index, entry_index), call);
                }
            }
            self.next = (turn_index, turn.entries.len());
        }
    }

    pub fn by_id(&self, id: &str) -> Option<Place> {
        self.ids.get(id)
    }

    /// Returns the first unanswered call of a tool.
    pub fn open(&self, tool: &str) -> Option<Place> {
        let open = self.tools.get(tool)?;
        [&open.with_id, &open.without_id].into_iter().filter_map(BTreeSet::first).min().copied()
    }

    /// Returns the first unanswered call of a tool without an id.
    pub fn open_without_id(&self, tool: &str) -> Option<Place> {
        self.tools.get(tool)?.without_id.first().copied()
    }

    /// Returns the first call of a tool that was announced and neither made nor answered.
    pub fn announced(&self, tool: &str) -> Option<Place> {
        self.tools.get(tool)?.announced.first().copied()
    }

    pub fn announced_without_id(&self, tool: &str) -> Option<Place> {
        self.tools.get(tool)?.announced_without_id.first().copied()
    }

    /// Returns the last call of a tool in this turn that was answered and not stopped by a budget.
    pub fn last_answered(&self, turn: usize, tool: &str) -> Option<Place> {
        let entries = self.answered.tools.get(tool).filter(|_| self.answered.turn == turn)?;
        Some((turn, *entries.last()?))
    }

    /// Indexes the id of a call. The newest call with an id counts: some servers start from 1 in every turn.
    pub fn learn_id(&mut self, place: Place, call: &ToolCall) {
        if let Some(id) = &call.id {
            self.ids.insert(id.clone(), place);
        }
    }

    /// Lists a call as open, if it has no answer. Every change of a call calls [`Self::close`] before and this after.
    pub fn open_again(&mut self, place: Place, call: &ToolCall) {
        if call.answer.is_some() {
            self.answered.list(place, call);
            return;
        }
        let open = self.tools.entry(call.name.clone()).or_default();
        let of_kind = if call.id.is_some() { &mut open.with_id } else { &mut open.without_id };
        of_kind.insert(place);
        if !call.made {
            open.announced.insert(place);
            if call.id.is_none() {
                open.announced_without_id.insert(place);
            }
        }
    }

    pub fn close(&mut self, place: Place, call: &ToolCall) {
        self.answered.forget(place, call);
        let Some(open) = self.tools.get_mut(&call.name) else { return };
        for places in [&mut open.with_id, &mut open.without_id, &mut open.announced, &mut open.announced_without_id] {
            places.remove(&place);
        }
        if open.with_id.is_empty() && open.without_id.is_empty() {
            self.tools.remove(&call.name);
        }
    }
}

impl AnsweredCalls {
    fn list(&mut self, (turn, entry): Place, call: &ToolCall) {
        if turn > self.turn {
            *self = Self { turn, ..Self::default() };
        }
        if turn == self.turn && !call.intercepted {
            self.tools.entry(call.name.clone()).or_default().insert(entry);
        }
    }

    fn forget(&mut self, (turn, entry): Place, call: &ToolCall) {
        if turn == self.turn
            && let Some(entries) = self.tools.get_mut(&call.name)
        {
            entries.remove(&entry);
        }
    }
}
