//! One line of a run's log: the envelope as it came, and a typed reading of it.
//!
//! An [`Event`] keeps everything it was sent, known or not, so that storing and exporting never lose a field. What the
//! reducer needs is read from it by [`Event::payload`], which borrows instead of copying: most events of a long log are
//! deltas, and they are read once.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub seq: u64,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub data: Value,
    /// Fields beside the three documented ones, kept unchanged.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Event {
    pub fn new(seq: u64, kind: impl Into<String>, data: Value) -> Self {
        Self { seq, kind: kind.into(), data, extra: Map::new() }
    }

    pub fn parse(json: &str) -> serde_json::Result<Self> {
        serde_json::from_str(json)
    }

    /// `result`, `error` and `cancelled` end a log.
    pub fn is_terminal(&self) -> bool {
        matches!(self.kind.as_str(), "result" | "error" | "cancelled")
    }

    /// What the event says, in the words of the newest document; older spellings are read too.
    pub fn payload(&self) -> Result<Payload<'_>, Malformed> {
        let data = Fields(&self.data);
        Ok(match self.kind.as_str() {
            "started" => Payload::Started,
            "assistant_delta" => Payload::AssistantDelta { text: data.text("text")? },
            "thinking_delta" => Payload::ThinkingDelta { text: data.text("text")? },
            "assistant_message" => Payload::AssistantMessage {
                text: data.text("text")?,
                finish_reason: data.opt_text("finishReason"),
                tool_calls: data.tool_calls()?,
                model: data.get("model").filter(|model| !model.is_null()),
            },
            "tool_call" => Payload::ToolCall(data.call()?),
            "tool_result" => Payload::ToolResult {
                id: data.opt_text("toolUseId"),
                name: data.opt_text("name"),
                result: data.tool_result(),
            },
            "tool_files" => Payload::ToolFiles { name: data.opt_text("name"), files: data.array("files")?.as_slice() },
            "local_tool_call" => Payload::LocalToolCall {
                call: data.call()?,
                kind: data.opt_text("kind").unwrap_or("local"),
                mcp_server: data.opt_text("mcpServer"),
                agent_card: data.get("agentCard"),
            },
            "local_tool_result_in" => {
                Payload::LocalToolResult { id: data.text("toolUseId")?, result: data.local_result() }
            }
            "loop_detected" => Payload::LoopDetected {
                consecutive_count: data.number("consecutiveCount")?,
                hard_cutoff: data.get("hardCutoff").and_then(Value::as_bool).unwrap_or(false),
                tools: data.names("tools"),
            },
            "tool_budget_exceeded" => Payload::ToolBudgetExceeded {
                tool: data.text("tool")?,
                max_calls: data.number("maxCalls")?,
                call_index: data.number("callIndex")?,
            },
            "supervisor" => Payload::Supervisor {
                action: data.text("action")?,
                reason: data.opt_text("reason").unwrap_or(""),
                redirect: data.opt_text("redirect"),
            },
            "task_plan" => Payload::TaskPlan { data: &self.data },
            "model_fallback" => Payload::ModelFallback {
                error_class: data.opt_text("errorClass").unwrap_or("unknown"),
                primary: data.opt_text("primaryModelId"),
                fallback: data.opt_text("fallbackModelId"),
            },
            "user_message" | "message" => Payload::Message {
                role: data.opt_text("role").unwrap_or("user"),
                text: data.opt_text("text").unwrap_or(""),
            },
            "result" => Payload::Result {
                subtype: data.opt_text("subtype"),
                ok: data.get("ok").and_then(Value::as_bool),
                text: data.opt_text("text").unwrap_or(""),
                error: data.opt_text("error"),
            },
            "error" => Payload::Error {
                message: data.opt_text("error").or(data.opt_text("message")).unwrap_or("The run failed."),
                error_class: data.opt_text("errorClass").or(data.opt_text("code")).unwrap_or("unknown"),
                finish_reason: data.opt_text("finishReason"),
                partial_text: data.opt_text("partialText"),
            },
            "cancelled" => Payload::Cancelled { reason: data.opt_text("reason") },
            _ => Payload::Unknown,
        })
    }
}

/// A typed, borrowed reading of an event's data.
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
    },
    ToolCall(Call<'a>),
    ToolResult {
        id: Option<&'a str>,
        name: Option<&'a str>,
        result: CallResult<'a>,
    },
    ToolFiles {
        name: Option<&'a str>,
        files: &'a [Value],
    },
    LocalToolCall {
        call: Call<'a>,
        kind: &'a str,
        mcp_server: Option<&'a str>,
        agent_card: Option<&'a Value>,
    },
    LocalToolResult {
        id: &'a str,
        result: CallResult<'a>,
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
    },
    TaskPlan {
        data: &'a Value,
    },
    ModelFallback {
        error_class: &'a str,
        primary: Option<&'a str>,
        fallback: Option<&'a str>,
    },
    Message {
        role: &'a str,
        text: &'a str,
    },
    Result {
        subtype: Option<&'a str>,
        ok: Option<bool>,
        text: &'a str,
        error: Option<&'a str>,
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

/// What a tool answered. `body` is text for most tools, JSON for some.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult<'a> {
    pub ok: bool,
    pub body: &'a Value,
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

struct Fields<'a>(&'a Value);

impl<'a> Fields<'a> {
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name)
    }

    fn opt_text(&self, name: &str) -> Option<&'a str> {
        self.get(name).and_then(Value::as_str)
    }

    fn text(&self, name: &'static str) -> Result<&'a str, Malformed> {
        self.opt_text(name).ok_or(Malformed { field: name, expected: "a text" })
    }

    fn number(&self, name: &'static str) -> Result<u64, Malformed> {
        self.get(name).and_then(Value::as_u64).ok_or(Malformed { field: name, expected: "a whole number" })
    }

    fn array(&self, name: &'static str) -> Result<&'a Vec<Value>, Malformed> {
        self.get(name).and_then(Value::as_array).ok_or(Malformed { field: name, expected: "a list" })
    }

    fn names(&self, name: &str) -> Vec<&'a str> {
        self.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    fn call(&self) -> Result<Call<'a>, Malformed> {
        Ok(Call {
            id: self.opt_text("toolUseId").or(self.opt_text("id")),
            name: self.text("name")?,
            input: self.get("args").or(self.get("input")).unwrap_or(&Value::Null),
        })
    }

    fn tool_calls(&self) -> Result<Vec<Call<'a>>, Malformed> {
        match self.get("toolCalls") {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(|item| Fields(item).call()).collect(),
            Some(_) => Err(Malformed { field: "toolCalls", expected: "a list" }),
        }
    }

    /// `result`, or in the first documents `ok` and `summary`.
    fn tool_result(&self) -> CallResult<'a> {
        let ok = self.get("ok").and_then(Value::as_bool).unwrap_or_else(|| self.get("error").is_none());
        let body = self.get("result").or(self.get("summary")).or(self.get("error"));
        CallResult { ok, body: body.unwrap_or(&Value::Null) }
    }

    fn local_result(&self) -> CallResult<'a> {
        match self.get("error") {
            Some(error) if !error.is_null() => CallResult { ok: false, body: error },
            _ => {
                let body = self.get("output").or(self.get("result"));
                CallResult { ok: true, body: body.unwrap_or(&Value::Null) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_survive_at_the_envelope_and_in_the_data() {
        let json = r#"{"seq":1,"type":"later","data":{"a":[1]},"traceId":"x"}"#;
        let event = Event::parse(json).expect("parses");
        assert_eq!(serde_json::to_string(&event).expect("writes"), json);
        assert_eq!(event.payload(), Ok(Payload::Unknown));
    }

    #[test]
    fn a_malformed_payload_names_its_field() {
        let event = Event::new(1, "assistant_delta", serde_json::json!({ "text": 3 }));
        assert_eq!(event.payload(), Err(Malformed { field: "text", expected: "a text" }));
    }

    #[test]
    fn both_spellings_of_arguments_are_read() {
        for spelling in ["args", "input"] {
            let event =
                Event::new(1, "local_tool_call", serde_json::json!({ "toolUseId": "t", "name": "n", spelling: {} }));
            let Ok(Payload::LocalToolCall { call, kind, .. }) = event.payload() else { panic!("{event:?}") };
            assert_eq!((call.input, kind), (&serde_json::json!({}), "local"));
        }
    }
}
