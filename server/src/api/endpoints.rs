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

const FILTER: Param = param("q", Kind::Text, "The filter bar's text, for example status:failed customer:acme");
const SORT: Param = param(
    "sort",
    Kind::OneOf(&RunSort::NAMES),
    "The order; - for the largest or newest first. -created where it is left out",
);
const LIMIT: Param = param("limit", Kind::Integer(1, 200), "How many; 50 where it is left out");
const CURSOR: Param = param("cursor", Kind::Text, "nextCursor of the page before");
const LIST: Param = param("list", Kind::OneOf(&["runs", "sessions"]), "Which list; runs where it is left out");
const STATUS: Param = param("status", Kind::OneOf(&SESSION_STATUSES), "The same as status: in the filter");

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
        read(
            "/api/runs",
            "Runs, newest first or in another order",
            &[FILTER, LIMIT, CURSOR, SORT],
            examples::run_list(),
            get(runs::list_runs),
        ),
        read(
            "/api/runs/{id}",
            "One run: its figures, its answer, its banners",
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
            "A run's log as it is read: verdict, banners, turns, plan, totals, outcome, integrity",
            &[],
            examples::timeline(),
            get(log::get_timeline),
        ),
        Endpoint {
            method: "get",
            path: "/api/runs/{id}/events",
            summary: "A run's log as it came: one event a line",
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
            summary: "Make a run of a log: NDJSON, a JSON array, a raw SSE capture or an export, of any size",
            query: const { &[param("name", Kind::Text, "What to call the run, where the log does not say")] },
            body: Some(json!([{ "seq": 1, "type": "result", "data": { "text": "…" } }])),
            status: 201,
            response: Some(examples::imported()),
            upload: true,
            handler: post(import::post_import),
        },
        read(
            "/api/count",
            "The number of runs that match; not exact where counting stopped at a limit",
            &[FILTER],
            same(value(&MatchCount::default())),
            get(browse::count),
        ),
        read("/api/facets", "Values that runs have, with counts", &[FILTER], examples::facets(), get(browse::facets)),
        read(
            "/api/values",
            "Values of one key, for completion",
            const {
                &[
                    Param { required: true, ..param("key", Kind::Text, "status, model, tool, … or metadata.KEY") },
                    param("prefix", Kind::Text, "How the value begins"),
                ]
            },
            same(value(&[FacetValue::default(), FacetValue::default()])),
            get(browse::values),
        ),
        read(
            "/api/histogram",
            "Runs over time, by status",
            const { &[FILTER, param("buckets", Kind::Integer(1, 500), "About how many; 60 where it is left out")] },
            examples::histogram(),
            get(browse::histogram),
        ),
        read("/api/sync", "How far the workspace is mirrored", &[], sync(), get(browse::sync)),
        Endpoint {
            body: Some(json!({ "paused": true })),
            method: "post",
            ..read("/api/sync", "Pause or resume bringing in older runs and logs", &[], sync(), post(browse::set_sync))
        },
        read(
            "/api/sessions",
            "Sessions, last used first",
            &[FILTER, STATUS, LIMIT, CURSOR],
            examples::session_list(),
            get(sessions::list_sessions),
        ),
        read(
            "/api/sessions/{id}",
            "One session with its totals and its spec",
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
            "A page of a session's messages, the last ones first",
            const {
                &[
                    param("before", Kind::Integer(0, u64::MAX), "nextBeforeSeq of the page after"),
                    param("limit", Kind::Integer(1, 500), "How many; 100 where it is left out"),
                ]
            },
            examples::messages(),
            get(sessions::session_messages),
        ),
        read(
            "/api/views",
            "Built-in, shared and own views",
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
            "Rename, change or share a view of one's own",
            Some(view_change),
            (200, Some(value(&examples::view()))),
            patch(views::change_view),
        ),
        write("delete", "/api/views/{id}", "Delete a view of one's own", None, (204, None), delete(views::delete_view)),
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
            "Choose the view that one's list opens with",
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
