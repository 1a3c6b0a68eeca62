//! The supervisor of a run: reviews the model, and may redirect it or make it finish.
//!
//! A judge model that follows instructions (`openai/…`) gives the verdict. The sandbox's own models cannot, so rules on
//! the log replace them.

mod judge;
mod rules;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use protocol::spec::{ReasoningTrigger, supervision};
use serde_json::{Value, json};

use super::run_loop::{AfterTools, Ending, Run};
use crate::clock::Clock;
use crate::models::Model;
use crate::provider::Message;

pub struct Supervisor {
    /// Model invocations between two reviews.
    interval: u64,
    trigger: Option<ReasoningTrigger>,
    judge: Arc<Model>,
    reviewed_turns: u64,
    /// Number of messages at the last review.
    reviewed_messages: usize,
    /// The last review redirected the model.
    redirected: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub action: Action,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    OnTrack,
    /// Has the instruction for the model.
    Redirect(String),
    Finalize,
}

/// Uninterrupted reasoning of the model.
pub struct ReasoningSpan {
    text: String,
    /// Start of the part that no review has seen.
    unreviewed_chars: u64,
    since: DateTime<Utc>,
}

impl Supervisor {
    /// `None` unless the spec enables it.
    pub fn new(spec: &Value, judge: Arc<Model>) -> Option<Self> {
        let asked = supervision(spec)?;
        let (interval, trigger) = (asked.interval, asked.reasoning_trigger);
        Some(Self { interval, trigger, judge, reviewed_turns: 0, reviewed_messages: 0, redirected: false })
    }
}

impl ReasoningSpan {
    pub fn new(clock: &Clock) -> Self {
        Self { text: String::new(), unreviewed_chars: 0, since: clock.now() }
    }

    pub fn push(&mut self, delta: &str, clock: &Clock) {
        if self.unreviewed_chars == 0 {
            self.since = clock.now();
        }
        self.text.push_str(delta);
        self.unreviewed_chars += delta.chars().count() as u64;
    }

    pub fn whole(&self) -> &str {
        &self.text
    }

    /// Ends the span: the model has begun to answer.
    pub fn end(&mut self) {
        self.unreviewed_chars = 0;
    }

    fn is_long(&self, trigger: ReasoningTrigger, now: DateTime<Utc>) -> bool {
        let ms = (now - self.since).num_milliseconds().max(0) as u64;
        self.unreviewed_chars > 0 && (self.unreviewed_chars >= trigger.chars || ms >= trigger.ms)
    }
}

impl Run {
    /// Reviews the run after tool calls, if a review is due.
    pub(super) async fn review_after_tools(&mut self) -> Result<AfterTools, Ending> {
        let Some(supervisor) = &self.supervisor else { return Ok(AfterTools::NextTurn) };
        if self.turns - supervisor.reviewed_turns < supervisor.interval {
            return Ok(AfterTools::NextTurn);
        }
        let judge = supervisor.judge.clone();
        let recent = &self.messages[supervisor.reviewed_messages.min(self.messages.len())..];
        let verdict = match judge.provider.follows_instructions() {
            true => self.ask_judge(&judge, None).await?,
            false => rules::review_turns(recent, supervisor.redirected),
        };
        let finalise = self.apply(verdict, "turn_boundary", self.turns).await;
        if let Some(supervisor) = &mut self.supervisor {
            supervisor.reviewed_turns = self.turns;
            supervisor.reviewed_messages = self.messages.len();
        }
        Ok(if finalise { AfterTools::Finalise } else { AfterTools::NextTurn })
    }

    /// Reviews long reasoning. `Some` stops the turn; `Some(true)` also makes the next turn the last.
    pub(super) async fn review_reasoning(&mut self, span: &mut ReasoningSpan) -> Result<Option<bool>, Ending> {
        let Some(supervisor) = &self.supervisor else { return Ok(None) };
        if !supervisor.trigger.is_some_and(|trigger| span.is_long(trigger, self.clock.now())) {
            return Ok(None);
        }
        let judge = supervisor.judge.clone();
        let verdict = match judge.provider.follows_instructions() {
            true => self.ask_judge(&judge, Some(span.whole())).await?,
            false => rules::review_reasoning(span.whole(), supervisor.redirected),
        };
        span.end();
        let on_track = verdict.action == Action::OnTrack;
        // Without the current invocation, which is not complete.
        let finalise = self.apply(verdict, "reasoning", self.turns - 1).await;
        Ok((!on_track).then_some(finalise))
    }

    /// Applies and logs a verdict. Returns true if the next turn must be the last.
    async fn apply(&mut self, verdict: Verdict, phase: &str, llm_calls: u64) -> bool {
        let Some(supervisor) = &mut self.supervisor else { return false };
        let (action, redirect) = match &verdict.action {
            Action::OnTrack => ("on_track", None),
            Action::Redirect(redirect) => ("redirect", Some(redirect.clone())),
            Action::Finalize => ("finalize", None),
        };
        supervisor.redirected = redirect.is_some();
        let mut data = json!({ "action": action, "reason": verdict.reason });
        if let Some(redirect) = redirect {
            data["redirect"] = redirect.as_str().into();
            self.messages.push(Message::Steering(redirect));
        }
        if verdict.action == Action::Finalize {
            let order = format!("Finish now: {} Give your final answer from what you have.", verdict.reason);
            self.messages.push(Message::Steering(order));
        }
        data["llmCalls"] = llm_calls.into();
        data["phase"] = phase.into();
        data["model"] = supervisor.judge.wire(&Value::Null);
        self.log.emit("supervisor", data).await;
        verdict.action == Action::Finalize
    }
}
