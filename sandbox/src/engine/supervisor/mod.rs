//! The run's supervisor: reviews what the model does and may redirect it or have it finish.
//!
//! A judge that understands instructions (`openai/…`) is asked for its verdict. The sandbox's own models do not, so for
//! them the verdict follows from rules on what is in the log; nothing is scripted.

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
    /// Invocations between two reviews.
    interval: u64,
    trigger: Option<ReasoningTrigger>,
    judge: Arc<Model>,
    reviewed_turns: u64,
    /// Where in the conversation the last review ended.
    reviewed_messages: usize,
    /// Whether the last review had to redirect.
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
    /// What the model is told.
    Redirect(String),
    Finalize,
}

/// Thinking without a word in between.
pub struct ReasoningSpan {
    text: String,
    /// Where the part begins that no review has seen.
    unreviewed_chars: u64,
    since: DateTime<Utc>,
}

impl Supervisor {
    /// `None` unless the spec switches it on.
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

    /// The model has begun to answer.
    pub fn end(&mut self) {
        self.unreviewed_chars = 0;
    }

    fn is_long(&self, trigger: ReasoningTrigger, now: DateTime<Utc>) -> bool {
        let ms = (now - self.since).num_milliseconds().max(0) as u64;
        self.unreviewed_chars > 0 && (self.unreviewed_chars >= trigger.chars || ms >= trigger.ms)
    }
}

impl Run {
    /// The review that is due after every few invocations, when tools were used.
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

    /// The review of a long span of thinking. `Some` when the turn must stop here: whether the next one is the last.
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
        // The invocation that is under way has not been completed.
        let finalise = self.apply(verdict, "reasoning", self.turns - 1).await;
        Ok((!on_track).then_some(finalise))
    }

    /// Carries a verdict out, then writes it down. True when the next turn must be the last.
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
