//! The totals of a run, counted while its log is applied.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ToolCall;
use crate::messages::Tokens;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Turns in which the model wrote, thought or called.
    pub turns: u64,
    pub calls: u64,
    /// Calls with an answer, including errors.
    pub answered: u64,
    /// Calls whose answer was an error.
    pub failed: u64,
    /// Calls that were requested but not made. Only [`super::Timeline::made_totals`] counts them apart from `calls`.
    #[serde(default)]
    pub skipped: u64,
    /// Characters of thinking and of text, over all turns.
    pub thinking_chars: u64,
    pub text_chars: u64,
    pub files: u64,
    /// From the last event. `None` before the end, and for servers that do not count tokens.
    pub tokens: Option<Tokens>,
    pub tools: BTreeMap<String, ToolTotals>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolTotals {
    pub calls: u64,
    pub answered: u64,
    pub failed: u64,
    #[serde(default)]
    pub skipped: u64,
    /// Calls that its budget stopped, as the server reported.
    pub over_budget: u64,
}

impl Totals {
    /// Returns the number of calls without an answer.
    pub(super) fn unanswered(&self) -> u64 {
        self.calls.saturating_sub(self.answered)
    }

    pub(super) fn call(&mut self, tool: &str) {
        self.calls += 1;
        self.tool(tool).calls += 1;
    }

    pub(super) fn answer(&mut self, tool: &str, ok: bool) {
        let failed = u64::from(!ok);
        self.answered += 1;
        self.failed += failed;
        let of_tool = self.tool(tool);
        of_tool.answered += 1;
        of_tool.failed += failed;
    }

    /// Subtracts an orphan result, whose call has come.
    pub(super) fn forget(&mut self, tool: &str, ok: bool) {
        let failed = u64::from(!ok);
        self.calls -= 1;
        self.answered -= 1;
        self.failed -= failed;
        let of_tool = self.tool(tool);
        of_tool.calls -= 1;
        of_tool.answered -= 1;
        of_tool.failed -= failed;
        if *of_tool == ToolTotals::default() {
            self.tools.remove(tool);
        }
    }

    /// Subtracts a call that was skipped.
    pub(super) fn skip(&mut self, call: &ToolCall) {
        let (answered, failed) = (u64::from(call.answer.is_some()), u64::from(call.failed()));
        self.calls -= 1;
        self.answered -= answered;
        self.failed -= failed;
        self.skipped += 1;
        let of_tool = self.tool(&call.name);
        of_tool.calls -= 1;
        of_tool.answered -= answered;
        of_tool.failed -= failed;
        of_tool.skipped += 1;
    }

    pub(super) fn over_budget(&mut self, tool: &str) {
        self.tool(tool).over_budget += 1;
    }

    fn tool(&mut self, name: &str) -> &mut ToolTotals {
        self.tools.entry(name.to_owned()).or_default()
    }
}
