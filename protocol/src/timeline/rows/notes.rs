//! The searchable parts of notes: the type of their event, and their texts.

use crate::timeline::NoteKind;

/// Returns the type of the event of a note.
pub(super) fn note_event(kind: &NoteKind) -> &str {
    match kind {
        NoteKind::LoopDetected { .. } => "loop_detected",
        NoteKind::BudgetExceeded { .. } => "tool_budget_exceeded",
        NoteKind::Supervisor { .. } => "supervisor",
        NoteKind::ModelFallback { .. } => "model_fallback",
        NoteKind::Plan { .. } => "task_plan",
        NoteKind::Files { .. } => "tool_files",
        NoteKind::Message { role, .. } if role == "user" => "user_message",
        NoteKind::Message { .. } => "message",
        NoteKind::EarlyResult { .. } | NoteKind::RepeatedResult { .. } => "tool_result",
        NoteKind::Unknown { event } | NoteKind::Malformed { event, .. } | NoteKind::AfterEnd { event } => event,
    }
}

/// Visits the texts that can be searched.
pub(super) fn note_texts(kind: &NoteKind, visit: &mut dyn FnMut(&str)) {
    match kind {
        NoteKind::LoopDetected { tools, hard_cutoff, .. } => {
            visit(if *hard_cutoff { "looping: gave up" } else { "looping: nudged" });
            tools.iter().for_each(|tool| visit(tool));
        }
        NoteKind::BudgetExceeded { tool, .. } | NoteKind::EarlyResult { tool } | NoteKind::RepeatedResult { tool } => {
            visit(tool)
        }
        NoteKind::Supervisor { reason, redirect, .. } => {
            visit(reason);
            redirect.as_deref().into_iter().for_each(visit);
        }
        NoteKind::ModelFallback { primary, fallback, model, .. } => {
            [primary, fallback, model].into_iter().flatten().for_each(|name| visit(name));
        }
        NoteKind::Plan { plan, .. } => {
            plan.brief.as_deref().into_iter().for_each(&mut *visit);
            plan.steps.iter().for_each(|step| visit(&step.title));
        }
        NoteKind::Files { tool, files } => {
            visit(tool);
            files.iter().filter_map(|file| file.filename.as_deref()).for_each(visit);
        }
        NoteKind::Message { text, .. } => visit(text),
        NoteKind::Unknown { event } | NoteKind::AfterEnd { event } => visit(event),
        NoteKind::Malformed { event, reason } => {
            visit(event);
            visit(reason);
        }
    }
}
