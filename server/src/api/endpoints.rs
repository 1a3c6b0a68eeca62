//! Every address of the JSON API once: its handler and what the document says of it stand side by side.

use app::model::{
    Bucket, Facet, FacetValue, Facets, Histogram, ImportReport, Marks, RunSummary, SessionMessages, SessionPage,
    SessionSummary, SessionTotals, SyncProgress, View, ViewChange, ViewList, ViewScope,
};
use axum::routing::{MethodRouter, delete, get, patch, post, put};
use protocol::RunStatus;
use protocol::messages::Tokens;
use serde::Serialize;
use serde_json::{Value, json};

use super::{browse, log, runs, sessions, views};
use crate::import;
use crate::state::AppState;

pub struct Endpoint {
    pub method: &'static str,
    pub path: &'static str,
    pub summary: &'static str,
    /// Name, whether it is required, and what it means.
    pub query: &'static [(&'static str, bool, &'static str)],
    /// A body as it is sent, where there is one.
    pub body: Option<Value>,
    /// The status of success, and an answer made of the types that handlers return.
    pub answer: (u16, Option<Value>),
    /// Takes a body of any size.
    pub upload: bool,
    pub handler: MethodRouter<AppState>,
}

const FILTER: (&str, bool, &str) = ("q", false, "The filter bar's text, for example status:failed customer:acme");
const LIMIT: (&str, bool, &str) = ("limit", false, "How many, from 1 to 200; 50 where it is left out");
const CURSOR: (&str, bool, &str) = ("cursor", false, "nextCursor of the page before");
const LIST: (&str, bool, &str) = ("list", false, "runs or sessions; runs where it is left out");

pub fn all() -> Vec<Endpoint> {
    let read = |path, summary, query, answer: Value, handler| Endpoint {
        method: "get",
        path,
        summary,
        query,
        body: None,
        answer: (200, Some(answer)),
        upload: false,
        handler,
    };
    let write = |method, path, summary, body: Option<Value>, answer: (u16, Option<Value>), handler| Endpoint {
        method,
        path,
        summary,
        query: &[],
        body,
        answer,
        upload: false,
        handler,
    };
    let run_list = json!({ "runs": [value(&run())], "nextCursor": "…", "stale": "…", "excluding": ["env:staging"] });
    let view_change = value(&ViewChange {
        list: ViewList::Runs,
        name: Some(String::new()),
        query: Some(String::new()),
        shared: Some(false),
    });
    vec![
        read("/api/runs", "Runs, newest first", &[FILTER, LIMIT, CURSOR], run_list, get(runs::list_runs)),
        read("/api/runs/{id}", "One run: its figures, its answer, its banners", &[], value(&run()), get(runs::get_run)),
        read(
            "/api/runs/{id}/timeline",
            "A run's log as it is read: verdict, banners, turns, integrity",
            &[],
            json!({ "status": "failed", "verdict": [{ "text": "…", "seqs": [7] }], "banners": [], "turns": [], "integrity": {} }),
            get(log::get_timeline),
        ),
        read(
            "/api/runs/{id}/events",
            "A run's log as it came: NDJSON, one event a line",
            &[],
            json!({ "seq": 1, "type": "assistant_delta", "data": { "text": "…" } }),
            get(log::get_events),
        ),
        Endpoint {
            method: "post",
            path: "/api/import",
            summary: "Make a run of a log: NDJSON, a JSON array, a raw SSE capture or an export, of any size",
            query: &[("name", false, "What to call the run, where the log does not say")],
            body: Some(json!([{ "seq": 1, "type": "result", "data": { "text": "…" } }])),
            answer: (201, Some(json!({ "runId": "…", "url": "/runs/…", "report": value(&ImportReport::default()) }))),
            upload: true,
            handler: post(import::post_import),
        },
        read("/api/facets", "Values that runs have, with counts", &[FILTER], value(&facets()), get(browse::facets)),
        read(
            "/api/values",
            "Values of one key, for completion",
            &[("key", true, "status, model, tool, … or metadata.KEY"), ("prefix", false, "How the value begins")],
            json!([value(&FacetValue::default())]),
            get(browse::values),
        ),
        read(
            "/api/histogram",
            "Runs over time, by status",
            &[FILTER, ("buckets", false, "About how many, from 1 to 500")],
            value(&histogram()),
            get(browse::histogram),
        ),
        read("/api/sync", "How far the workspace is mirrored", &[], value(&SyncProgress::default()), get(browse::sync)),
        write(
            "post",
            "/api/sync",
            "Pause or resume bringing in older runs and logs",
            Some(json!({ "paused": true })),
            (200, Some(value(&SyncProgress::default()))),
            post(browse::set_sync),
        ),
        read(
            "/api/sessions",
            "Sessions, last used first",
            &[FILTER, ("status", false, "active or ended"), LIMIT, CURSOR],
            value(&sessions::SessionList {
                sessions: vec![session()],
                next_cursor: Some(String::new()),
                stale: Some(String::new()),
                excluding: vec!["env:staging".to_owned()],
            }),
            get(sessions::list_sessions),
        ),
        read(
            "/api/sessions/{id}",
            "One session with its totals and its spec",
            &[],
            value(&SessionPage {
                session: session(),
                totals: SessionTotals::default(),
                spec: json!({}),
                ended_at_ms: Some(0),
                can_write: true,
                stale: Some(String::new()),
                now_ms: 0,
            }),
            get(sessions::get_session),
        ),
        read(
            "/api/sessions/{id}/messages",
            "A page of a session's messages, the last ones first",
            &[("before", false, "nextBeforeSeq of the page after"), ("limit", false, "How many, from 1 to 500")],
            value(&SessionMessages { events: vec![json!({})], next_before_seq: Some(0) }),
            get(sessions::session_messages),
        ),
        read("/api/views", "Built-in, shared and own views", &[LIST], json!([value(&view())]), get(views::list_views)),
        write(
            "post",
            "/api/views",
            "Save a view",
            Some(view_change.clone()),
            (201, Some(value(&view()))),
            post(views::create_view),
        ),
        write(
            "patch",
            "/api/views/{id}",
            "Rename, change or share a view of one's own",
            Some(view_change),
            (200, Some(value(&view()))),
            patch(views::change_view),
        ),
        write("delete", "/api/views/{id}", "Delete a view of one's own", None, (204, None), delete(views::delete_view)),
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

fn value(example: &impl Serialize) -> Value {
    serde_json::to_value(example).unwrap_or_default()
}

fn run() -> RunSummary {
    let text = || Some(String::new());
    RunSummary {
        id: String::new(),
        session_id: text(),
        status: RunStatus::Succeeded,
        name: text(),
        agent_id: text(),
        model: text(),
        input_preview: text(),
        output_preview: text(),
        error: text(),
        tokens: Some(Tokens::default()),
        turns: Some(0),
        tool_calls: Some(0),
        duration_ms: Some(0),
        cost_micros: Some(0),
        error_class: text(),
        created_at_ms: 0,
        metadata: [("key".to_owned(), String::new())].into(),
        marks: Marks::default(),
        origin: Default::default(),
    }
}

fn facets() -> Facets {
    let facet = Facet { key: String::new(), values: vec![FacetValue::default()], more: false };
    Facets { facets: vec![facet], counted_newest: Some(0) }
}

fn histogram() -> Histogram {
    let bucket = Bucket { start_ms: 0, runs: [("succeeded".to_owned(), 0)].into() };
    Histogram { bucket_ms: 0, buckets: vec![bucket], counted_newest: Some(0) }
}

fn session() -> SessionSummary {
    SessionSummary {
        id: String::new(),
        name: Some(String::new()),
        status: String::new(),
        summary: Some(String::new()),
        metadata: [("key".to_owned(), String::new())].into(),
        created_at_ms: 0,
        last_used_at_ms: 0,
    }
}

fn view() -> View {
    View {
        id: String::new(),
        name: String::new(),
        query: String::new(),
        list: ViewList::Runs,
        scope: ViewScope::Private,
        mine: true,
        default: false,
    }
}
