//! Sessions: their list, one in detail, and its conversation played back as events.

use serde_json::Value;

use super::{Metadata, read_metadata};
use crate::Event;
use crate::document::document;
use crate::spec::{Attachment, Message, SessionSpec};

document! {
    /// The answer to `POST /agent-sessions`.
    SessionCreated needs ["sessionId"] {
        session_id: text = "sessionId",
    }
}

document! {
    /// `GET /agent-sessions`, the last used first.
    SessionList needs ["sessions"] {
        sessions: list[SessionRow] = "sessions",
        next_cursor: text = "nextCursor",
        total: count = "total",
        limit: count = "limit",
        offset: count = "offset",
    }
}

document! {
    SessionRow {
        session_id: text = "sessionId",
        creation_date: text = "creationDate",
        last_interaction_date: text = "lastInteractionDate",
        /// Made from the first thing that the user said.
        summary: text = "summary",
        /// `active` or `ended`.
        status: text = "status",
    }
}

impl SessionRow {
    pub fn metadata(&self) -> Metadata {
        read_metadata(&self.0)
    }
}

document! {
    /// `GET /agent-sessions/{id}`.
    SessionDetail needs ["id"] {
        id: text = "id",
        name: text = "name",
        status: text = "status",
        created_at: text = "createdAt",
        last_used_at: text = "lastUsedAt",
        ended_at: text = "endedAt",
        agent_spec: object[SessionSpec] = "agentSpec",
        messages: list[Message] = "messages",
    }
}

impl SessionDetail {
    pub fn metadata(&self) -> Metadata {
        read_metadata(&self.0)
    }
}

document! {
    /// `GET /agent-sessions/{id}/events`.
    SessionEvents needs ["events"] {
        session_id: text = "sessionId",
        /// Messages in the whole session, not on this page.
        total: count = "total",
        events: list[SessionEvent] = "events",
        /// Where the page before this one ends.
        next_before_seq: count = "nextBeforeSeq",
        /// Older messages remain.
        truncated: flag = "truncated",
    }
}

document! {
    /// A message of a session as an event whose payload stands beside `seq` and `type`, not under `data`.
    SessionEvent {
        /// The position in the whole conversation.
        seq: count = "seq",
        /// `user_message`, `assistant_message` or `message`.
        kind: text = "type",
        role: text = "role",
        text: text = "text",
        attachments: list[Attachment] = "attachments",
    }
}

impl SessionEvent {
    /// The same event in the envelope of a run's log.
    pub fn to_event(&self) -> Option<Event> {
        let mut data = self.0.as_object()?.clone();
        data.retain(|key, _| key != "seq" && key != "type");
        Some(Event::new(self.seq()?, self.kind()?, Value::Object(data)))
    }
}
