//! Sentences for notes and outcomes.

use std::collections::BTreeSet;

use app::model::run::Tone;
use protocol::timeline::{Ending, NoteKind, Outcome};

use super::rows::{TEXT_CHARS, head};

/// `is_explained` says that a finding has the cause: it is not repeated.
pub fn describe_outcome(outcome: &Outcome, is_explained: bool) -> (Tone, String) {
    match outcome.ending {
        Ending::Succeeded => (Tone::Success, "The run succeeded.".to_owned()),
        Ending::Failed if is_explained => (Tone::Error, "The run failed.".to_owned()),
        Ending::Failed => {
            let class = outcome.error_class.as_deref().map(|class| format!(" ({class})")).unwrap_or_default();
            (Tone::Error, format!("The run failed{class}. {}", outcome.error.as_deref().unwrap_or("")))
        }
        Ending::Cancelled => {
            let text = match outcome.reason.as_deref() {
                Some("user") => "Cancelled by user.".to_owned(),
                Some(reason) => format!("The run was cancelled. Reason: {reason}"),
                None => "The run was cancelled.".to_owned(),
            };
            (Tone::Info, text)
        }
    }
}

pub fn describe(kind: &NoteKind) -> (Tone, String) {
    match kind {
        NoteKind::LoopDetected { consecutive_count, hard_cutoff, tools } => {
            // A step may call one tool several times.
            let names: BTreeSet<&str> = tools.iter().map(String::as_str).collect();
            let were = if names.len() == 1 { "was" } else { "were" };
            let tools = names.into_iter().collect::<Vec<_>>().join(", ");
            let what = format!("{tools} {were} requested with the same arguments {consecutive_count} times in a row");
            if *hard_cutoff {
                (Tone::Error, format!("Looping — gave up: {what}. Tools are off from here."))
            } else {
                (Tone::Warning, format!("Looping — nudged: {what}. The model was asked to change course."))
            }
        }
        NoteKind::BudgetExceeded { tool, max_calls, call_index } => {
            let budget = if *max_calls == 1 { "1 call".to_owned() } else { format!("{max_calls} calls") };
            (Tone::Warning, format!("Call {call_index} of {tool} was stopped before it ran: its budget is {budget}."))
        }
        NoteKind::Supervisor { action, reason, redirect, .. } => {
            let (tone, what) = match action.as_str() {
                "on_track" => (Tone::Info, "The supervisor finds the run on track"),
                "redirect" => (Tone::Warning, "The supervisor redirected the run"),
                "finalize" => (Tone::Warning, "The supervisor asked for the final answer"),
                _ => (Tone::Info, "The supervisor reviewed the run"),
            };
            let message = redirect.as_ref().map(|redirect| format!(" It said: “{redirect}”")).unwrap_or_default();
            (tone, format!("{what}. {reason}{message}"))
        }
        NoteKind::ModelFallback { error_class, primary, fallback, model } => {
            let name = |model: &Option<String>| model.clone().unwrap_or_else(|| "another model".to_owned());
            let took_over = model.clone().unwrap_or_else(|| name(fallback));
            (Tone::Warning, format!("{} failed ({error_class}); {took_over} took over.", name(primary)))
        }
        NoteKind::Plan { plan, transition, stale } => {
            let count = format!("{} of {} steps done", plan.done(), plan.steps.len());
            let what = match (stale, transition.as_deref()) {
                (true, _) => "An outdated plan arrived late and was ignored".to_owned(),
                (false, Some(transition)) => format!("Plan: {}", transition.replace('_', " ")),
                (false, None) => "Plan".to_owned(),
            };
            (Tone::Info, format!("{what} · {count}"))
        }
        NoteKind::Files { tool, files } => {
            let names: Vec<&str> = files.iter().filter_map(|file| file.filename.as_deref()).collect();
            (Tone::Info, format!("Files from {tool}: {}", names.join(", ")))
        }
        NoteKind::Message { role, text, attachments } => {
            let with = match attachments.len() {
                0 => String::new(),
                _ => format!(" (with {})", attachments.join(", ")),
            };
            (Tone::Info, format!("{role}: {}{with}", head(text, TEXT_CHARS)))
        }
        NoteKind::EarlyResult { tool } => {
            (Tone::Info, format!("A result of {tool} arrived before its call. It is shown with the call."))
        }
        NoteKind::RepeatedResult { tool } => {
            (Tone::Warning, format!("A second result for the same call of {tool}. The first one is used."))
        }
        NoteKind::Unknown { event } => (Tone::Info, format!("An event of an unknown type: {event}")),
        NoteKind::Malformed { event, reason } => {
            (Tone::Warning, format!("This {event} event cannot be read: {reason}"))
        }
        NoteKind::AfterEnd { event } => (Tone::Warning, format!("This {event} event came after the end of the run.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_a_step_calls_twice_is_named_once() {
        let tools = ["recall", "recall", "search"].map(str::to_owned).to_vec();
        let (_, text) = describe(&NoteKind::LoopDetected { consecutive_count: 3, hard_cutoff: false, tools });
        assert!(text.starts_with("Looping — nudged: recall, search were requested"), "{text}");
    }
}
