//! The calls that wait for an answer: a list, and one call with the form that answers it. All text arrives as HTML.

use domain::url::encode;
use serde::{Deserialize, Serialize};

use crate::query_string::QueryString;

/// The call that the page's URL names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WaitingAddress {
    pub run: Option<String>,
    pub call: Option<String>,
}

impl WaitingAddress {
    pub fn of(run_id: &str, tool_use_id: &str) -> Self {
        Self { run: Some(run_id.to_owned()), call: Some(tool_use_id.to_owned()) }
    }

    pub fn from_query(query: &QueryString) -> Self {
        let one = |name: &str| query.get(name).filter(|value| !value.is_empty());
        Self { run: one("run"), call: one("call") }
    }

    /// Run and call, if the URL names one.
    pub fn named(&self) -> Option<(&str, &str)> {
        self.run.as_deref().zip(self.call.as_deref())
    }

    pub fn href(&self) -> String {
        match self.named() {
            Some((run, call)) => format!("/waiting?run={}&call={}", encode(run), encode(call)),
            None => "/waiting".to_owned(),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingModel {
    /// The number of calls in the list.
    pub count: u64,
    /// HTML: notices and the list.
    pub list: String,
    /// The call beside the list.
    pub call: WaitingAddress,
    /// HTML: its tool, run, age and responder. Empty if it is not waiting.
    pub header: String,
    /// HTML: its arguments and the conversation so far.
    pub details: String,
    /// HTML: who else is writing an answer.
    pub writers: String,
    /// HTML: the controls of the form. Empty if the viewer may not answer.
    pub controls: String,
    /// HTML: why the call is not waiting. Empty if it is.
    pub gone: String,
}
