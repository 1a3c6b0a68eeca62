//! Notes: everything in a log that is neither text nor a call, such as reports of guards, reviews, plans, and log problems.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Plan, ToolFile};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub seq: u64,
    /// The number of events. Equal problems in a row share a note; all other notes have one event.
    pub times: u64,
    /// The last of them.
    pub last_seq: u64,
    #[serde(flatten)]
    pub kind: NoteKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "note")]
pub enum NoteKind {
    /// A report of the server's guard. Repetitions that Runlens finds itself are in [`super::Repetition`].
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
        /// The review interrupted the model while it was thinking, and ended the turn.
        mid_turn: bool,
        model: Option<String>,
    },
    ModelFallback {
        error_class: String,
        primary: Option<String>,
        fallback: Option<String>,
        /// The vendor's name of the fallback model.
        model: Option<String>,
    },
    /// A plan as of this event. A stale one has an older revision than an earlier plan and changes nothing.
    Plan {
        plan: Arc<Plan>,
        transition: Option<String>,
        stale: bool,
    },
    /// Files of a call that is not in the log.
    Files {
        tool: String,
        files: Vec<ToolFile>,
    },
    /// A message to the model, in a session's replay.
    Message {
        role: String,
        text: String,
        attachments: Vec<String>,
    },
    /// A result that came before its call. The call has it now.
    EarlyResult {
        tool: String,
    },
    /// A second result for a call. The first one counts.
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

    /// Returns whether a guard, the supervisor or another model changed the course of the run.
    pub fn is_intervention(&self) -> bool {
        use NoteKind::*;
        matches!(self.kind, LoopDetected { .. } | BudgetExceeded { .. } | Supervisor { .. } | ModelFallback { .. })
    }

    /// Returns whether equal notes in a row are joined: log problems may come a hundred thousand times.
    pub(super) fn may_repeat(&self) -> bool {
        use NoteKind::*;
        matches!(self.kind, Unknown { .. } | Malformed { .. } | AfterEnd { .. } | RepeatedResult { .. })
    }
}
