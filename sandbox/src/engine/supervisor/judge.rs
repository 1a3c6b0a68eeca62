//! Verdicts by a judge model.

use protocol::json::preview;
use serde_json::{Value, json};

use super::{Action, Verdict};
use crate::engine::run_loop::{Ending, Run};
use crate::models::Model;
use crate::provider::Message;

const INSTRUCTIONS: &str = "You supervise an agent. Read what it has done and give a verdict. Choose on_track unless it \
                            repeats itself, drifts from the task or cannot get further. Choose redirect to tell it in one \
                            or two sentences what to do instead. Choose finalize when it has enough to answer.";

impl Run {
    /// Asks the judge about the run, or about the current reasoning. If the judge fails, the run continues.
    pub(super) async fn ask_judge(&self, judge: &Model, thinking: Option<&str>) -> Result<Verdict, Ending> {
        let mut transcript: String = self.messages.iter().map(line).collect();
        if let Some(thinking) = thinking {
            transcript += &format!("agent is thinking: {thinking}\n");
        }
        let messages = [Message::System(INSTRUCTIONS.to_owned()), Message::user(transcript)];
        let schema = json!({ "name": "verdict", "schema": {
            "type": "object", "additionalProperties": false, "required": ["action", "reason", "redirect"],
            "properties": { "action": { "enum": ["on_track", "redirect", "finalize"] },
                "reason": { "type": "string" }, "redirect": { "type": ["string", "null"] } },
        } });
        Ok(match self.query_model(judge, &messages, &schema).await? {
            Ok(answer) => read(&answer),
            Err(error) => on_track(format!("The judge did not answer: {}", error.message)),
        })
    }
}

fn read(answer: &str) -> Verdict {
    let verdict: Value = serde_json::from_str(answer).unwrap_or_default();
    let reason = verdict["reason"].as_str().unwrap_or("No reason was given.").to_owned();
    match (verdict["action"].as_str(), verdict["redirect"].as_str()) {
        (Some("on_track"), _) => on_track(reason),
        (Some("finalize"), _) => Verdict { action: Action::Finalize, reason },
        (Some("redirect"), Some(redirect)) => Verdict { action: Action::Redirect(redirect.to_owned()), reason },
        _ => on_track("The judge's answer could not be read.".to_owned()),
    }
}

fn on_track(reason: String) -> Verdict {
    Verdict { action: Action::OnTrack, reason }
}

fn line(message: &Message) -> String {
    match message {
        Message::System(text) => format!("system: {text}\n"),
        Message::User { text, .. } => format!("user: {text}\n"),
        Message::Steering(text) => format!("guard: {text}\n"),
        Message::Assistant { text, calls } => {
            let calls: String =
                calls.iter().map(|call| format!("agent calls {} {}\n", call.name, call.input)).collect();
            if text.is_empty() { calls } else { format!("agent: {text}\n{calls}") }
        }
        Message::ToolResult { name, ok, text, .. } => {
            format!("{name} {}: {}\n", if *ok { "answers" } else { "fails" }, preview(text, 2000))
        }
    }
}
