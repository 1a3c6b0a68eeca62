//! Applies one event to a timeline.

use std::sync::Arc;

use serde_json::Value;

use super::failure::MAX_TOOL_TURNS;
use super::outcome::{self, model_name};
use super::{CallKind, Entry, EventGroup, Moment, Note, NoteKind, Plan, Timeline, Turn, batch};
use crate::event::{Event, Payload, PlanUpdate};

impl Timeline {
    /// Applies one event. Returns `false` if it was applied before.
    pub fn apply(&mut self, event: &Event) -> bool {
        if !self.integrity.admit(event.seq) {
            return false;
        }
        if self.outcome.is_some() {
            self.integrity.after_end += 1;
            self.note(event.seq, NoteKind::AfterEnd { event: event.kind.clone() });
        } else {
            match event.payload() {
                Ok(payload) => self.fold(event, payload),
                Err(malformed) => {
                    self.integrity.malformed += 1;
                    let reason = malformed.to_string();
                    self.note(event.seq, NoteKind::Malformed { event: event.kind.clone(), reason });
                    if event.kind == "assistant_message" {
                        self.turn_open = false;
                    }
                }
            }
        }
        self.list_event(event);
        true
    }

    fn fold(&mut self, event: &Event, payload: Payload<'_>) {
        let seq = event.seq;
        match payload {
            Payload::Started => {}
            Payload::AssistantDelta { text } => {
                self.totals.text_chars += char_count(text);
                let turn = self.model_turn(seq);
                turn.text_seq.get_or_insert(seq);
                turn.text.push_str(text);
            }
            Payload::ThinkingDelta { text } => {
                self.totals.thinking_chars += char_count(text);
                let turn = self.model_turn(seq);
                turn.thinking_seq.get_or_insert(seq);
                turn.thinking.push_str(text);
            }
            Payload::AssistantMessage { text, finish_reason, tool_calls, model, tokens } => {
                let turn = self.model_turn(seq);
                let streamed = char_count(&turn.text);
                turn.text = text.to_owned();
                turn.text_seq = turn.text_seq.or_else(|| (!text.is_empty()).then_some(seq));
                turn.message_seq = Some(seq);
                turn.finish_reason = finish_reason.map(Into::into);
                turn.model = model.and_then(model_name);
                turn.tokens = tokens;
                self.totals.text_chars = self.totals.text_chars - streamed + char_count(text);
                for call in tool_calls {
                    self.announce_call(seq, &call);
                }
                self.turn_open = false;
                self.compare_batch();
            }
            Payload::ToolCall(call) => self.make_call(seq, &call, CallKind::Server),
            Payload::LocalToolCall { call, kind, mcp_server, mcp_tool, mcp_server_info, agent_card } => {
                let kind = match kind {
                    "a2a_local" => CallKind::a2a(agent_card),
                    "mcp_local" => CallKind::mcp(mcp_server, mcp_tool, mcp_server_info),
                    _ => CallKind::Local,
                };
                self.make_call(seq, &call, kind);
            }
            Payload::ToolResult { id, name, result } => self.answer_call(seq, id, name, result, &[]),
            Payload::LocalToolResult { id, name, result, files } => self.answer_call(seq, id, name, result, files),
            Payload::ToolFiles { id, name, files } => self.add_files(seq, id, name, files),
            Payload::LoopDetected { consecutive_count, hard_cutoff, tools } => {
                let tools = tools.into_iter().map(Into::into).collect();
                self.note(seq, NoteKind::LoopDetected { consecutive_count, hard_cutoff, tools });
                if self.turns.last().is_some_and(|turn| turn.repeats > 0) {
                    self.last_turn(seq).skipped = true;
                }
            }
            Payload::ToolBudgetExceeded { tool, max_calls, call_index } => {
                self.totals.over_budget(tool);
                self.intercept_call(tool);
                self.note(seq, NoteKind::BudgetExceeded { tool: tool.into(), max_calls, call_index });
            }
            Payload::Supervisor { action, reason, redirect, llm_calls, phase, model } => {
                let mid_turn = phase == Some("reasoning");
                self.note(
                    seq,
                    NoteKind::Supervisor {
                        action: action.into(),
                        reason: reason.into(),
                        redirect: redirect.map(Into::into),
                        llm_calls,
                        mid_turn,
                        model: model.and_then(model_name),
                    },
                );
                if mid_turn && action != "on_track" {
                    self.abort_turn(seq);
                }
            }
            Payload::TaskPlan(update) => self.apply_plan(seq, &update),
            Payload::ModelFallback { error_class, primary, fallback, model } => {
                let (primary, fallback) = (primary.map(Into::into), fallback.map(Into::into));
                let model = model.and_then(model_name);
                self.note(seq, NoteKind::ModelFallback { error_class: error_class.into(), primary, fallback, model });
            }
            Payload::Message { role, text, attachments } => {
                // A message to the model begins a turn; it does not end one.
                if self.turns.last().is_some_and(|turn| turn.has_begun()) {
                    self.turn_open = false;
                }
                self.open_turn(seq);
                let name =
                    |file: &Value| file["filename"].as_str().or(file["url"].as_str()).unwrap_or("file").to_owned();
                let attachments = attachments.iter().map(name).collect();
                self.note(seq, NoteKind::Message { role: role.into(), text: text.into(), attachments });
            }
            Payload::Result { .. } | Payload::Error { .. } | Payload::Cancelled { .. } => self.end(event, &payload),
            Payload::Unknown => {
                self.integrity.unknown += 1;
                self.note(seq, NoteKind::Unknown { event: event.kind.clone() });
            }
        }
    }

    fn end(&mut self, event: &Event, payload: &Payload<'_>) {
        if let Payload::Result { plan: Some(update), .. } = payload {
            self.update_plan(event.seq, update);
        }
        if !event.has_payload() {
            self.integrity.malformed += 1;
            let reason = "`data` is not an object".to_owned();
            self.note(event.seq, NoteKind::Malformed { event: event.kind.clone(), reason });
        }
        self.outcome = outcome::parse(event, payload).map(Arc::new);
        self.skip_calls_past_limit();
        self.totals.tokens = self.outcome.as_ref().and_then(|outcome| outcome.tokens);
        self.turn_open = false;
        self.compare_batch();
    }

    /// At the turn limit the server does not make the calls of the last turn.
    fn skip_calls_past_limit(&mut self) {
        let class = self.outcome.as_ref().and_then(|outcome| outcome.error_class.as_deref());
        let Some(last) = self.turns.last().filter(|turn| class == Some(MAX_TOOL_TURNS) && batch::has_batch(turn))
        else {
            return;
        };
        if !last.calls().any(|call| call.made) {
            self.last_turn(last.last_seq).skipped = true;
        }
    }

    fn list_event(&mut self, event: &Event) {
        let turn = self.turns.len().saturating_sub(1);
        let joined = self.events.last_mut().is_some_and(|run| run.extend(event, turn));
        if !joined {
            self.events.push(EventGroup::new(event, turn));
        }
    }

    /// Returns the turn that the model is writing. Counts it when the model begins.
    fn model_turn(&mut self, seq: u64) -> &mut Turn {
        self.open_turn(seq);
        if self.turns.last().is_some_and(|turn| !turn.has_begun()) {
            self.totals.turns += 1;
        }
        self.last_turn(seq)
    }

    /// Opens a new turn, unless the current one is open.
    fn open_turn(&mut self, seq: u64) {
        if !self.turn_open {
            self.compare_batch();
            if let Some(last) = self.turns.last().filter(|turn| batch::has_batch(turn)) {
                self.last_batch = Some(last.index);
            }
            self.turns.push(Arc::new(Turn::new(self.turns.len(), seq)));
            self.turn_open = true;
        }
    }

    /// Returns the newest turn, open or not: calls, results and notes belong to it.
    pub(super) fn last_turn(&mut self, seq: u64) -> &mut Turn {
        if self.turns.is_empty() {
            self.open_turn(seq);
        }
        let last = self.turns.len() - 1;
        let turn = Arc::make_mut(&mut self.turns[last]);
        turn.last_seq = turn.last_seq.max(seq);
        turn
    }

    /// Ends the turn without a message, after a review that interrupted the model.
    fn abort_turn(&mut self, seq: u64) {
        if self.turn_open && self.turns.last().is_some_and(|turn| turn.has_begun()) {
            self.last_turn(seq).aborted = true;
            self.turn_open = false;
        }
    }

    /// Compares the calls of the newest turn with those of the previous turn that called tools.
    fn compare_batch(&mut self) {
        let Some(last) = self.turns.last().filter(|turn| batch::has_batch(turn)) else { return };
        let before = self.last_batch.map(|before| &self.turns[before]);
        let repeats = match before {
            Some(before) if batch::same_batch(before, last) => before.repeats + 1,
            _ => 0,
        };
        // The guard reports a loop once, and skips every further repeat.
        let skips = repeats > 0 && before.is_some_and(|before| before.skipped);
        let seq = last.last_seq;
        if last.repeats != repeats || (skips && !last.skipped) {
            let turn = self.last_turn(seq);
            turn.repeats = repeats;
            turn.skipped |= skips;
        }
    }

    pub(super) fn note(&mut self, seq: u64, kind: NoteKind) {
        let turn = self.last_turn(seq);
        let note = Note::new(seq, kind);
        if let Some(Entry::Note(last)) = turn.entries.last_mut()
            && last.may_repeat()
            && last.kind == note.kind
        {
            let last = Arc::make_mut(last);
            last.times += 1;
            last.last_seq = seq;
        } else {
            turn.entries.push(Entry::Note(Arc::new(note)));
        }
    }

    fn apply_plan(&mut self, seq: u64, update: &PlanUpdate<'_>) {
        self.last_turn(seq);
        let (plan, stale) = self.update_plan(seq, update);
        self.note(seq, NoteKind::Plan { plan, transition: update.transition.map(Into::into), stale });
    }

    fn update_plan(&mut self, seq: u64, update: &PlanUpdate<'_>) -> (Arc<Plan>, bool) {
        let mut plan = Plan::parse(Moment { turn: self.turns.len().saturating_sub(1), seq }, update);
        if let Some(known) = &self.plan {
            if known.is_newer_than(&plan) {
                self.integrity.stale_plans += 1;
                return (Arc::new(plan), true);
            }
            plan.carry_over(known);
        }
        let plan = Arc::new(plan);
        self.plan = Some(plan.clone());
        (plan, false)
    }
}

fn char_count(text: &str) -> u64 {
    text.chars().count() as u64
}
