//! Parses the fields of a payload, with the names of all protocol versions.

use serde_json::Value;

use super::{Call, CallResult, Event, Malformed, PlanUpdate};

/// The payload's object: `data`, or in session replays the envelope itself.
pub(super) enum Fields<'a> {
    Data(&'a Value),
    Envelope(&'a Event),
}

impl<'a> Fields<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        match self {
            Self::Data(data) => data.get(name),
            Self::Envelope(event) => event.field(name),
        }
    }

    /// Returns a field unless it is `null`, which means the same as absent.
    fn non_null(&self, name: &str) -> Option<&'a Value> {
        self.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn opt_text(&self, name: &str) -> Option<&'a str> {
        self.get(name).and_then(Value::as_str)
    }

    pub(super) fn text(&self, name: &'static str) -> Result<&'a str, Malformed> {
        self.opt_text(name).ok_or(Malformed { field: name, expected: "a text" })
    }

    pub(super) fn number(&self, name: &'static str) -> Result<u64, Malformed> {
        self.get(name).and_then(Value::as_u64).ok_or(Malformed { field: name, expected: "a whole number" })
    }

    pub(super) fn array(&self, name: &'static str) -> Result<&'a Vec<Value>, Malformed> {
        self.get(name).and_then(Value::as_array).ok_or(Malformed { field: name, expected: "a list" })
    }

    pub(super) fn names(&self, name: &str) -> Vec<&'a str> {
        self.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    pub(super) fn call(&self) -> Result<Call<'a>, Malformed> {
        Ok(Call {
            id: self.opt_text("toolUseId").or(self.opt_text("id")),
            name: self.text("name")?,
            input: self.non_null("args").or(self.non_null("input")).unwrap_or(&Value::Null),
        })
    }

    pub(super) fn tool_calls(&self) -> Result<Vec<Call<'a>>, Malformed> {
        match self.get("toolCalls") {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(|item| Fields::Data(item).call()).collect(),
            Some(_) => Err(Malformed { field: "toolCalls", expected: "a list" }),
        }
    }

    /// Parses a plan. The snapshot under `plan` is canonical; the fields beside it are copies for older clients.
    pub(super) fn plan(&self) -> Result<PlanUpdate<'a>, Malformed> {
        let snapshot = match self.get("plan") {
            Some(plan @ Value::Object(_)) => &Fields::Data(plan),
            _ => self,
        };
        let text = |name: &str| snapshot.opt_text(name).or_else(|| self.opt_text(name));
        Ok(PlanUpdate {
            id: text("planId"),
            revision: snapshot.get("revision").or_else(|| self.get("revision")).and_then(Value::as_u64),
            mode: text("mode"),
            brief: text("brief"),
            steps: snapshot.array("steps")?.as_slice(),
            transition: self.get("transition").and_then(|transition| transition["kind"].as_str()),
        })
    }

    /// Parses `result`, or `ok` and `summary` of the first protocol.
    pub(super) fn tool_result(&self) -> CallResult<'a> {
        let ok = self.get("ok").and_then(Value::as_bool).unwrap_or_else(|| self.non_null("error").is_none());
        let body = self.non_null("result").or(self.non_null("summary")).or(self.non_null("error"));
        CallResult { ok, body: body.unwrap_or(&Value::Null) }
    }

    pub(super) fn local_result(&self) -> CallResult<'a> {
        match self.non_null("error") {
            Some(error) => CallResult { ok: false, body: error },
            None => {
                let body = self.non_null("output").or(self.non_null("result"));
                CallResult { ok: true, body: body.unwrap_or(&Value::Null) }
            }
        }
    }
}
