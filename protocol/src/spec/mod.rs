//! The settings of a spec, with the documented defaults filled in.
//!
//! A spec is the body of `POST /agent-runs`, `POST /agent-sessions` or `POST /agent-sessions/{id}/messages`:
//!
//! ```text
//!  who       systemPrompt, agentId, or a system message         modelId, fallbackModelId, reasoningLevel
//!  what      prompt, or messages with attachments               outputSchema, plan
//!  with      tools of seven kinds                               metadata (for finding the run again)
//!  how long  budgets, toolBudgets, loopDetection, supervisor
//! ```
//!
//! Everything here takes a spec as plain JSON, as it is stored and sent. [`validate`](crate::validate) finds
//! the errors in a spec.
//!
//! | kind of tool | who runs it | the spec holds |
//! | --- | --- | --- |
//! | `mantyx` | MANTYX | the id of a tool of the workspace |
//! | `mantyx_plugin` | MANTYX | the name of a plugin's tool |
//! | `a2a` | MANTYX | the address of a peer's agent card |
//! | `mcp` | MANTYX | the address of an MCP server; its tools are called `<name>_<tool>` |
//! | `local` | the caller | a name and schemas |
//! | `a2a_local` | the caller | the peer's agent card itself |
//! | `mcp_local` | the caller | the server's list of tools itself, under their own names |

mod defaults;
mod planning;
mod supervision;

pub(crate) use defaults::{DEFAULT_LOCAL_TOOL_TIMEOUT_MS, DEFAULT_LOOP_THRESHOLDS};
pub use defaults::{
    DEFAULT_TOOL_BUDGETS, LoopThresholds, local_tool_timeout_ms, loop_thresholds, max_tool_turns, prompt_text,
    reasoning_level, tool_budgets,
};
pub use planning::{PlanMode, Planning, planning};
pub use supervision::{ReasoningTrigger, Supervision, supervision};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{any_json, odd_spec};

    proptest! {
        #[test]
        fn no_spec_makes_a_reader_panic(spec in prop_oneof![odd_spec(), any_json()]) {
            let _ = (loop_thresholds(&spec), tool_budgets(&spec), max_tool_turns(&spec), local_tool_timeout_ms(&spec));
            let _ = (reasoning_level(&spec), prompt_text(&spec), supervision(&spec), planning(&spec));
        }
    }
}
