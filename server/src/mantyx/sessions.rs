//! Lists and reads sessions.

use protocol::messages::Metadata;
use reqwest::Method;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{Bearer, Mantyx, MantyxError};

/// `GET /agent-sessions`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    pub sessions: Vec<SessionRow>,
    #[serde(default)]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    pub session_id: String,
    #[serde(default)]
    pub name: Option<String>,
    pub creation_date: String,
    pub last_interaction_date: String,
    #[serde(default)]
    pub summary: Option<String>,
    #[serde(default, deserialize_with = "null_as_empty")]
    pub metadata: Metadata,
    pub status: String,
}

/// `GET /agent-sessions/{id}` without its messages, which may be many and are skipped.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionDetail {
    pub id: String,
    #[serde(default)]
    pub name: Option<String>,
    pub status: String,
    pub created_at: String,
    pub last_used_at: String,
    #[serde(default)]
    pub ended_at: Option<String>,
    #[serde(default)]
    pub agent_spec: Value,
    #[serde(default, deserialize_with = "null_as_empty")]
    pub metadata: Metadata,
}

/// `GET /agent-sessions/{id}/events`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionEvents {
    #[serde(default)]
    pub events: Vec<Value>,
    #[serde(default)]
    pub next_before_seq: Option<u64>,
}

impl Mantyx {
    /// Returns a page of sessions, last used first.
    pub async fn list_sessions(
        &self,
        bearer: &Bearer,
        slug: &str,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<SessionList, MantyxError> {
        let mut request = self
            .workspace_request(bearer, Method::GET, slug, &["agent-sessions"])
            .query(&[("limit", limit.to_string().as_str()), ("includeTotal", "0")]);
        if let Some(cursor) = cursor {
            request = request.query(&[("cursor", cursor)]);
        }
        Self::send_json(request).await
    }

    pub async fn session(&self, bearer: &Bearer, slug: &str, id: &str) -> Result<SessionDetail, MantyxError> {
        Self::send_partial_json(self.workspace_request(bearer, Method::GET, slug, &["agent-sessions", id])).await
    }

    /// Returns the last messages before a seq, or the last of all.
    pub async fn session_events(
        &self,
        bearer: &Bearer,
        slug: &str,
        id: &str,
        last_messages: u32,
        before_seq: Option<u64>,
    ) -> Result<SessionEvents, MantyxError> {
        let mut request = self
            .workspace_request(bearer, Method::GET, slug, &["agent-sessions", id, "events"])
            .query(&[("lastMessages", last_messages)]);
        if let Some(seq) = before_seq {
            request = request.query(&[("beforeSeq", seq)]);
        }
        Self::send_json(request).await
    }
}

fn null_as_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Metadata, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
