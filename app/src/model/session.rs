//! A session, its conversation, and the form for a new one.

use domain::SessionSummary;
use protocol::RunStatus;
use protocol::messages::Metadata;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A session without its messages, which come page by page as [`Conversation`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionModel {
    pub session: SessionSummary,
    pub spec: Value,
    pub ended_at_ms: Option<i64>,
    /// The viewer may send messages and end the session.
    pub can_write: bool,
    /// Set when the data may be behind MANTYX.
    pub stale: Option<String>,
    pub now_ms: i64,
}

/// One page of messages, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    pub messages: Vec<Message>,
    /// The URL of the page before this one.
    pub earlier: Option<String>,
    /// A run is in progress, so another message will follow.
    pub in_progress: bool,
    /// Name and formatted value of each total.
    pub totals: Vec<(String, String)>,
    pub now_ms: i64,
}

/// A message. A user message links to the run that answers it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// `user`, `assistant`, or MANTYX's own word for another role.
    pub role: String,
    /// HTML.
    pub text: String,
    /// Only the beginning of the text is known, from the list of runs.
    pub preview: bool,
    pub attachments: usize,
    pub run: Option<MessageRun>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageRun {
    pub id: String,
    pub status: RunStatus,
    /// A tool call waits for an answer.
    pub waiting: bool,
    pub model: Option<String>,
    pub tokens: Option<u64>,
    pub duration_ms: Option<u64>,
    pub created_at_ms: i64,
    /// Metadata of the run that its session doesn't have, or has with another value.
    pub own_metadata: Metadata,
}

/// The form for a new session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSessionModel {
    /// The same key starts one session, however often the form is sent.
    pub key: String,
    /// Id and label of each model.
    pub models: Vec<(String, String)>,
    pub default_model: String,
    /// Why models are not listed.
    pub no_models: Option<String>,
}
