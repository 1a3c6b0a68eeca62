//! The table of all endpoints of the JSON API: each handler with its description in the OpenAPI document.

use axum::routing::{MethodRouter, delete, get, patch, post, put};
use domain::{FacetValue, MatchCount, RunSort, ViewChange, ViewList};
use protocol::query::SESSION_STATUSES;
use serde::Serialize;
use serde_json::{Value, json};

use super::{audit, browse, erase, examples, log, runs, sessions, views};
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

const fn param(name: &'static str, kind: Kind, description: &'static str) -> Param {
    Param { name, required: false, kind, description }
}

const FILTER: Param = param("q", Kind::Text, "A filter, as in the filter bar; for example status:failed customer:acme");
const SORT: Param =
    param("sort", Kind::OneOf(&RunSort::NAMES), "Sort order; a leading - sorts descending. Default: -created");
const LIMIT: Param = param("limit", Kind::Integer(1, 200), "Number of results. Default: 50");
const CURSOR: Param = param("cursor", Kind::Text, "nextCursor of the previous page");
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
            &[],
            examples::timeline(),
            get(log::get_timeline),
        ),
        Endpoint {
            method: "get",
            path: "/api/runs/{id}/events",
            summary: "Get a run's event log as NDJSON",
            query: &[],
            body: None,
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
            status: 201,
            response: Some(examples::imported()),
            upload: true,
            handler: post(import::post_import),
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
            same(value(&[FacetValue::default(), FacetValue::default()])),
            get(browse::values),
        ),
        read(
            "/api/histogram",
            "Get runs over time, by status",
            const { &[FILTER, param("buckets", Kind::Integer(1, 500), "Approximate number of buckets. Default: 60")] },
            examples::histogram(),
            get(browse::histogram),
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
