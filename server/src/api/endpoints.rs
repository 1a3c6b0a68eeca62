//! The table of all endpoints of the JSON API: each handler with its description in the OpenAPI document.

use axum::routing::{MethodRouter, delete, get, patch, post, put};
use domain::{FailureChange, FailureSort, FailureState, MatchCount, RunSort, ViewChange, ViewList};
use protocol::query::SESSION_STATUSES;
use serde::Serialize;
use serde_json::{Value, json};

use super::{audit, browse, erase, examples, failures, insights, log, runs, sessions, settings, views, waiting};
use crate::erase::Erased;
use crate::import;
use crate::state::AppState;

pub struct Endpoint {
    pub method: &'static str,
    pub path: &'static str,
    pub summary: &'static str,
    pub query: &'static [Param],
    /// An example of the request body.
    pub body: Option<Value>,
    pub body_type: &'static str,
    /// The status of a success.
    pub status: u16,
    pub response: Option<ResponseExample>,
    /// Accepts a body of any size.
    pub upload: bool,
    pub handler: MethodRouter<AppState>,
}

/// A parameter in the query string.
pub struct Param {
    pub name: &'static str,
    pub required: bool,
    pub kind: Kind,
    pub description: &'static str,
}

pub enum Kind {
    Text,
    /// An integer within these bounds, both included.
    Integer(u64, u64),
    OneOf(&'static [&'static str]),
}

/// Two examples of a response, from which its schema is derived. A field that only the full example has is optional; a
/// field that is null in the minimal example is nullable.
pub struct ResponseExample {
    pub content_type: &'static str,
    pub full: Value,
    pub minimal: Value,
}

const JSON: &str = "application/json";
const FORM: &str = "multipart/form-data";

const fn param(name: &'static str, kind: Kind, description: &'static str) -> Param {
    Param { name, required: false, kind, description }
}

/// The largest integer that every JSON parser reads exactly.
const MAX_SEQ: u64 = (1 << 53) - 1;
const FILTER: Param = param("q", Kind::Text, "A filter, as in the filter bar; for example status:failed customer:acme");
const SORT: Param =
    param("sort", Kind::OneOf(&RunSort::NAMES), "Sort order; a leading - sorts descending. Default: -created");
const LIMIT: Param = param("limit", Kind::Integer(1, 200), "Number of results. Default: 50");
const CURSOR: Param = param("cursor", Kind::Text, "nextCursor of the previous page");
const SINCE: Param =
    param("since", Kind::Text, "Only runs created at this time or later, for example 7d or 2026-10-01");
const BEFORE: Param = param("before", Kind::Text, "Only runs created before this time");
const LIST: Param = param("list", Kind::OneOf(&["runs", "sessions"]), "The list. Default: runs");
const STATUS: Param = param("status", Kind::OneOf(&SESSION_STATUSES), "Same as status: in the filter");

/// All endpoints.
pub fn all() -> Vec<Endpoint> {
    let read = |path, summary, query, (full, minimal): (Value, Value), handler| Endpoint {
        method: "get",
        path,
        summary,
        query,
        body: None,
        body_type: JSON,
        status: 200,
        response: Some(ResponseExample { content_type: JSON, full, minimal }),
        upload: false,
        handler,
    };
    let write =
        |method, path, summary, body: Option<Value>, (status, response): (u16, Option<Value>), handler| Endpoint {
            method,
            path,
            summary,
            query: &[],
            body,
            body_type: JSON,
            status,
            response: response.map(|full| ResponseExample { content_type: JSON, minimal: full.clone(), full }),
            upload: false,
            handler,
        };
    let same = |example: Value| (example.clone(), example);
    let view_change = value(&ViewChange {
        list: ViewList::Runs,
        name: Some(String::new()),
        query: Some(String::new()),
        shared: Some(false),
    });
    let sync = || (value(&examples::sync(true)), value(&examples::sync(false)));
    vec![
        read("/api/runs", "List runs", &[FILTER, LIMIT, CURSOR, SORT], examples::run_list(), get(runs::list_runs)),
        read(
            "/api/runs/{id}",
            "Get a run with its totals, output and banners",
            &[],
            examples::run(),
            get(runs::get_run),
        ),
        write(
            "delete",
            "/api/runs/{id}",
            "Delete a run for good: it is not synced again. MANTYX keeps its own copy",
            None,
            (200, Some(value(&Erased::default()))),
            delete(erase::delete_run),
        ),
        read(
            "/api/runs/{id}/timeline",
            "Get a run's timeline: summary, banners, turns, plan, totals, outcome, integrity",
            const {
                &[
                    param("from_seq", Kind::Integer(0, MAX_SEQ), "The first turn is the one with this event"),
                    param("limit", Kind::Integer(1, MAX_SEQ), "Turns at most"),
                ]
            },
            examples::timeline(),
            get(log::get_timeline),
        ),
        Endpoint {
            method: "get",
            path: "/api/runs/{id}/events",
            summary: "Get a run's event log as NDJSON",
            query: const {
                &[
                    param("from_seq", Kind::Integer(0, MAX_SEQ), "The first event"),
                    param("limit", Kind::Integer(1, MAX_SEQ), "Events at most"),
                ]
            },
            body: None,
            body_type: JSON,
            status: 200,
            response: Some(examples::event()),
            upload: false,
            handler: get(log::get_events),
        },
        Endpoint {
            method: "post",
            path: "/api/import",
            summary: "Import a log of any size as a run: NDJSON, a JSON array, a raw SSE capture or an export",
            query: const { &[param("name", Kind::Text, "Name of the run if the log has none")] },
            body: Some(json!([{ "seq": 1, "type": "result", "data": { "text": "…" } }])),
            body_type: JSON,
            status: 201,
            response: Some(examples::imported()),
            upload: true,
            handler: post(import::post_import),
        },
        Endpoint {
            method: "post",
            path: "/api/import/batch",
            summary: "Import up to 1,000 logs, each a file of the form, as runs; with a result for each",
            query: &[],
            body: Some(json!({ "file": ["…"] })),
            body_type: FORM,
            status: 200,
            response: Some(examples::imported_batch()),
            upload: true,
            handler: post(import::post_batch),
        },
        read(
            "/api/count",
            "Count matching runs; a lower bound if counting stopped at its limit",
            &[FILTER],
            same(value(&MatchCount::default())),
            get(browse::count),
        ),
        read("/api/facets", "Get facet values with counts", &[FILTER], examples::facets(), get(browse::facets)),
        read(
            "/api/values",
            "Get the values of one key, for completion",
            const {
                &[
                    Param { required: true, ..param("key", Kind::Text, "status, model, tool, … or metadata.KEY") },
                    param("prefix", Kind::Text, "Beginning of the value"),
                ]
            },
            same(value(&examples::facet_values())),
            get(browse::values),
        ),
        read(
            "/api/histogram",
            "Get runs over time, by status",
            const { &[FILTER, param("buckets", Kind::Integer(1, 500), "Approximate number of buckets. Default: 60")] },
            examples::histogram(),
            get(browse::histogram),
        ),
        read(
            "/api/failures",
            "List failure groups that have runs in the time range",
            const {
                &[
                    param("state", Kind::OneOf(&FailureState::NAMES), "Groups in this state. Default: all"),
                    SINCE,
                    BEFORE,
                    param(
                        "sort",
                        Kind::OneOf(&FailureSort::NAMES),
                        "Sort order, largest or latest first. Default: runs",
                    ),
                    LIMIT,
                    CURSOR,
                ]
            },
            examples::failures(),
            get(failures::list_failures),
        ),
        read(
            "/api/failures/{id}",
            "Get a failure group",
            &[SINCE, BEFORE],
            examples::failure(),
            get(failures::get_failure),
        ),
        Endpoint {
            body: Some(value(&FailureChange {
                state: Some(FailureState::Resolved),
                note: Some("…".to_owned()),
                replaces_note_at_ms: Some(0),
            })),
            method: "patch",
            ..read(
                "/api/failures/{id}",
                "Resolve, mute or reopen a failure group, or change its note",
                &[],
                examples::failure(),
                patch(failures::change_failure),
            )
        },
        read(
            "/api/waiting",
            "List the calls that wait for an answer from outside, the nearest deadline first",
            &[],
            examples::waiting(),
            get(waiting::list_waiting),
        ),
        read(
            "/api/insights",
            "Get the figures of matching runs: outcomes, rates, durations, tokens, cost, errors and tools",
            const {
                &[
                    FILTER,
                    SINCE,
                    BEFORE,
                    param("by", Kind::Text, "Key of the breakdown: model, agent, name or metadata.KEY. Default: model"),
                ]
            },
            examples::insights(),
            get(insights::get_insights),
        ),
        read("/api/sync", "Get the sync state of the workspace", &[], sync(), get(browse::sync)),
        Endpoint {
            body: Some(json!({ "paused": true })),
            method: "post",
            ..read("/api/sync", "Pause or resume syncing of older runs and logs", &[], sync(), post(browse::set_sync))
        },
        read(
            "/api/sessions",
            "List sessions, last used first",
            &[FILTER, STATUS, LIMIT, CURSOR],
            examples::session_list(),
            get(sessions::list_sessions),
        ),
        read(
            "/api/sessions/{id}",
            "Get a session with its totals and spec",
            &[],
            examples::session_page(),
            get(sessions::get_session),
        ),
        write(
            "delete",
            "/api/sessions/{id}",
            "Delete a session and its runs for good",
            None,
            (200, Some(value(&Erased::default()))),
            delete(erase::delete_session),
        ),
        read(
            "/api/sessions/{id}/messages",
            "List a session's messages, newest page first",
            const {
                &[
                    param("before", Kind::Integer(0, u64::MAX), "nextBeforeSeq of the previous response"),
                    param("limit", Kind::Integer(1, 500), "Number of results. Default: 100"),
                ]
            },
            examples::messages(),
            get(sessions::session_messages),
        ),
        read(
            "/api/views",
            "List built-in, shared and own views",
            &[LIST],
            same(value(&[examples::view(), examples::view()])),
            get(views::list_views),
        ),
        write(
            "post",
            "/api/views",
            "Save a view",
            Some(view_change.clone()),
            (201, Some(value(&examples::view()))),
            post(views::create_view),
        ),
        write(
            "patch",
            "/api/views/{id}",
            "Update or share one of your views",
            Some(view_change),
            (200, Some(value(&examples::view()))),
            patch(views::change_view),
        ),
        write("delete", "/api/views/{id}", "Delete one of your views", None, (204, None), delete(views::delete_view)),
        write(
            "post",
            "/api/erase",
            "Delete every run and session with a metadata entry for good",
            Some(json!({ "metadata": { "key": "customer", "value": "acme" } })),
            (200, Some(value(&Erased::default()))),
            post(erase::erase_metadata),
        ),
        read(
            "/api/redaction",
            "Get the redaction patterns",
            &[],
            same(examples::redaction()),
            get(settings::get_redaction),
        ),
        write(
            "put",
            "/api/redaction",
            "Replace the redaction patterns",
            Some(value(&examples::redaction_change())),
            (200, Some(examples::redaction())),
            put(settings::set_redaction),
        ),
        read(
            "/api/prices",
            "Get the prices of models: of MANTYX and own ones",
            &[],
            examples::prices(),
            get(settings::get_prices),
        ),
        Endpoint {
            method: "put",
            body: Some(value(&examples::price_change())),
            ..read(
                "/api/prices",
                "Replace the own prices of models",
                &[],
                examples::prices(),
                put(settings::set_prices),
            )
        },
        read(
            "/api/audit",
            "Who did what, when and from where, newest first",
            &[LIMIT, CURSOR],
            examples::audit(),
            get(audit::list_audit),
        ),
        write(
            "put",
            "/api/default-view",
            "Set your default view",
            Some(json!({ "id": "…", "list": "runs" })),
            (204, None),
            put(views::choose_view),
        ),
    ]
}

/// An example as JSON.
pub fn value(example: &impl Serialize) -> Value {
    serde_json::to_value(example).unwrap_or_default()
}
