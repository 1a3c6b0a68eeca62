//! The main loop of a run, from its first turn to its last event.
//!
//! ```text
//!   turn ──text──▶ ending
//!    ▲  └─calls─▶ loop guard ─▶ budgets ─▶ answers ─▶ supervisor ─┐
//!    └────────────────────────────────────────────────────────────┘
//! ```

use std::sync::Arc;

use protocol::messages::Tokens;
use protocol::spec;
use reqwest::Client;
use serde_json::Value;

use super::guards::{LoopGuard, ToolBudgets};
use super::log::Log;
use super::plan::Planning;
use super::structured_output::SchemaUse;
use super::supervisor::Supervisor;
use super::toolbox::Toolbox;
use super::turn::TurnOutcome;
use super::{ChosenModels, Launch, conversation};
use crate::clock::Clock;
use crate::live::{LiveRun, StopReason};
use crate::models::Model;
use crate::provider::{FinishReason, Message, Pace, ProviderError, ToolCall};
use crate::store::{NewMessage, NewRetained};

pub struct Run {
    pub(super) log: Log,
    pub(super) live: Arc<LiveRun>,
    pub(super) clock: Clock,
    pub(super) pace: Pace,
    pub(super) http: Client,
    pub(super) spec: Value,
    /// The model in use: the first one, or the fallback.
    pub(super) model: Arc<Model>,
    /// `None` once it is in use.
    pub(super) fallback: Option<Arc<Model>>,
    pub(super) switched: bool,
    pub(super) toolbox: Toolbox,
    pub(super) messages: Vec<Message>,
    pub(super) loop_guard: LoopGuard,
    pub(super) budgets: ToolBudgets,
    pub(super) supervisor: Option<Supervisor>,
    pub(super) planning: Option<Planning>,
    pub(super) schema: SchemaUse,
    /// Model invocations, including failed ones.
    pub(super) turns: u64,
    /// Turns with an `assistant_message`.
    pub(super) closed_turns: u64,
    /// Turns of a simulated model without one. Its script continues after them.
    pub(super) abandoned_turns: usize,
    pub(super) tokens: Tokens,
    pub(super) tool_calls: u64,
    /// Messages of the user that the session keeps.
    pub(super) session_messages: Vec<NewMessage>,
    /// Results for later runs of the session.
    pub(super) retained: Vec<NewRetained>,
    pub(super) in_session: bool,
    pub(super) short_id: String,
}

/// The reason why a run ended.
pub(super) enum Ending {
    Answered {
        text: String,
    },
    /// The run was `planOnly`. `None` if the planner found that no plan is needed.
    Planned {
        plan: Option<Value>,
        text: String,
    },
    Truncated {
        text: String,
    },
    Refused {
        text: String,
    },
    ProviderFailed {
        error: ProviderError,
        text: String,
    },
    SchemaNotSupported {
        why: &'static str,
    },
    LocalToolTimedOut {
        tools: String,
        timeout_ms: u64,
    },
    OutOfToolTurns {
        max: u64,
        text: String,
    },
    Stopped(StopReason),
}

pub(super) enum AfterTools {
    NextTurn,
    Finalise,
}

impl Run {
    pub(super) fn new(launch: Launch, spec: Value, log: Log, live: Arc<LiveRun>, http: Client) -> Self {
        let ChosenModels { first, fallback, judge } = launch.models;
        let short_id = launch.run_id.trim_start_matches("run_").get(..8).unwrap_or("run").to_owned();
        Self {
            log,
            live,
            clock: launch.clock,
            pace: launch.pace,
            http,
            model: first,
            fallback,
            switched: false,
            toolbox: Toolbox::default(),
            messages: conversation::initial_messages(&spec, launch.history),
            loop_guard: LoopGuard::new(&spec),
            budgets: ToolBudgets::new(&spec),
            supervisor: Supervisor::new(&spec, judge),
            planning: Planning::new(&spec, format!("plan_{short_id}")),
            schema: SchemaUse::new(&spec),
            turns: 0,
            closed_turns: 0,
            abandoned_turns: 0,
            tokens: Tokens::default(),
            tool_calls: 0,
            session_messages: conversation::session_messages(&spec),
            retained: Vec::new(),
            in_session: launch.session_id.is_some(),
            short_id,
            spec,
        }
    }

    pub async fn execute(mut self) {
        let ending = self.perform().await.unwrap_or_else(|ending| ending);
        self.end(ending).await;
    }

    async fn perform(&mut self) -> Result<Ending, Ending> {
        self.schema.check_support(&self.model)?;
        if self.planning.as_ref().is_some_and(Planning::is_plan_only) {
            self.schema.check_plan_only()?;
            return self.plan_only().await;
        }
        self.open_toolbox().await?;
        self.announce_given_plan().await;
        self.take_turns().await
    }

    async fn open_toolbox(&mut self) -> Result<(), Ending> {
        let live = self.live.clone();
        let mut toolbox = tokio::select! {
            biased;
            reason = live.stopped() => return Err(Ending::Stopped(reason)),
            toolbox = Toolbox::open(&self.spec, &self.http) => toolbox,
        };
        if self.planning.is_some() {
            toolbox.add_plan_tool();
        }
        self.toolbox = toolbox;
        Ok(())
    }

    async fn take_turns(&mut self) -> Result<Ending, Ending> {
        let max_tool_turns = spec::max_tool_turns(&self.spec);
        let mut tool_turns = 0;
        let mut tools_enabled = true;
        loop {
            let turn = match self.take_turn(tools_enabled).await? {
                TurnOutcome::Completed(turn) => turn,
                TurnOutcome::Steered { finalise } => {
                    tools_enabled &= !finalise;
                    continue;
                }
            };
            match turn.reason {
                FinishReason::MaxTokens => return Ok(Ending::Truncated { text: turn.text }),
                FinishReason::Refusal => return Ok(Ending::Refused { text: turn.text }),
                FinishReason::ToolUse if tools_enabled && !turn.calls.is_empty() => {
                    if tool_turns == max_tool_turns {
                        self.out_of_tool_turns(&turn.calls, max_tool_turns, turn.text).await?;
                        tools_enabled = false;
                        continue;
                    }
                    tool_turns += 1;
                    let after = match self.use_tools(turn.calls).await? {
                        AfterTools::NextTurn => self.review_after_tools().await?,
                        AfterTools::Finalise => AfterTools::Finalise,
                    };
                    tools_enabled = matches!(after, AfterTools::NextTurn);
                }
                _ if tools_enabled && self.hold_back_answer() => {}
                _ => return Ok(Ending::Answered { text: turn.text }),
            }
        }
    }

    /// Ends the run, unless the spec asks for a final answer.
    async fn out_of_tool_turns(&mut self, calls: &[ToolCall], max: u64, text: String) -> Result<(), Ending> {
        self.skip_calls(calls, "Skipped: this run may not use tools any more.").await;
        if self.spec["budgets"]["maxToolTurnsExceeded"] != "finalize" {
            return Err(Ending::OutOfToolTurns { max, text });
        }
        let order = "You may not use tools any more. Give your final answer from what you have.";
        self.messages.push(Message::Steering(order.to_owned()));
        Ok(())
    }
}
