//! Adds calls, results and files to a timeline. [`super::pairing`] finds the call that each belongs to.

use std::sync::Arc;

use serde_json::Value;

use super::pairing::Place;
use super::{CallAnswer, CallKind, Entry, Note, NoteKind, Timeline, ToolCall, ToolFile};
use crate::event::{Call, CallResult};

impl Timeline {
    pub(super) fn announce_call(&mut self, seq: u64, call: &Call<'_>) {
        self.add_call(seq, ToolCall::announced(seq, call));
    }

    /// Records a call, announced by the turn's message or not.
    pub(super) fn make_call(&mut self, seq: u64, call: &Call<'_>, kind: CallKind) {
        self.last_turn(seq);
        self.pairing.catch_up(&self.turns);
        let place = match call.id {
            Some(id) => match self.pairing.by_id(id).and_then(|place| Some((place, self.call(place)?))) {
                // Announced and perhaps answered already, or logged twice before its answer.
                Some((place, known)) if !known.is_orphan_result() && !known.is_complete() => Some(place),
                Some(_) => None,
                None => self.pairing.announced_without_id(call.name),
            },
            None => self.pairing.announced(call.name),
        };
        let Some(place) = place else {
            self.add_call(seq, ToolCall::made(seq, call, kind));
            return;
        };
        self.change_call(place, |known| {
            if known.made {
                return;
            }
            (known.kind, known.seq, known.made) = (kind, seq, true);
            known.id = known.id.take().or_else(|| call.id.map(Into::into));
            if !call.input.is_null() {
                known.input = call.input.clone();
            }
        });
    }

    /// Adds a call to the newest turn. If its answer came before it, the answer moves there.
    fn add_call(&mut self, seq: u64, mut call: ToolCall) {
        self.pairing.catch_up(&self.turns);
        let early = call.id.as_deref().and_then(|id| self.pairing.by_id(id));
        if let Some(place) = early
            && let Some(unseen) = self.call(place).filter(|known| known.is_orphan_result()).cloned()
        {
            let ok = !unseen.failed();
            self.totals.forget(&unseen.name, ok);
            self.totals.answer(&call.name, ok);
            self.integrity.orphan_results -= 1;
            let note = Note::new(unseen.seq, NoteKind::EarlyResult { tool: call.name.clone() });
            Arc::make_mut(&mut self.turns[place.0]).entries[place.1] = Entry::Note(Arc::new(note));
            (call.answer, call.files) = (unseen.answer, unseen.files);
        }
        self.totals.call(&call.name);
        self.last_turn(seq).entries.push(Entry::Call(Arc::new(call)));
    }

    pub(super) fn answer_call(
        &mut self,
        seq: u64,
        id: Option<&str>,
        name: Option<&str>,
        result: CallResult<'_>,
        files: &[Value],
    ) {
        self.last_turn(seq);
        self.pairing.catch_up(&self.turns);
        let by_id = id.and_then(|id| self.pairing.by_id(id)).filter(|place| self.call(*place).is_some());
        let place = match (by_id, name) {
            (Some(place), _) => Some(place),
            (None, Some(name)) if id.is_some() => self.pairing.open_without_id(name),
            (None, Some(name)) => self.pairing.open(name),
            (None, None) => None,
        };
        let answer = CallAnswer::new(seq, result);
        let mut files: Vec<ToolFile> = files.iter().map(|file| ToolFile::parse(seq, file)).collect();
        self.totals.files += files.len() as u64;
        let Some(place) = place else {
            self.integrity.orphan_results += 1;
            let name = name.or(id).unwrap_or("unknown");
            self.totals.call(name);
            self.totals.answer(name, answer.ok);
            let call = ToolCall { files, ..ToolCall::orphan_result(id, name, answer) };
            self.last_turn(seq).entries.push(Entry::Call(Arc::new(call)));
            return;
        };
        let Some((tool, answered)) = self.call(place).map(|call| (call.name.clone(), call.answer.is_some())) else {
            return;
        };
        if answered {
            self.integrity.repeated_results += 1;
            self.note(seq, NoteKind::RepeatedResult { tool });
            return;
        }
        files.splice(0..0, self.misassigned_files(&tool, place));
        self.totals.answer(&tool, answer.ok);
        self.change_call(place, |call| {
            call.id = call.id.take().or_else(|| id.map(Into::into));
            call.answer = Some(answer);
            call.files.append(&mut files);
        });
    }

    /// Takes the files back that were added to the wrong call. Files come before their result and name only the tool, so
    /// they are first added to its first unanswered call. If another call is answered next, they belong to that one.
    fn misassigned_files(&mut self, tool: &str, answered: Place) -> Vec<ToolFile> {
        match self.pairing.open(tool) {
            Some(first) if first != answered && self.call(first).is_some_and(|call| !call.files.is_empty()) => {
                let mut files = Vec::new();
                self.change_call(first, |call| files = std::mem::take(&mut call.files));
                files
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn add_files(&mut self, seq: u64, id: Option<&str>, name: Option<&str>, files: &[Value]) {
        self.last_turn(seq);
        self.pairing.catch_up(&self.turns);
        self.totals.files += files.len() as u64;
        let mut files: Vec<ToolFile> = files.iter().map(|file| ToolFile::parse(seq, file)).collect();
        let by_id = id.and_then(|id| self.pairing.by_id(id)).filter(|place| self.call(*place).is_some());
        match by_id.or_else(|| self.pairing.open(name?)) {
            Some(place) => self.change_call(place, |call| call.files.append(&mut files)),
            None => self.note(seq, NoteKind::Files { tool: name.or(id).unwrap_or("").to_owned(), files }),
        }
    }

    /// Marks a call that its budget stopped. The event names the tool, not the call, and follows the synthetic answer.
    /// Calls over a budget are the last of their turn, so it is the last answered call that is not marked yet.
    pub(super) fn intercept_call(&mut self, tool: &str) {
        self.pairing.catch_up(&self.turns);
        let turn = self.turns.len().checked_sub(1);
        if let Some(place) = turn.and_then(|turn| self.pairing.last_answered(turn, tool)) {
            self.change_call(place, |call| call.intercepted = true);
        }
    }

    fn call(&self, (turn, entry): Place) -> Option<&ToolCall> {
        self.turns.get(turn)?.entries.get(entry)?.as_call()
    }

    /// Changes a call and keeps the index up to date. Every change goes through here.
    fn change_call(&mut self, place: Place, change: impl FnOnce(&mut ToolCall)) {
        let Some(turn) = self.turns.get_mut(place.0) else { return };
        if let Some(Entry::Call(call)) = Arc::make_mut(turn).entries.get_mut(place.1) {
            let call = Arc::make_mut(call);
            self.pairing.close(place, call);
            let had_id = call.id.is_some();
            change(call);
            self.pairing.open_again(place, call);
            if !had_id {
                self.pairing.learn_id(place, call);
            }
        }
    }
}
