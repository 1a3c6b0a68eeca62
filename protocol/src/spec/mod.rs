//! What a run or a session is asked to do: the bodies of `POST /agent-runs`, `POST /agent-sessions` and
//! `POST /agent-sessions/{id}/messages`, with every field of the live protocol.
//!
//! ```text
//!  who       systemPrompt, agentId, or a system message         modelId, fallbackModelId, reasoningLevel
//!  what      prompt, or messages with attachments               outputSchema, plan
//!  with      tools: seven kinds of ToolRef                      metadata (for finding the run again)
//!  how long  budgets, toolBudgets, loopDetection, supervisor
//! ```
//!
//! A session has all of it but `prompt` and `messages`; a message to a session may override some of it for one run.
//! The types are [documents](crate::document): they keep whatever they are given. Whether a body may be sent is for
//! [`validate`](crate::validate) to say, and what applies where a field is absent for the functions of
//! this module: [`loop_thresholds`], [`tool_budgets`], [`max_tool_turns`], [`supervision`], [`planning`] and so on.

mod agent_card;
mod defaults;
mod input;
mod output_schema;
mod planning;
mod supervision;
mod tool_ref;

pub use agent_card::{AgentCard, Skill};
pub use defaults::{
    DEFAULT_LOCAL_TOOL_TIMEOUT_MS, DEFAULT_LOOP_THRESHOLDS, DEFAULT_MAX_TOOL_TURNS, DEFAULT_TOOL_BUDGETS,
    LoopThresholds, local_tool_timeout_ms, loop_thresholds, max_tool_turns, prompt_text, reasoning_level, tool_budgets,
};
pub use input::{Attachment, AttachmentSource, Message};
pub use output_schema::OutputSchema;
pub use planning::{PlanMode, Planning, planning};
pub use supervision::{ReasoningTrigger, Supervision, supervision};
pub use tool_ref::{
    A2aLocalTool, A2aTool, LocalTool, MantyxTool, McpLocalServer, McpServer, McpTool, PluginTool, ToolRef,
};

use serde_json::Value;

use crate::document::{document, items};

document! {
    /// `budgets`: what bounds the whole run.
    Budgets {
        /// Turns in which tools are called; 32 where it is absent.
        max_tool_turns: count = "maxToolTurns",
        /// What happens after the last of them: `finalize` makes the model write a closing turn.
        max_tool_turns_exceeded: text = "maxToolTurnsExceeded",
        /// How long a call that the caller runs may stay unanswered; 5 minutes where it is absent.
        local_tool_timeout_ms: count = "localToolTimeoutMs",
    }
}

/// The three bodies share all but their input.
macro_rules! spec_document {
    ($(#[$meta:meta])* $name:ident { $($own:tt)* }) => {
        document! {
            $(#[$meta])*
            $name {
                $($own)*
                /// A name for people to recognise the run by.
                name: text = "name",
                /// A saved agent to run instead of one that is defined here.
                agent_id: text = "agentId",
                system_prompt: text = "systemPrompt",
                model_id: text = "modelId",
                /// Takes over when the first model's provider cannot be reached.
                fallback_model_id: text = "fallbackModelId",
                /// Written by the server: the model that a session is on after a switch.
                active_model_id: text = "activeModelId",
                /// `off`, `low`, `medium`, `high`, or 0 to 100. Read it with [`reasoning_level`].
                reasoning: json = "reasoningLevel",
                budgets: object[Budgets] = "budgets",
                output_schema: object[OutputSchema] = "outputSchema",
                /// `false`, or thresholds. Read it with [`loop_thresholds`].
                loop_detection: json = "loopDetection",
                /// A limit for each named tool. Read it with [`tool_budgets`].
                tool_budgets: map = "toolBudgets",
                /// A boolean or settings. Read it with [`supervision`].
                supervisor: json = "supervisor",
                /// A boolean, a word or settings. Read it with [`planning`].
                plan: json = "plan",
                metadata: map = "metadata",
            }
        }

        impl $name {
            /// The tools that the agent may use, each read by its kind.
            pub fn tools(&self) -> impl DoubleEndedIterator<Item = ToolRef<'_>> + ExactSizeIterator {
                items(self.0.get("tools")).iter().map(ToolRef::of)
            }
        }

        impl $crate::document::Draft<$name> {
            pub fn tools(self, tools: impl IntoIterator<Item = Value>) -> Self {
                self.set("tools", tools.into_iter().collect::<Vec<_>>())
            }
        }
    };
}

spec_document! {
    /// The body of `POST /agent-runs`, and the spec of a run's snapshot.
    RunSpec {
        prompt: text = "prompt",
        messages: list[Message] = "messages",
    }
}

spec_document! {
    /// The body of `POST /agent-sessions`, and the spec of a session.
    SessionSpec {}
}

spec_document! {
    /// The body of `POST /agent-sessions/{id}/messages`. What it sets beside the input holds for this one run.
    MessageBody {
        prompt: text = "prompt",
        messages: list[Message] = "messages",
    }
}

#[cfg(test)]
mod tests;
