//! An event of a run's log: the envelope as it was sent, and a typed view of its payload.
//!
//! An [`Event`] keeps every field, known or not, so that storing and exporting never lose one. [`Event::payload`] parses
//! the fields that the reducer needs. It borrows instead of copying: most events of a long log are deltas.

mod fields;
mod payload;
mod time;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::messages::Tokens;
use fields::Fields;
pub use payload::{Call, CallResult, Malformed, Payload, PlanUpdate};
pub use time::{EventTime, PLAUSIBLE_MS};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Envelope")]
pub struct Event {
    pub seq: u64,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// Fields besides the three documented ones. A `data` that is `null` is one of them.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
    /// When the event arrived here, if it arrived as it happened. Not part of the log.
    #[serde(skip)]
    pub observed_at_ms: Option<i64>,
}

/// The envelope while it is parsed: distinguishes an absent `data` from `null`.
#[derive(Deserialize)]
struct Envelope {
    seq: u64,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, deserialize_with = "present")]
    data: Option<Value>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

/// The fields of an event whose payload cannot be parsed.
#[derive(Deserialize)]
struct Outline {
    seq: Option<u64>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl From<Envelope> for Event {
    fn from(Envelope { seq, kind, data, mut extra }: Envelope) -> Self {
        if data == Some(Value::Null) {
            extra.insert("data".to_owned(), Value::Null);
        }
        Self { seq, kind, data: data.unwrap_or_default(), extra, observed_at_ms: None }
    }
}

impl Event {
    pub fn new(seq: u64, kind: impl Into<String>, data: Value) -> Self {
        Self { seq, kind: kind.into(), data, extra: Map::new(), observed_at_ms: None }
    }

    /// Parses an envelope. Parts that are nested too deeply become text; so does a payload that cannot be parsed.
    pub fn parse(json: &str) -> serde_json::Result<Self> {
        crate::json::parse_deep(json).or_else(|error| Self::unreadable(json, None, None).ok_or(error))
    }

    /// Parses only the envelope. The payload is the whole text, which the timeline counts as malformed and shows. `seq` and
    /// `kind` are used if the envelope has none.
    pub(crate) fn unreadable(json: &str, seq: Option<u64>, kind: Option<&str>) -> Option<Self> {
        // Skipped fields take no stack, however deep they are.
        let outline: Outline = serde_json::from_str(json).ok()?;
        let kind = outline.kind.or_else(|| kind.map(str::to_owned))?;
        Some(Self::new(outline.seq.or(seq)?, kind, json.into()))
    }

    /// Estimates the memory that the event takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.kind.len() + crate::json::heap_bytes(&self.data) + crate::json::map_bytes(&self.extra)
    }

    /// Frees memory that parsing has reserved and not used: most objects have one or two fields and room for four.
    pub(crate) fn shrink(&mut self) {
        self.kind.shrink_to_fit();
        crate::json::shrink(&mut self.data);
    }

    /// `result`, `error` and `cancelled` end a log.
    pub fn is_terminal(&self) -> bool {
        matches!(self.kind.as_str(), "result" | "error" | "cancelled")
    }

    /// Returns whether the payload can have fields: `data` is an object, or absent as in session replays.
    pub(crate) fn has_payload(&self) -> bool {
        self.data.is_object() || self.data.is_null()
    }

    /// Returns a field of the payload. Session replays have the payload beside `seq` and `type`, without `data`.
    pub fn field(&self, name: &str) -> Option<&Value> {
        match &self.data {
            Value::Null => self.extra.get(name),
            data => data.get(name),
        }
    }

    /// Parses the payload. Field names of older protocols are accepted too.
    pub fn payload(&self) -> Result<Payload<'_>, Malformed> {
        match self.parse_payload()? {
            Payload::Unknown => Ok(Payload::Unknown),
            // A terminal event ends the log even if its payload is malformed.
            payload if self.has_payload() || self.is_terminal() => Ok(payload),
            _ => Err(Malformed { field: "data", expected: "an object" }),
        }
    }

    fn parse_payload(&self) -> Result<Payload<'_>, Malformed> {
        let data = Fields::Envelope(self);
        Ok(match self.kind.as_str() {
            "started" => Payload::Started,
            "assistant_delta" => Payload::AssistantDelta { text: data.text("text")? },
            "thinking_delta" => Payload::ThinkingDelta { text: data.text("text")? },
            "assistant_message" => Payload::AssistantMessage {
                text: data.text("text")?,
                finish_reason: data.opt_text("finishReason"),
                tool_calls: data.tool_calls()?,
                model: data.get("model").filter(|model| !model.is_null()),
                tokens: ["usage", "tokens"].into_iter().find_map(|name| Tokens::of_turn(data.get(name)?)),
            },
            "tool_call" => Payload::ToolCall(data.call()?),
            "tool_result" => Payload::ToolResult {
                id: data.opt_text("toolUseId"),
                name: data.opt_text("name"),
                result: data.tool_result(),
            },
            "tool_files" => Payload::ToolFiles {
                id: data.opt_text("toolUseId"),
                name: data.opt_text("name"),
                files: data.array("files")?.as_slice(),
            },
            "local_tool_call" => Payload::LocalToolCall {
                call: data.call()?,
                kind: data.opt_text("kind").unwrap_or("local"),
                mcp_server: data.opt_text("mcpServer"),
                mcp_tool: data.opt_text("mcpToolName"),
                mcp_server_info: data.get("mcpServerInfo"),
                agent_card: data.get("agentCard"),
            },
            "local_tool_result_in" => Payload::LocalToolResult {
                id: data.opt_text("toolUseId"),
                // One of the two must name the call; documented is the id.
                name: match data.opt_text("name") {
                    None => data.text("toolUseId").map(|_| None)?,
                    name => name,
                },
                result: data.local_result(),
                files: data.get("files").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default(),
            },
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
                llm_calls: data.get("llmCalls").and_then(Value::as_u64),
                phase: data.opt_text("phase"),
                model: data.get("model"),
            },
            "task_plan" => Payload::TaskPlan(data.plan()?),
            "model_fallback" => Payload::ModelFallback {
                error_class: data.opt_text("errorClass").unwrap_or("unknown"),
                primary: data.opt_text("primaryModelId"),
                fallback: data.opt_text("fallbackModelId"),
                model: data.get("model"),
            },
            "user_message" | "message" => Payload::Message {
                role: data.opt_text("role").unwrap_or("user"),
                text: data.opt_text("text").unwrap_or(""),
                attachments: data.get("attachments").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default(),
            },
            "result" => Payload::Result {
                subtype: data.opt_text("subtype"),
                ok: data.get("ok").and_then(Value::as_bool),
                text: data.opt_text("text").unwrap_or(""),
                error: data.opt_text("error"),
                plan: data.get("plan").and_then(|plan| Fields::Data(plan).plan().ok()),
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
    fn an_absent_payload_stays_absent_and_null_stays_null() {
        for json in [r#"{"seq":1,"type":"started"}"#, r#"{"seq":1,"type":"started","data":null}"#] {
            let event = Event::parse(json).expect("parses");
            assert_eq!(serde_json::to_string(&event).expect("writes"), json);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_envelope_is_serialized_as_it_was_parsed(data in crate::testing::any_json(), beside in crate::testing::any_json()) {
            let mut envelope = serde_json::json!({ "seq": 7, "type": "later", "beside": beside });
            envelope["data"] = data;
            let event: Event = serde_json::from_value(envelope.clone()).expect("an envelope");
            proptest::prop_assert_eq!(serde_json::to_value(&event).expect("JSON"), envelope);
        }
    }

    #[test]
    fn a_frame_of_a_session_replay_has_its_payload_beside_its_type() {
        let event = Event::parse(r#"{"seq":3,"type":"user_message","text":"three"}"#).expect("parses");
        assert_eq!(event.payload(), Ok(Payload::Message { role: "user", text: "three", attachments: &[] }));
    }

    #[test]
    fn a_plan_is_parsed_from_its_snapshot_first() {
        let event = Event::new(
            1,
            "task_plan",
            serde_json::json!({ "steps": [], "plan": { "planId": "p", "revision": 2, "steps": [{ "title": "a" }] } }),
        );
        let Ok(Payload::TaskPlan(plan)) = event.payload() else { panic!("{event:?}") };
        assert_eq!((plan.id, plan.revision, plan.steps.len()), (Some("p"), Some(2), 1));
    }

    #[test]
    fn deeply_nested_parts_become_text_and_the_rest_is_parsed() {
        let deep = format!("{}1{}", "[".repeat(1_000), "]".repeat(1_000));
        let json = format!(r#"{{"seq":4,"type":"tool_result","data":{{"toolUseId":"d","result":{deep}}}}}"#);
        let event = Event::parse(&json).expect("an envelope");
        let Ok(Payload::ToolResult { id: Some("d"), result, .. }) = event.payload() else { panic!("{event:?}") };
        assert!(result.ok && result.body.to_string().contains("[[[1]]]"));
        assert_eq!(Event::parse(&serde_json::to_string(&event).expect("writes")).expect("reads"), event);
        // A number out of range makes the whole payload unreadable.
        let json = r#"{"seq":4,"type":"tool_result","data":{"result":1e999}}"#;
        let event = Event::parse(json).expect("an envelope");
        assert_eq!((event.seq, event.kind.as_str(), event.data.as_str()), (4, "tool_result", Some(json)));
        assert_eq!(event.payload(), Err(Malformed { field: "data", expected: "an object" }));
        assert!(Event::parse(&"[".repeat(1_000)).is_err());
    }

    #[test]
    fn null_counts_as_absent() {
        let result = |data| {
            let event = Event::new(1, "tool_result", data);
            let Ok(Payload::ToolResult { result, .. }) = event.payload() else { panic!("{event:?}") };
            (result.ok, result.body.clone())
        };
        assert_eq!(result(serde_json::json!({ "result": "r", "error": null })), (true, "r".into()));
        assert_eq!(result(serde_json::json!({ "result": null, "summary": "s" })), (true, "s".into()));
        assert_eq!(result(serde_json::json!({ "result": null, "error": "e" })), (false, "e".into()));
    }

    #[test]
    fn a_malformed_payload_names_its_field() {
        let event = Event::new(1, "assistant_delta", serde_json::json!({ "text": 3 }));
        assert_eq!(event.payload(), Err(Malformed { field: "text", expected: "a text" }));
    }

    #[test]
    fn both_names_of_arguments_are_parsed() {
        for spelling in ["args", "input"] {
            let event =
                Event::new(1, "local_tool_call", serde_json::json!({ "toolUseId": "t", "name": "n", spelling: {} }));
            let Ok(Payload::LocalToolCall { call, kind, .. }) = event.payload() else { panic!("{event:?}") };
            assert_eq!((call.input, kind), (&serde_json::json!({}), "local"));
        }
    }
}
