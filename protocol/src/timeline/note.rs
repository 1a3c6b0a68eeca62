//! Something in a log that is neither text nor a call: a guard, a review, a plan, a fault of the log.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Plan, ToolFile};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub seq: u64,
    /// How many events it tells of. Faults that come in a row are told together; everything else is one.
    pub times: u64,
    /// The last of them.
    pub last_seq: u64,
    #[serde(flatten)]
    pub kind: NoteKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "note")]
pub enum NoteKind {
    /// The server's own guard. What this software observed is in [`super::Repetition`], never here.
    LoopDetected {
        consecutive_count: u64,
        hard_cutoff: bool,
        tools: Vec<String>,
    },
    BudgetExceeded {
        tool: String,
        max_calls: u64,
        call_index: u64,
    },
    Supervisor {
        action: String,
        reason: String,
        redirect: Option<String>,
        llm_calls: Option<u64>,
        /// It stepped in while the model was thinking, and the turn ended there.
        mid_turn: bool,
        model: Option<String>,
    },
    ModelFallback {
        error_class: String,
        primary: Option<String>,
        fallback: Option<String>,
        /// The vendor's name of the model that took over.
        model: Option<String>,
    },
    /// A plan as of this event. A stale one is of an older revision than one that came before: it changes nothing.
    Plan {
        plan: Arc<Plan>,
        transition: Option<String>,
        stale: bool,
    },
    /// Files of a call that the log does not have.
    Files {
        tool: String,
        files: Vec<ToolFile>,
    },
    /// A message that was said to the model, in a session's replay.
    Message {
        role: String,
        text: String,
        attachments: Vec<String>,
    },
    /// A result stood here before its call; the call has it now.
    EarlyResult {
        tool: String,
    },
    /// A second result for a call that had one. The first stands.
    RepeatedResult {
        tool: String,
    },
    Unknown {
        event: String,
    },
    Malformed {
        event: String,
        reason: String,
    },
    AfterEnd {
        event: String,
    },
}

impl Note {
    pub(super) fn new(seq: u64, kind: NoteKind) -> Self {
        Self { seq, times: 1, last_seq: seq, kind }
    }

    /// A fault of the log that may come a hundred thousand times in a row.
    pub(super) fn may_pile_up(&self) -> bool {
        use NoteKind::*;
        matches!(self.kind, Unknown { .. } | Malformed { .. } | AfterEnd { .. } | RepeatedResult { .. })
    }
}
