//! Typed payloads of events, borrowed from their JSON.

use serde_json::Value;

use crate::messages::Tokens;

/// The payload of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload<'a> {
    Started,
    AssistantDelta {
        text: &'a str,
    },
    ThinkingDelta {
        text: &'a str,
    },
    AssistantMessage {
        text: &'a str,
        finish_reason: Option<&'a str>,
        tool_calls: Vec<Call<'a>>,
        model: Option<&'a Value>,
        /// MANTYX does not log them, but imported logs may have them.
        tokens: Option<Tokens>,
    },
    ToolCall(Call<'a>),
    ToolResult {
        id: Option<&'a str>,
        name: Option<&'a str>,
        result: CallResult<'a>,
    },
    ToolFiles {
        id: Option<&'a str>,
        name: Option<&'a str>,
        files: &'a [Value],
    },
    LocalToolCall {
        call: Call<'a>,
        kind: &'a str,
        mcp_server: Option<&'a str>,
        mcp_tool: Option<&'a str>,
        mcp_server_info: Option<&'a Value>,
        agent_card: Option<&'a Value>,
    },
    LocalToolResult {
        id: Option<&'a str>,
        name: Option<&'a str>,
        result: CallResult<'a>,
        files: &'a [Value],
    },
    LoopDetected {
        consecutive_count: u64,
        hard_cutoff: bool,
        tools: Vec<&'a str>,
    },
    ToolBudgetExceeded {
        tool: &'a str,
        max_calls: u64,
        call_index: u64,
    },
    Supervisor {
        action: &'a str,
        reason: &'a str,
        redirect: Option<&'a str>,
        llm_calls: Option<u64>,
        phase: Option<&'a str>,
        model: Option<&'a Value>,
    },
    TaskPlan(PlanUpdate<'a>),
    ModelFallback {
        error_class: &'a str,
        primary: Option<&'a str>,
        fallback: Option<&'a str>,
        model: Option<&'a Value>,
    },
    Message {
        role: &'a str,
        text: &'a str,
        attachments: &'a [Value],
    },
    Result {
        subtype: Option<&'a str>,
        ok: Option<bool>,
        text: &'a str,
        error: Option<&'a str>,
        plan: Option<PlanUpdate<'a>>,
    },
    Error {
        message: &'a str,
        error_class: &'a str,
        finish_reason: Option<&'a str>,
        partial_text: Option<&'a str>,
    },
    Cancelled {
        reason: Option<&'a str>,
    },
    Unknown,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    pub id: Option<&'a str>,
    pub name: &'a str,
    pub input: &'a Value,
}

/// The result of a tool. `body` is text for most tools, JSON for some.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult<'a> {
    pub ok: bool,
    pub body: &'a Value,
}

/// A plan in an event. The first version has `brief` and `steps`; the second adds an id and a revision.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanUpdate<'a> {
    pub id: Option<&'a str>,
    pub revision: Option<u64>,
    pub mode: Option<&'a str>,
    pub brief: Option<&'a str>,
    pub steps: &'a [Value],
    /// The kind of change, such as `step_completed`.
    pub transition: Option<&'a str>,
}

/// A known event whose payload does not have the documented shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub field: &'static str,
    pub expected: &'static str,
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is not {}", self.field, self.expected)
    }
}
