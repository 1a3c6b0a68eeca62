//! The rows of the timeline.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub key: String,
    pub seq: u64,
    /// The event whose links lead to this row. If several rows belong to one event, only the first has it.
    pub anchor: Option<u64>,
    pub depth: u8,
    pub hit: bool,
    pub kind: RowKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// A row without interaction.
    Html {
        class: String,
        tone: Option<Tone>,
        html: String,
    },
    /// Text of the model. Finished text is HTML, truncated at its end. Text still being written is plain, so that deltas
    /// can be appended, and truncated at its beginning. `cut` counts the bytes left out.
    Text {
        html: String,
        text: String,
        cut: usize,
        writing: bool,
    },
    Call(CallRow),
    Event {
        /// HTML.
        line: String,
        /// The content of an open row.
        body: Option<Body>,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRow {
    pub outcome: CallOutcome,
    /// HTML.
    pub line: String,
    /// HTML: the controls that answer the call, if it can be answered from this page.
    pub reply: Option<String>,
    /// HTML: the time that the call has been waiting.
    pub age: String,
    /// The content of an open row.
    pub open: Option<Box<CallBody>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    Ok,
    Error,
    /// The tool answered with a result that reports a failure.
    ReportedFailure,
    /// Stopped by the tool's budget.
    Intercepted,
    /// Not made: the loop guard or the turn limit skipped it.
    Skipped,
    Waiting,
    Unanswered,
}

/// The content of an open call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallBody {
    /// HTML: the local tool, MCP server or agent that answers the call.
    pub resolver: String,
    pub input: Body,
    pub answer: Option<(u64, Body)>,
    /// HTML: files that came with the answer.
    pub files: String,
}

/// A payload: a tree if it is JSON, otherwise text; `cut` counts the bytes left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    Json(Value),
    Text { text: String, cut: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    Success,
    Info,
    Warning,
    Error,
}

impl Row {
    /// Returns true if the row is open and shows this event as its answer.
    pub fn shows_answer(&self, seq: u64) -> bool {
        let RowKind::Call(CallRow { open: Some(body), .. }) = &self.kind else { return false };
        body.answer.as_ref().is_some_and(|(answer_seq, _)| *answer_seq == seq)
    }

    pub fn as_call(&self) -> Option<&CallRow> {
        match &self.kind {
            RowKind::Call(call) => Some(call),
            _ => None,
        }
    }
}

impl CallOutcome {
    pub fn tone(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error | Self::ReportedFailure => "error",
            Self::Waiting => "waiting",
            Self::Intercepted | Self::Skipped | Self::Unanswered => "warning",
        }
    }
}

impl Tone {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
