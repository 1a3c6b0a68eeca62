//! The sessions of a MANTYX that misbehaves: a list by offset, and long conversations.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use super::fake_mantyx::{Shared, World, trouble};

/// Of each message: with ten thousand of them a session weighs more than is ever read whole.
const MESSAGE_BYTES: usize = 2_000;

pub fn routes() -> Router<Arc<Mutex<World>>> {
    let sessions = "/api/v1/workspaces/{slug}/agent-sessions";
    Router::new()
        .route(sessions, get(list))
        .route(&format!("{sessions}/{{id}}"), get(detail))
        .route(&format!("{sessions}/{{id}}/events"), get(events))
}

fn id(number: usize) -> String {
    format!("ses_{number:06}")
}

/// The last used is the last by number.
fn used_at(world: &World, number: usize) -> String {
    let ago = (world.sessions - number) as i64 * 3_600_000;
    let at = chrono::Utc::now().timestamp_millis() / 60_000 * 60_000 - ago;
    chrono::DateTime::from_timestamp_millis(at).unwrap().to_rfc3339()
}

async fn list(State(world): Shared, Query(query): Query<HashMap<String, String>>) -> Response {
    let world = world.lock().unwrap();
    if let Some(trouble) = trouble(world.session_mood, world.wait_s) {
        return trouble;
    }
    let limit: usize = query["limit"].parse().unwrap();
    let offset: usize = query.get("cursor").map_or(0, |cursor| cursor.parse().unwrap());
    let row = |number: usize| {
        let status = if number.is_multiple_of(2) { "active" } else { "ended" };
        json!({
            "sessionId": id(number), "name": format!("ÜBERSICHT {number}"), "status": status,
            "creationDate": used_at(&world, number), "lastInteractionDate": used_at(&world, number),
            "metadata": { "customer": format!("customer-{}", number % 3) },
        })
    };
    let rows: Vec<Value> = (0..world.sessions).rev().skip(offset).take(limit).map(row).collect();
    let next = offset + rows.len();
    let next = (next < world.sessions).then(|| next.to_string());
    axum::Json(json!({ "sessions": rows, "nextCursor": next })).into_response()
}

async fn detail(State(world): Shared, Path((_, asked)): Path<(String, String)>) -> Response {
    // The server asks for this session only to learn whether the credential may read sessions.
    if asked == "scope-check" {
        return axum::http::StatusCode::NOT_FOUND.into_response();
    }
    let world = world.lock().unwrap();
    if let Some(trouble) = trouble(world.session_mood, world.wait_s) {
        return trouble;
    }
    let number: usize = asked.trim_start_matches("ses_").parse().unwrap();
    let message = |i: usize| json!({ "role": "user", "content": format!("{i} {}", "x".repeat(MESSAGE_BYTES)) });
    let messages: Vec<Value> = (0..world.messages).map(message).collect();
    // Comes after the messages, so a client that stops reading there misses it.
    let body = json!({
        "id": asked, "name": "long", "status": "active", "createdAt": used_at(&world, number), "messages": messages,
        "lastUsedAt": used_at(&world, number), "agentSpec": { "systemPrompt": "You help." }, "metadata": { "a": "b" },
    });
    axum::Json(body).into_response()
}

async fn events(State(world): Shared, Query(query): Query<HashMap<String, String>>) -> Response {
    let world = world.lock().unwrap();
    if let Some(trouble) = trouble(world.session_mood, world.wait_s) {
        return trouble;
    }
    let last: usize = query["lastMessages"].parse().unwrap();
    let end: usize = query.get("beforeSeq").map_or(world.messages, |seq| seq.parse::<usize>().unwrap() - 1);
    let start = end.saturating_sub(last);
    let event = |i: usize| json!({ "seq": i + 1, "type": "user_message", "text": format!("message {i}") });
    let events: Vec<Value> = (start..end).map(event).collect();
    let next = (start > 0).then_some(start + 1);
    axum::Json(json!({ "events": events, "nextBeforeSeq": next })).into_response()
}
